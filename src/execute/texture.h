/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture and surface objects as kernels use them: what a handle stands for, which the host
   says, and what an instruction asks of it. */

#include <proact/texture.h>

#include "execute/op.h"

struct execute_texture {
    bool is_surface, is_cube;
    uint8_t dimensions;    /* without layers; of a cube 2 */
    uint32_t size[3];      /* texels; 1 where it has no such dimension */
    uint32_t layers;       /* 0: none; a cube's have 6 faces each */
    uint64_t base;         /* plain memory of this process ... */
    uint64_t pitch, slice; /* ... from row to row, slice to slice or layer to layer */
    struct proact_texel_format texel;
    enum proact_address_mode address_mode[3];
    bool is_linear, reads_normalized, has_normalized_coordinates, is_srgb;
    float border[4];
};

enum texture_task { TEXTURE_SAMPLE, TEXTURE_GATHER, TEXTURE_QUERY, SURFACE_PLACE };
enum texture_word { TEXTURE_WIDTH, TEXTURE_HEIGHT, TEXTURE_DEPTH, TEXTURE_LAYERS };
enum surface_address_mode { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
enum { TEXTURE_COORDINATES = 4, TEXTURE_VALUES = 4 };

/* An instruction. */
struct texture_site {
    enum texture_task task;
    uint8_t dimensions; /* without the layer */
    bool has_layer, is_cube;
    bool takes_integers;
    uint8_t component;                        /* gather: which channel */
    enum texture_word word;                   /* query */
    op_place handle;                          /* 8 bytes a lane */
    op_place coordinate[TEXTURE_COORDINATES]; /* 4 bytes; the layer first */
    uint8_t coordinate_count, value_count;
    op_place value[TEXTURE_VALUES];
    /* Of a surface: it gives the address of each lane, and says which lanes' are inside;
       what a load finds outside is zero. */
    op_place address, inside;
    enum surface_address_mode address_mode;
    bool is_load;
    uint8_t width;                /* of a lane's value: 4 or 8 */
    struct execute_access access; /* a sample's, for the host to count; a surface's bytes */
};
