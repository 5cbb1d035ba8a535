/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel really writes: it is run whole, and every byte that each CTA stores to is
   noted. It shares no code with what finds write sets. */

#include <proact/proact.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execute/execute.h"
#include "samples/samples.h"

enum { TRUTH_BLOCK_BYTES = 512 };

/* A launch of a sample. */
struct trial {
    struct samples_case c;
    uint32_t grid[3], threads[3];
    unsigned char *memory, *place[SAMPLES_ARRAYS_MAX];
    size_t memory_bytes;
    unsigned char parameters[TRUTH_BLOCK_BYTES];
    size_t parameter_bytes;
};

/* The sample's own launch, or where `chance` is given one with other numbers. */
void trial_begin(struct trial *t, const struct sample *s, uint64_t *chance);
void trial_end(struct trial *t);

struct truth {
    uint32_t *first[SAMPLES_ARRAYS_MAX]; /* by CTA, and one more */
    struct proact_range *ranges[SAMPLES_ARRAYS_MAX];
    size_t count[SAMPLES_ARRAYS_MAX], capacity[SAMPLES_ARRAYS_MAX];
    uint64_t lanes;
    bool is_out_of_object; /* stored outside of every array: the rest is not there */
    char fault[384];       /* why it stopped otherwise, or "" */
};

/* Start from zero. The arrays get their content back first. */
void truth_find(struct truth *w, struct trial *t, const struct execute_program *program,
                const char *kernel);
void truth_clear(struct truth *w);

/* Whether both write the same of array `n`. */
bool truth_equal(const struct truth *a, const struct truth *b, unsigned n, uint32_t ctas);
