/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Scoped name table. A later name of a kind hides an earlier one until its scope ends. */

#include <stddef.h>
#include <stdint.h>

enum ptx_name_kind { /* bits, so that a search may combine several */
                     PTX_NAME_REGISTER = 1,
                     PTX_NAME_RANGE = 2,
                     PTX_NAME_SYMBOL = 4,
                     PTX_NAME_LABEL = 8,
                     PTX_NAME_OPCODE = 16,
                     PTX_NAME_PART = 32,
                     PTX_NAME_SPECIAL = 64,
};

struct ptx_name {
    const char *text; /* borrowed */
    uint32_t bytes, hash, depth, next;
    enum ptx_name_kind kind;
    int32_t index;
};

/* A table starts zeroed. */
struct ptx_names {
    struct ptx_name *entries; /* the first is unused, so that 0 ends a chain */
    size_t count, capacity;
    uint32_t *heads;
    size_t head_count; /* a power of two */
    uint32_t depth;
};

void ptx_names_add(struct ptx_names *n, enum ptx_name_kind kind, const char *text,
                   uint32_t bytes, int32_t index);
/* The latest name of any of the kinds. NULL: none. */
const struct ptx_name *ptx_names_find(const struct ptx_names *n, unsigned kinds,
                                      const char *text, uint32_t bytes);
void ptx_names_enter(struct ptx_names *n);
void ptx_names_leave(struct ptx_names *n); /* removes the names added since
                                              ptx_names_enter() */
void ptx_names_clear(struct ptx_names *n);
