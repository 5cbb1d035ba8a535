/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether what a slice tells moves with the arrays: of the addresses that it is given
   nothing shows but where its stores begin. */

#include "ptx/ptx.h"

enum { MOVES_FIELDS = 64 };

/* Fields of 8 bytes among the parameters that may be addresses. Start from zero. */
struct write_set_moves {
    uint32_t offset[MOVES_FIELDS], count;
    uint64_t fixed; /* by field: something else is made of it */
    bool is_fixed;  /* so it is of all */
};

struct write_set_moves write_set_moves_find(const struct ptx_function *f);

/* Whether addresses that lie at these places may be any. */
bool write_set_moves_all(const struct write_set_moves *m, const uint32_t *offsets,
                         uint32_t count);
