/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Accesses of a kernel through a set of pointers and no other pointer. */

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

struct access_through {
    bool *is;         /* by instruction */
    bool reads;       /* a load, or an atomic with a used result, exists or is possible */
    bool writes;      /* a store or an atomic exists */
    uint32_t updates; /* line of a possible atomic; 0: none */
    uint32_t updates_surely; /* of a certain one */
    uint32_t updates_here;   /* of a certain one with device scope */
};

/* `parameters` holds the offsets of the pointers. */
struct access_through access_through_find(const struct ptx_module *m,
                                          const struct ptx_function *f,
                                          const uint32_t *parameters, uint32_t count);
void access_through_clear(struct access_through *t);
