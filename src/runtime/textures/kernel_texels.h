/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel has of textures and surfaces. */

#include "instrument/instrument.h"

struct kernel_texels {
    uint32_t line; /* where it, or what it calls, has the first */
    bool writes;   /* by surfaces */
    struct instrument_textures textures;
};

/* NULL: it has none. */
struct kernel_texels *kernel_texels_find(const struct ptx_module *m,
                                         const struct ptx_function *kernel);
void kernel_texels_destroy(struct kernel_texels *t);
