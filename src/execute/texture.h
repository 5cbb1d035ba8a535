/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture and surface objects: the object of a handle, which the host provides, and the
   operation of an instruction. */

#include <proact/texture.h>

#include "execute/op.h"

struct execute_texture {
    bool is_surface, is_cube;
    uint8_t dimensions;    /* without layers; 2 for a cube */
    uint32_t size[3];      /* texels; 1 for an absent dimension */
    uint32_t layers;       /* 0: none; each layer of a cube has 6 faces */
    uint64_t base;         /* memory of this process */
    uint64_t pitch, slice; /* bytes between rows, and between slices or layers */
    struct proact_texel_format texel;
    enum proact_address_mode address_mode[3];
    bool is_linear, reads_normalized, has_normalized_coordinates, is_srgb;
    float border[4];
};

enum texture_task { TEXTURE_SAMPLE, TEXTURE_GATHER, TEXTURE_QUERY, SURFACE_PLACE };
enum texture_word { TEXTURE_WIDTH, TEXTURE_HEIGHT, TEXTURE_DEPTH, TEXTURE_LAYERS };
enum surface_address_mode { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
enum { TEXTURE_COORDINATES = 4, TEXTURE_VALUES = 4 };

/* A texture or surface instruction. */
struct texture_site {
    enum texture_task task;
    uint8_t dimensions; /* without the layer */
    bool has_layer, is_cube;
    bool takes_integers;
    uint8_t component;                        /* gather: the channel */
    enum texture_word word;                   /* query */
    op_place handle;                          /* 8 bytes per lane */
    op_place coordinate[TEXTURE_COORDINATES]; /* 4 bytes per lane; the layer first */
    uint8_t coordinate_count, value_count;
    op_place value[TEXTURE_VALUES];
    /* For a surface: the address of each lane, and whether it is in bounds. A load out of
       bounds returns zero. */
    op_place address, inside;
    enum surface_address_mode address_mode;
    bool is_load;
    uint8_t width;                /* bytes per lane of the value: 4 or 8 */
    struct execute_access access; /* for the host's statistics of a sample; the accessed
                                     bytes of a surface */
};
