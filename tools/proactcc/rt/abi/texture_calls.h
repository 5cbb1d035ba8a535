/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CUDA arrays, texture and surface objects: the implemented calls. */

#include <proact/texture.h>

#include "rt/abi/cuda_abi.h"

struct rt;
struct cuda_array;
typedef unsigned long long cuda_object;

enum {
    CUDA_ARRAY_LAYERED = 1,
    CUDA_ARRAY_SURFACES = 2,
    CUDA_ARRAY_CUBE = 4,
    CUDA_ARRAY_GATHER = 8
};
enum {
    CUDA_RESOURCE_ARRAY,
    CUDA_RESOURCE_MIPMAPPED,
    CUDA_RESOURCE_LINEAR,
    CUDA_RESOURCE_PITCHED
};

struct cuda_resource {
    int type;
    union {
        struct cuda_array *array;
        struct {
            void *pointer;
            struct cuda_channel channel;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            struct cuda_channel channel;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
};

struct cuda_texture {
    int address_mode[3], filter, reads, is_srgb;
    float border[4];
    int has_normalized_coordinates;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int is_not_optimized, is_seamless;
};

struct cuda_resource_view {
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};

/* rt_texels.c: a copy with an array at one or both ends, and lookups of arrays. */
enum cuda_error rt_copy_texels(struct rt *rt, const struct cuda_copy_3d *copy);
struct proact_texture_array *rt_texels_of(struct rt *rt, const struct cuda_array *array);
enum cuda_error rt_texel_of(const struct cuda_array *array,
                            struct proact_texel_format *out);
/* As rt_error(), but a refusal is only printed; the program may continue. */
enum cuda_error rt_texels_error(struct rt *rt, enum proact_status status,
                                const struct proact_error *err);
/* cudaErrorInvalidChannelDescriptor if no such texel format exists. */
enum cuda_error rt_texel(const struct cuda_channel *channel,
                         struct proact_texel_format *out);

RT_API enum cuda_error cudaMallocArray(struct cuda_array **out,
                                       const struct cuda_channel *channel, size_t width,
                                       size_t height, unsigned flags);
RT_API enum cuda_error cudaMalloc3DArray(struct cuda_array **out,
                                         const struct cuda_channel *channel,
                                         struct cuda_extent extent, unsigned flags);
RT_API enum cuda_error cudaFreeArray(struct cuda_array *array);
RT_API enum cuda_error cudaArrayGetInfo(struct cuda_channel *channel,
                                        struct cuda_extent *extent, unsigned *flags,
                                        struct cuda_array *array);
RT_API enum cuda_error cudaGetChannelDesc(struct cuda_channel *out,
                                          const struct cuda_array *array);

/* rt_texels_calls.c */
RT_API enum cuda_error cudaMemcpy2DToArray(struct cuda_array *to, size_t x, size_t y,
                                           const void *from, size_t pitch, size_t width,
                                           size_t height, enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpy2DToArrayAsync(struct cuda_array *to, size_t x, size_t y,
                                                const void *from, size_t pitch,
                                                size_t width, size_t height,
                                                enum cuda_copy_kind kind,
                                                struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpy2DFromArray(void *to, size_t pitch,
                                             const struct cuda_array *from, size_t x,
                                             size_t y, size_t width, size_t height,
                                             enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpy2DFromArrayAsync(void *to, size_t pitch,
                                                  const struct cuda_array *from, size_t x,
                                                  size_t y, size_t width, size_t height,
                                                  enum cuda_copy_kind kind,
                                                  struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpy2DArrayToArray(struct cuda_array *to, size_t to_x,
                                                size_t to_y, const struct cuda_array *from,
                                                size_t from_x, size_t from_y, size_t width,
                                                size_t height, enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpyToArray(struct cuda_array *to, size_t x, size_t y,
                                         const void *from, size_t bytes,
                                         enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpyToArrayAsync(struct cuda_array *to, size_t x, size_t y,
                                              const void *from, size_t bytes,
                                              enum cuda_copy_kind kind,
                                              struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpyFromArray(void *to, const struct cuda_array *from,
                                           size_t x, size_t y, size_t bytes,
                                           enum cuda_copy_kind kind);
RT_API enum cuda_error cudaMemcpyFromArrayAsync(void *to, const struct cuda_array *from,
                                                size_t x, size_t y, size_t bytes,
                                                enum cuda_copy_kind kind,
                                                struct cuda_stream *stream);
RT_API enum cuda_error cudaMemcpyArrayToArray(struct cuda_array *to, size_t to_x,
                                              size_t to_y, const struct cuda_array *from,
                                              size_t from_x, size_t from_y, size_t bytes,
                                              enum cuda_copy_kind kind);

/* rt_texture.c */
RT_API enum cuda_error cudaCreateTextureObject(cuda_object *out,
                                               const struct cuda_resource *resource,
                                               const struct cuda_texture *texture,
                                               const struct cuda_resource_view *view);
RT_API enum cuda_error cudaDestroyTextureObject(cuda_object object);
RT_API enum cuda_error cudaGetTextureObjectResourceDesc(struct cuda_resource *out,
                                                        cuda_object object);
RT_API enum cuda_error cudaGetTextureObjectTextureDesc(struct cuda_texture *out,
                                                       cuda_object object);
RT_API enum cuda_error cudaGetTextureObjectResourceViewDesc(struct cuda_resource_view *out,
                                                            cuda_object object);
RT_API enum cuda_error cudaCreateSurfaceObject(cuda_object *out,
                                               const struct cuda_resource *resource);
RT_API enum cuda_error cudaDestroySurfaceObject(cuda_object object);
RT_API enum cuda_error cudaGetSurfaceObjectResourceDesc(struct cuda_resource *out,
                                                        cuda_object object);
RT_API enum cuda_error cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *out, const struct cuda_channel *channel, int device);
