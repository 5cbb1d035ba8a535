/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texels: memory that kernels read by texture objects, and read and write by surface
   objects (CUDA arrays), on the first device, and what programs for one GPU do with them
   (see program.h). In a split launch each device is given an object of its own in place of
   a texture among the parameters, of what it has of the array, or of a copy of the texels
   that is renewed where these changed; kernels with surfaces run whole. */

#include <proact/program.h>

#ifdef __cplusplus
extern "C" {
#endif

enum proact_texel_type { PROACT_TEXEL_SIGNED, PROACT_TEXEL_UNSIGNED, PROACT_TEXEL_FLOAT };
struct proact_texel_format {
    enum proact_texel_type kind;
    unsigned bits, channels; /* of one channel: 8, 16 or 32; 1, 2 or 4 of them */
};

struct proact_texture_array_shape {
    size_t width, height, depth; /* in texels; 0: it has no such dimension */
    size_t layers;               /* 0: it is none of layers; a cube's have 6 faces each */
    bool is_cube, allows_gather;
    bool allows_surfaces; /* said to the driver, which makes them of others, too */
    struct proact_texel_format texel;
};

struct proact_texture_array;
PROACT_API enum proact_status proact_texture_array_create(
    struct proact *p, const struct proact_texture_array_shape *shape,
    struct proact_texture_array **out, struct proact_error *err);
/* Waits; its objects are void. NULL is fine. */
PROACT_API void proact_texture_array_destroy(struct proact_texture_array *t);

/* One end of a copy of `slices` times `rows` times `bytes`: of texels, from the place on;
   or of memory, by address, of the host or of the first device. A layer is a slice, and so
   is a face. */
struct proact_copy_3d_end {
    struct proact_texture_array *array;
    size_t x, y, z; /* x in bytes; of texels */
    uint64_t address;
    bool is_host;
    size_t pitch, slice_pitch; /* of memory, in bytes */
};
struct proact_copy_3d {
    struct proact_copy_3d_end to, from;
    size_t bytes, rows, slices;
};
/* Queued in order with everything else; what reads into the host's memory waits. Fails with
   PROACT_EINVAL where an end is too small, or the copy is to be recorded. */
PROACT_API enum proact_status proact_copy_3d(struct proact *p,
                                             const struct proact_copy_3d *copy,
                                             struct proact_error *err);

/* How a texture is read, in CUDA's words: coordinates beyond the edge, filter, element or
   number from 0 or -1 to 1, coordinates from 0 to 1. */
enum proact_address_mode {
    PROACT_ADDRESS_WRAP,
    PROACT_ADDRESS_CLAMP,
    PROACT_ADDRESS_MIRROR,
    PROACT_ADDRESS_BORDER
};
struct proact_texture {
    struct proact_texture_array *array; /* or NULL: memory of the first device ... */
    uint64_t address;
    size_t width, height, pitch;      /* height 0: in a line, read by index alone */
    struct proact_texel_format texel; /* of memory */
    enum proact_address_mode address_mode[3];
    bool filter_linear, normalize_values, normalize_coordinates, is_srgb;
    float border[4];
};
PROACT_API enum proact_status proact_texture_create(struct proact *p,
                                                    const struct proact_texture *texture,
                                                    uint64_t *handle,
                                                    struct proact_error *err);
/* Waits, both. A handle that is none is nothing. */
PROACT_API void proact_texture_destroy(struct proact *p, uint64_t handle);
PROACT_API enum proact_status proact_surface_create(struct proact *p,
                                                    struct proact_texture_array *texels,
                                                    uint64_t *handle,
                                                    struct proact_error *err);
PROACT_API void proact_surface_destroy(struct proact *p, uint64_t handle);

#ifdef __cplusplus
}
#endif
