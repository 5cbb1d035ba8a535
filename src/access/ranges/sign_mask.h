/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Masks (x >> 31) & n. Compilers emit them for `x < 0 ? n : 0`, as in an index that wraps
   around the start (`if (x < 0) x += n`). */

#include "access/bounds/extent.h"

struct sign_mask {
    const struct access_form *of; /* x and its bounds */
    struct range range;
    const struct access_form *is; /* n */
};

/* False if the symbol is no such mask in this context. */
bool sign_mask_open(struct sign_mask *m, struct extent *e, const struct access_symbol *y);
