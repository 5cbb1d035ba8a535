/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kernels as a table: what to launch them on, and what must come out, computed here on the
   CPU. It knows neither the emulator nor the runtime, so that the same rows drive both.
   The 29 samples of this folder have two forms, plain and marked; tests/kernels has many
   more, of the same form, plain only. */

#include <proact/proact.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum samples_element {
    SAMPLES_F32,
    SAMPLES_I32,
    SAMPLES_U8,
    SAMPLES_U16, /* halves, too: bit for bit */
    SAMPLES_I64,
    SAMPLES_F64,
    SAMPLES_ADDRESS, /* before the launch: number of an array << 40 | byte in it */
};

enum {
    SAMPLES_ARRAYS_MAX = 8,
    SAMPLES_PARAMETERS_MAX = 12,
    SAMPLES_VALUE_MAX = 96,
    SAMPLES_INSIDE_MAX = 6,
    SAMPLES_PLACE_SHIFT = 40
};

struct samples_array {
    const char *name;
    enum samples_element element;
    size_t count;
    void *content;        /* before the launch */
    const void *expected; /* after it; NULL where it is only read */
    double tolerance; /* |got - expected| <= tolerance * (1 + |expected|); 0: bit for bit */
    bool is_set;      /* 32-bit integers that may come out in any order */
    bool is_mapped; /* the marked form stores it by slot, numbered in this order, and ... */
    struct proact_map map; /* ... writes these bytes at most */
};

/* A parameter of the kernel: a value, in whose first 8 bytes the address of `array` is put
   unless that is negative, and further addresses where `inside` says. */
struct samples_parameter {
    int array;
    size_t bytes, align; /* align 0: 4 for 4 bytes, else 8 */
    unsigned inside_count;
    struct {
        int array;
        size_t offset;
    } inside[SAMPLES_INSIDE_MAX];
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
    uint32_t seed;    /* other inputs and sizes, where a kernel minds it; 0 at first */
};

/* What can be said of a kernel's stores when it is split over devices by its CTAs. */
enum samples_verdict {
    SAMPLES_SPLITS,    /* no two CTAs write a byte in common; known from the parameters */
    SAMPLES_MAY_WRITE, /* where is known from the parameters, whether depends on data */
    SAMPLES_FLAGS,     /* as before, but for bytes that all of them set alike */
    SAMPLES_REDUCES,   /* as before, and it updates integers by atomics: in one place */
    SAMPLES_IRREGULAR, /* where depends on data */
    SAMPLES_REFUSED,   /* its CTAs talk to each other: see `refusal` */
};

struct sample {
    const char *name;
    const char *file;   /* NAME.cu in this folder, FILE.ptx where it is built */
    bool is_plain_only; /* has no marked form: it adds atomically to what it shares */
    bool races;         /* several CTAs store one value into a word without an order */
    bool is_unordered;  /* atomics add floats in any order, so the last bits differ */
    enum samples_verdict verdict;
    const char *refusal; /* NULL, or one of: atomic, ticket, spin, overlap, generic,
                            grid sync, cluster, bulk */
    void (*fill)(struct samples_case *c, bool large);
};

enum { SAMPLES_COUNT = 29 };
extern const struct sample samples[SAMPLES_COUNT];

void samples_begin(struct samples_case *c, const struct sample *s, bool large);
void samples_begin_seeded(struct samples_case *c, const struct sample *s, bool large,
                          uint32_t seed);
void samples_end(struct samples_case *c);

size_t samples_bytes(const struct samples_array *a);

/* Of addresses: sessions without the checker read it when a kernel is launched, and what
   lies behind is then no longer irregular. */
bool samples_have_table(const struct samples_case *c);

/* The parameter block, for arrays at these addresses; returns its bytes. */
enum { SAMPLES_BLOCK_MAX = 1024 };
size_t samples_lay_parameters(const struct samples_case *c, const uint64_t *addresses,
                              unsigned char block[SAMPLES_BLOCK_MAX]);

/* The content of array `i` before the launch, with the addresses in it. */
void samples_lay_content(const struct samples_case *c, const uint64_t *addresses,
                         unsigned i, void *into);

/* Whether `got` is what was expected; else a sentence with array, index and both values. */
bool samples_agree(const struct samples_array *a, const void *got, char *sentence,
                   size_t size);

/* What a map means, said a second time and plainly: the ranges of one CTA, not clipped to
   the array. */
void samples_ranges(const struct proact_map *map, const uint32_t grid[3], uint32_t cta,
                    proact_emit_range *emit, void *sink);
