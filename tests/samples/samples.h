/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The 29 sample kernels of this folder as one table: what to launch them on, and what must
   come out, computed here on the CPU. It knows neither the emulator nor the runtime, so
   that the same rows drive both. */

#include <proact/proact.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum samples_element { SAMPLES_F32, SAMPLES_I32, SAMPLES_U8 };

enum { SAMPLES_ARRAYS_MAX = 6, SAMPLES_PARAMETERS_MAX = 8, SAMPLES_VALUE_MAX = 40 };

struct samples_array {
    const char *name;
    enum samples_element element;
    size_t count;
    void *content;        /* before the launch */
    const void *expected; /* after it; NULL where it is only read */
    double tolerance; /* |got - expected| <= tolerance * (1 + |expected|); 0: bit for bit */
    bool is_mapped; /* the marked form stores it by slot, numbered in this order, and ... */
    struct proact_map map; /* ... writes these bytes at most */
};

/* A parameter of the kernel: a value, in whose first 8 bytes the address of `array` is put
   unless that is negative. */
struct samples_parameter {
    int array;
    size_t bytes;
    unsigned char value[SAMPLES_VALUE_MAX];
};

/* One launch, and what it needs. Start from samples_begin(). */
struct samples_case {
    struct arena arena; /* of everything below */
    struct samples_array arrays[SAMPLES_ARRAYS_MAX];
    unsigned array_count;
    struct samples_parameter parameters[SAMPLES_PARAMETERS_MAX]; /* without the share */
    unsigned parameter_count;
    struct proact_grid grid;
    int again; /* while element 0 of this array is not 0, zero it and launch once more */
    int32_t shape[4]; /* for the map's callback: this case is its context */
};

struct sample {
    const char *name;
    const char *file;   /* NAME.cu in this folder, FILE.ptx where it is built */
    bool is_plain_only; /* has no marked form: it adds atomically to what it shares */
    bool races;         /* several CTAs store one value into a word without an order */
    bool is_unordered;  /* atomics add floats in any order, so the last bits differ */
    void (*fill)(struct samples_case *c, bool large);
};

enum { SAMPLES_COUNT = 29 };
extern const struct sample samples[SAMPLES_COUNT];

void samples_begin(struct samples_case *c, const struct sample *s, bool large);
void samples_end(struct samples_case *c);

size_t samples_bytes(const struct samples_array *a);

/* Whether `got` is what was expected; else a sentence with array, index and both values. */
bool samples_agree(const struct samples_array *a, const void *got, char *sentence,
                   size_t size);

/* What a map means, said a second time and plainly: the ranges of one CTA, not clipped to
   the array. */
void samples_ranges(const struct proact_map *map, const uint32_t grid[3], uint32_t cta,
                    proact_emit *emit, void *sink);
