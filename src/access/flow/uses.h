/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Users of each value. */

#include "access/flow/ssa.h"

struct ssa_uses {
    uint32_t *first; /* by value, plus one: index of its first user */
    int32_t *user;   /* instruction; a phi is -1 - value */
};

const struct ssa_uses *uses_build(const struct ssa *s, struct arena *arena);
