/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel does through some of its pointers, and through no other. */

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ptx.h"

struct access_through {
    bool *is;         /* by instruction */
    bool reads;       /* some load, or an atomic whose result is used; or it may be one */
    bool writes;      /* some store or atomic */
    uint32_t updates; /* line of an atomic that may go there; 0: there is none */
    uint32_t updates_surely; /* of one that does */
    uint32_t updates_here;   /* of such that is of one device */
};

/* The pointers are given as bytes in the block of parameters. */
struct access_through access_through_find(const struct ptx_module *m,
                                          const struct ptx_function *f,
                                          const uint32_t *parameters, uint32_t count);
void access_through_clear(struct access_through *t);
