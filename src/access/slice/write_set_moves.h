/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Address independence of a slice: whether array addresses only shift the stores. */

#include "ptx/ptx.h"

enum { MOVES_FIELDS = 64 };

/* 8-byte parameter fields that may be addresses. Starts zeroed. */
struct write_set_moves {
    uint32_t offset[MOVES_FIELDS], count;
    uint64_t fixed; /* bit by field: it has another effect */
    bool is_fixed;  /* all fields have another effect */
};

struct write_set_moves write_set_moves_find(const struct ptx_function *f);

/* Whether the slice is independent of the addresses at these offsets. */
bool write_set_moves_all(const struct write_set_moves *m, const uint32_t *offsets,
                         uint32_t count);
