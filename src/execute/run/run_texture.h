/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CODE_TEXTURE: textures[op->extra] of the kernel; false after a fault. */
#include "execute/run/run.h"

bool texture_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* One lane's place in a texture, in texels from the edge on, and its layer or face. */
struct texture_place {
    double at[3];
    uint64_t layer;
};
/* A texel: numbers, or whole ones as they are. */
struct texture_color {
    union texture_channel {
        uint32_t bits;
        float number;
    } channel[4];
};

/* run_sample.c: what is read there. `address`: of the first texel that was, or 0. */
struct texture_color texture_sample(const struct execute_texture *t,
                                    const struct texture_place *p, uint64_t *address);
/* The same channel of the four texels that a linear filter takes. */
struct texture_color texture_gather(const struct execute_texture *t,
                                    const struct texture_place *p, unsigned channel,
                                    uint64_t *address);
