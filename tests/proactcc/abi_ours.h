/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Sizes and field offsets of proact's declarations of the CUDA runtime. */

#include <stddef.h>

struct abi_row {
    const char *name, *field; /* field "": the size */
    size_t bytes;
};
extern const struct abi_row abi_ours[]; /* the last row has a NULL name */
