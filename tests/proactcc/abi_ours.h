/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Sizes of our declarations of CUDA's runtime, and where their fields lie. */

#include <stddef.h>

struct abi_row {
    const char *name, *field; /* field "": the size */
    size_t bytes;
};
extern const struct abi_row abi_ours[]; /* up to a name that is NULL */
