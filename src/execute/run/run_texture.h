/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CODE_TEXTURE: textures[op->extra] of the kernel. Returns false after a fault. */
#include "execute/run/run.h"

bool texture_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* Position of one lane in a texture, in texels from the edge, and its layer or face. */
struct texture_place {
    double at[3];
    uint64_t layer;
};
/* A texel: floats, or integers unchanged. */
struct texture_color {
    union texture_channel {
        uint32_t bits;
        float number;
    } channel[4];
};

/* run_sample.c: the sampled value. *address receives the address of the first texel read,
   or 0. */
struct texture_color texture_sample(const struct execute_texture *t,
                                    const struct texture_place *p, uint64_t *address);
/* The same channel of the four texels that a linear filter reads. */
struct texture_color texture_gather(const struct execute_texture *t,
                                    const struct texture_place *p, unsigned channel,
                                    uint64_t *address);
