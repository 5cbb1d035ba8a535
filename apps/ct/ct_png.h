/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Images in PNG, 8-bit grey. */

#include <stddef.h>

/* The values from `low` (black) to `high` (white) in HU of slices of side * side, in a grid
   that is about square. The content of the file has *bytes; the caller frees it. */
struct ct_window {
    double low, high;
};
unsigned char *ct_png_format(const float *hu, unsigned slices, unsigned side,
                             const struct ct_window *window, size_t *bytes);
