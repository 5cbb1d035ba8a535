/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Table of kernels with their launches and expected results, computed on the CPU. It does
   not depend on the emulator or the runtime, so both use the same rows. The 29 samples of
   this folder have two forms, plain and annotated; tests/kernels has many more rows, plain
   only. */

#include <proact/proact.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum samples_element {
    SAMPLES_F32,
    SAMPLES_I32,
    SAMPLES_U8,
    SAMPLES_U16, /* halves too: compared bit for bit */
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
    const void *expected; /* after it; NULL if the array is only read */
    double tolerance; /* |got - expected| <= tolerance * (1 + |expected|); 0: bit for bit */
    bool is_set;      /* 32-bit integers in any order */
    bool is_mapped; /* the annotated form stores it by slot, numbered in this order, and */
    struct proact_map map; /* writes at most these bytes */
};

/* A parameter of the kernel: a value. Its first 8 bytes receive the address of `array`
   unless that is negative; `inside` lists further addresses. */
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

/* One launch with its data. samples_begin() initializes it. */
struct samples_case {
    struct arena arena; /* of everything below */
    struct samples_array arrays[SAMPLES_ARRAYS_MAX];
    unsigned array_count;
    struct samples_parameter parameters[SAMPLES_PARAMETERS_MAX]; /* without the partition */
    unsigned parameter_count;
    struct proact_grid grid;
    int again;        /* while element 0 of this array is not 0, it is zeroed and the kernel
                         launched again */
    int32_t shape[4]; /* for the map's callback, whose context is this case */
    uint32_t seed;    /* other inputs and sizes, if the kernel supports them; 0 by
                         default */
};

/* Stores of a kernel whose CTAs are split over devices. */
enum samples_verdict {
    SAMPLES_SPLITS,    /* exclusive writes, known from the parameters */
    SAMPLES_MAY_WRITE, /* the addresses are known from the parameters; data decide which are
                          written */
    SAMPLES_FLAGS,     /* the same, except for bytes that all CTAs set to one value */
    SAMPLES_REDUCES,   /* the same, with commutative atomics on integers */
    SAMPLES_IRREGULAR, /* the addresses depend on data */
    SAMPLES_REFUSED,   /* CTAs communicate: see `refusal` */
};

struct sample {
    const char *name;
    const char *file;   /* NAME.cu in this folder, FILE.ptx in the build */
    bool is_plain_only; /* has no annotated form: it uses atomics on its output */
    bool races;         /* several CTAs store one value to a word without an order */
    bool is_unordered;  /* atomics add floats in any order, so the last bits differ */
    enum samples_verdict verdict;
    const char *refusal; /* NULL, or one of: atomic, arrival, spin, overlap, generic,
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

/* True if an array is a table of addresses. Sessions without the checker read the table at
   launch, so later accesses are not irregular. */
bool samples_have_table(const struct samples_case *c);

/* The parameter buffer for arrays at these addresses; returns its size in bytes. */
enum { SAMPLES_BLOCK_MAX = 1024 };
size_t samples_lay_parameters(const struct samples_case *c, const uint64_t *addresses,
                              unsigned char block[SAMPLES_BLOCK_MAX]);

/* The content of array `i` before the launch, including addresses. */
void samples_lay_content(const struct samples_case *c, const uint64_t *addresses,
                         unsigned i, void *into);

/* True if `got` equals the expected content; otherwise `sentence` receives array, index and
   both values. */
bool samples_agree(const struct samples_array *a, const void *got, char *sentence,
                   size_t size);

/* Reference for maps: the ranges of one CTA, not clipped to the array. */
void samples_ranges(const struct proact_map *map, const uint32_t grid[3], uint32_t cta,
                    proact_emit_range *emit, void *sink);
