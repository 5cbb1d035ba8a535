/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture arrays, texture objects and surface objects on device 0, for programs of
   <proact/program.h>. In a split launch each device receives a texture of its own in place
   of a handle among the parameters: of its replica of the memory, or of a copy of the
   texture array, which the launch renews if it is outdated. A plain kernel with surfaces
   executes on device 0. PROACT_EREFUSED, of all calls: the machine has no textures.
   PROACT_EINVAL, of all calls: a recording is in progress. */

#include <proact/program.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Texture arrays (CUDA arrays) ---- */

/* Format of a texel. */
enum proact_texel_type { PROACT_TEXEL_SIGNED, PROACT_TEXEL_UNSIGNED, PROACT_TEXEL_FLOAT };
struct proact_texel_format {
    enum proact_texel_type kind;
    unsigned bits, channels; /* bits of a channel: 8, 16, 32 (floats 16, 32); 1, 2 or 4 */
};

/* Shape of a texture array. */
struct proact_texture_array_shape {
    size_t width, height, depth; /* texels; height or depth 0: the dimension is absent */
    size_t layers;               /* 0: not layered; a layer of a cube has 6 faces */
    bool is_cube, allows_gather;
    bool allows_surfaces; /* passed to the driver; surfaces of other arrays may also work */
    struct proact_texel_format texel;
};

/* Texture array on device 0; the session owns it. PROACT_EINVAL: an invalid shape or
   format. PROACT_ENOSPACE: device memory is exhausted. */
struct proact_texture_array;
PROACT_API enum proact_status proact_texture_array_create(
    struct proact *p, const struct proact_texture_array_shape *shape,
    struct proact_texture_array **out, struct proact_error *err);
/* Waits for all work, then frees the array. Its textures and surfaces become invalid. NULL
   is allowed. */
PROACT_API void proact_texture_array_destroy(struct proact_texture_array *t);

/* End of a copy: texels of an array from (x, y, z), or memory of the host or of device 0
   from an address. A slice is a layer, a face of a cube, or a plane of a 3-D array. */
struct proact_copy_3d_end {
    struct proact_texture_array *array; /* NULL: memory */
    size_t x, y, z;                     /* array: bytes, row, slice */
    uint64_t address;                   /* memory */
    bool is_host;
    size_t pitch, slice_pitch; /* memory: bytes from row to row, from slice to slice */
};
/* Copy of `slices` slices of `rows` rows of `bytes` bytes. */
struct proact_copy_3d {
    struct proact_copy_3d_end to, from;
    size_t bytes, rows, slices;
};
/* Queues a copy in the order of all other operations; a copy to host memory waits.
   PROACT_EINVAL: the copy exceeds an end, memory of device 0 is not in one array, or a
   pitch is too small. */
PROACT_API enum proact_status proact_copy_3d(struct proact *p,
                                             const struct proact_copy_3d *copy,
                                             struct proact_error *err);

/* ---- Texture and surface objects ---- */

/* Addressing of coordinates outside the texture, with the meaning of CUDA's names. */
enum proact_address_mode {
    PROACT_ADDRESS_WRAP,
    PROACT_ADDRESS_CLAMP,
    PROACT_ADDRESS_MIRROR,
    PROACT_ADDRESS_BORDER
};
/* Texture object of a texture array, or of memory of device 0. */
struct proact_texture {
    struct proact_texture_array *array; /* NULL: memory, with the next three lines */
    uint64_t address;
    size_t width, height, pitch; /* texels, rows, bytes; height 0: linear, read by index */
    struct proact_texel_format texel;
    enum proact_address_mode address_mode[3];
    /* linear interpolation; integers read as 0 .. 1 or -1 .. 1; coordinates from 0 to 1 */
    bool filter_linear, normalize_values, normalize_coordinates, is_srgb;
    float border[4];
};
/* Creates a texture object and returns the handle that kernels take. PROACT_EINVAL: the
   memory is not in one array, or a filter or normalization does not suit the format.
   PROACT_EREFUSED: the memory is a distributed array. */
PROACT_API enum proact_status proact_texture_create(struct proact *p,
                                                    const struct proact_texture *texture,
                                                    uint64_t *handle,
                                                    struct proact_error *err);
/* Waits for all work, then destroys the object. An unknown handle is ignored. */
PROACT_API void proact_texture_destroy(struct proact *p, uint64_t handle);
/* The same calls for surface objects, which read and write a texture array. */
PROACT_API enum proact_status proact_surface_create(struct proact *p,
                                                    struct proact_texture_array *array,
                                                    uint64_t *handle,
                                                    struct proact_error *err);
PROACT_API void proact_surface_destroy(struct proact *p, uint64_t handle);

#ifdef __cplusplus
}
#endif
