/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Access patterns (AMGE 4.1). The byte offset is decomposed into array dimensions; each has
   the grid dimension that indexes it and a class. */

#include "access/access.h"

enum access_class {
    ACCESS_EACH,         /* "local": the same for every CTA */
    ACCESS_BLOCKS,       /* CTA c starts at c * tile */
    ACCESS_CYCLIC,       /* CTA c takes c, c + CTAs, c + 2 * CTAs, ... */
    ACCESS_BLOCK_CYCLIC, /* cyclic with tiles */
    ACCESS_MIXED,        /* several grid dimensions, or not linear */
    ACCESS_BY_DATA,      /* depends on memory */
};

/* One dimension of an array. Indices count elements. */
struct access_axis {
    const struct access_form *stride; /* bytes between consecutive indices */
    const struct access_form *index;  /* of the first record, without clamps */
    enum access_class how;
    int grid;                       /* 0, 1, 2: x, y, z; -1: none */
    const struct access_form *tile; /* indices from CTA to CTA; NULL: not uniform */
    bool has_halo;                  /* of a read array, relative to a written one */
    int64_t low, high; /* indices read below (negative) and above the CTA's own */
};

enum { ACCESS_AXES_MAX = 4 };

/* All accesses of one kind to one base. */
struct access_array {
    enum access_base base;
    uint32_t base_symbol;
    enum access_kind kind; /* ACCESS_ATOMIC includes reductions */
    uint32_t element_bytes, record_count;
    uint32_t axis_count; /* outermost first; 0: see `reason` */
    struct access_axis axes[ACCESS_AXES_MAX];
    bool is_proven; /* inner indices certainly stay in their dimension; always true without
                       constant strides */
    const char *reason;
};

/* Shape of an array as the caller declares it. It overrides the shape that strides
   suggest. */
struct access_shape {
    uint32_t base_offset;              /* of its pointer in the parameter buffer */
    uint32_t element_bytes, count;     /* count: at most ACCESS_AXES_MAX */
    uint64_t extents[ACCESS_AXES_MAX]; /* in elements, outermost first */
};

struct access_patterns {
    struct access_array *arrays;
    uint32_t count;
    struct arena arena;
};

/* Patterns of all accesses with a base. Shapes require the launch, for the values of
   parameters; otherwise it may be NULL. Borrows the analysis. */
struct access_patterns *access_patterns(const struct access_analysis *a,
                                        const struct access_shape *shapes,
                                        uint32_t shape_count,
                                        const struct access_launch *l);
void access_patterns_destroy(struct access_patterns *p); /* NULL is allowed */

/* "block", "cyclic", ... */
const char *access_class_text(enum access_class how);
