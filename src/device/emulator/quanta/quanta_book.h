/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Recordings of scheduling quanta, internal to the emulator. device/quanta.h describes
   them. */

#include <stdatomic.h>
#include <stddef.h>

#include "device/emulator/memory/write_image.h"
#include "device/quanta.h"

/* Numbers of one quantum of a CTA, see struct usage. */
struct quantum {
    uint32_t issued, longest, stalls, barriers;
    uint32_t sectors, missed_sectors, awaited_sectors, replaced;
    uint32_t loads, fresh_loads, waited, missed;
    uint32_t stores;
    uint32_t range_end; /* in the ranges of the CTA */
};
_Static_assert(sizeof(struct quantum) <= 64, "a quantum takes at most 64 bytes");

/* Bytes that a warp stores to one array: `count` ranges, `stride` bytes apart. */
struct quantum_range {
    uint64_t first; /* byte of the array */
    uint32_t bytes;
    uint32_t stride;
    uint32_t issued; /* instructions of the warp in this quantum before the store */
    uint16_t count;
    uint8_t slot;
    bool continues; /* of the same store as the previous range */
};

/* Quanta of one CTA in one occurrence of its launch. */
struct cta_quanta {
    struct quantum *quantum;
    struct quantum_range *range;
    size_t quantum_count, quantum_capacity, range_count, range_capacity;
    uint64_t issued, digest; /* over all quanta; digest: of the stores, in any order */
    bool is_complete;
};

struct shape_cta {
    struct cta_quanta *occurrence;
    uint32_t count;
    /* Of a sample: the executed CTA with these numbers, and what its stores are shifted by;
       0: the CTA itself. */
    uint32_t executed;
    int64_t shift[PROACT_SLOTS_MAX];
};

struct device_shape {
    struct device_shape *next;
    struct device_quanta *book;
    char *kernel;
    uint64_t key;
    uint32_t cta_count;
    struct shape_cta *cta; /* by number in the complete grid */
    bool is_settled, is_recorded, is_sampled, depends;
    /* A CTA whose time depends on others, plus 1; 0: none. Written while devices run. */
    atomic_uint unfit;
};

struct device_quanta {
    unsigned sample, first;
    struct device_shape *shapes;
    struct write_images images; /* of the sets that use it */
    atomic_uint_least64_t bytes;
};

/* Occurrences of a shape in a set so far, by CTA. */
struct quanta_use {
    struct device_shape *shape;
    uint32_t *seen;
    struct quanta_use *next;
};
