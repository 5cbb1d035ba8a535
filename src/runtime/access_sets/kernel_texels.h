/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Textures and surfaces of a kernel. */

#include "instrument/instrument.h"

struct kernel_texels {
    uint32_t line; /* line of the first access in the kernel or a callee */
    bool writes;   /* through surfaces */
    struct instrument_textures textures;
};

/* NULL: none. */
struct kernel_texels *kernel_texels_find(const struct ptx_module *m,
                                         const struct ptx_function *kernel);
void kernel_texels_destroy(struct kernel_texels *t);
