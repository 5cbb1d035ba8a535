/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the CTAs of a launch share an array: byte offsets taken apart into dimensions, and of
   each dimension which grid dimension walks along it and how (AMGE 4.1). */

#include "access/access.h"

enum access_class {
    ACCESS_EACH,         /* "local": the same for every CTA */
    ACCESS_BLOCKS,       /* CTA c starts at c * tile */
    ACCESS_CYCLIC,       /* CTA c takes c, c + CTAs, c + 2 * CTAs, ... */
    ACCESS_BLOCK_CYCLIC, /* as cyclic, by tiles */
    ACCESS_MIXED,        /* several grid dimensions in one, or not linear */
    ACCESS_BY_DATA,      /* hangs on memory */
};

/* One dimension of an array. Indices count elements. */
struct access_axis {
    const struct access_form *stride; /* bytes from one index to the next */
    const struct access_form *index;  /* of the first record, clamps taken off */
    enum access_class how;
    int grid;                       /* 0, 1, 2: x, y, z; -1 for none */
    const struct access_form *tile; /* indices from CTA to CTA; NULL if not one */
    bool has_halo;                  /* of what is read: against what is written */
    int64_t low, high; /* indices read below (negative) and above those of the CTA's own */
};

enum { ACCESS_AXES_MAX = 4 };

/* All accesses of one kind to one base. */
struct access_array {
    enum access_base base;
    uint32_t base_symbol;
    enum access_kind kind; /* ACCESS_ATOMIC: reductions as well */
    uint32_t element_bytes, record_count;
    uint32_t axis_count; /* outermost first; 0: see reason */
    struct access_axis axes[ACCESS_AXES_MAX];
    bool is_proven; /* inner indices surely stay in their dimension: always without
                       constant strides */
    const char *reason;
};

/* What the caller knows of an array. It wins over what the strides suggest. */
struct access_shape {
    uint32_t base_offset;              /* of its pointer in the parameter block */
    uint32_t element_bytes, count;     /* at most ACCESS_AXES_MAX */
    uint64_t extents[ACCESS_AXES_MAX]; /* in elements, outermost first */
};

struct access_patterns {
    struct access_array *arrays;
    uint32_t count;
    struct arena arena;
};

/* Accesses without a base are left out. Shapes need the launch, for the parameters' values;
   it may be NULL otherwise. Borrows the analysis. */
struct access_patterns *access_patterns(const struct access_analysis *a,
                                        const struct access_shape *shapes,
                                        uint32_t shape_count,
                                        const struct access_launch *l);
void access_patterns_destroy(struct access_patterns *p); /* NULL is fine */

/* "block", "cyclic", ... */
const char *access_class_text(enum access_class how);
