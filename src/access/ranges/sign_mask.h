/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* (x >> 31) & n: compilers have `x < 0 ? n : 0` so, of an index that goes around the start
   (`if (x < 0) x += n`). */

#include "access/bounds/extent.h"

struct sign_mask {
    const struct access_form *of; /* x, and where it lies */
    struct range range;
    const struct access_form *is; /* n */
};

/* False where the symbol is none, in that extent. */
bool sign_mask_open(struct sign_mask *m, struct extent *e, const struct access_symbol *y);
