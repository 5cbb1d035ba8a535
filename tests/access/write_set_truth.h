/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reference write set of a kernel. The complete kernel runs, and every byte that each CTA
   stores is recorded. This code shares nothing with the analysis of write sets. */

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

/* Begins the sample's own launch, or a variation with other numbers if `chance` is not
   NULL. */
void trial_begin(struct trial *t, const struct sample *s, uint64_t *chance);
void trial_end(struct trial *t);

struct truth {
    uint32_t *first[SAMPLES_ARRAYS_MAX]; /* by CTA; one more than there are CTAs */
    struct proact_range *ranges[SAMPLES_ARRAYS_MAX];
    size_t count[SAMPLES_ARRAYS_MAX], capacity[SAMPLES_ARRAYS_MAX];
    uint64_t lanes;
    bool is_out_of_object; /* a store left all arrays: the record ends there */
    char fault[384];       /* any other reason why the run stopped, or "" */
};

/* Finds the write set. `w` starts zeroed. The function restores the content of the arrays
   first. */
void truth_find(struct truth *w, struct trial *t, const struct execute_program *program,
                const char *kernel);
void truth_clear(struct truth *w);

/* True if both runs write the same bytes of array `n`. */
bool truth_equal(const struct truth *a, const struct truth *b, unsigned n, uint32_t ctas);
