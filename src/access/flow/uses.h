/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who reads each value. */

#include "access/flow/ssa.h"

struct ssa_uses {
    uint32_t *first; /* by value, and one more: where its users begin */
    int32_t *user;   /* an instruction; or a phi, as -1 - value */
};

const struct ssa_uses *uses_build(const struct ssa *s, struct arena *arena);
