/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The part of the CUDA 13 driver ABI that programs use: our own declarations for everything
   that differs from the runtime (cuda_abi.h). Driver results have the numbers of the
   runtime's errors. tests/proactcc/ compares the declarations with NVIDIA's. */

#include "rt/abi/cuda_abi.h"
#include "rt/abi/graph_calls.h"
#include "rt/abi/pool_calls.h"
#include "rt/abi/texture_calls.h"

/* Our calls have the driver's names in C and other names for the linker. A program that
   does not link the driver's library therefore contains none of the driver's symbols. */
#define DRIVER_API(name) RT_API enum cuda_error name
#define DRIVER_NAME(name) __asm__("proactrt_" #name)

struct cuda_context;
struct cuda_module; /* a CUmodule and a CUlibrary */
struct cuda_linking;

enum { DRIVER_MEMORY_HOST = 1, DRIVER_MEMORY_DEVICE, DRIVER_MEMORY_ARRAY };

struct driver_place {
    int type;
    const void *host;
    uint64_t device;
    struct cuda_array *array;
};
struct driver_copy_2d {
    size_t from_x, from_y;
    struct driver_place from;
    size_t from_pitch;
    size_t to_x, to_y;
    struct driver_place to;
    size_t to_pitch;
    size_t width, height;
};
struct driver_copy_3d {
    size_t from_x, from_y, from_z, from_level;
    struct driver_place from;
    void *from_context;
    size_t from_pitch, from_height;
    size_t to_x, to_y, to_z, to_level;
    struct driver_place to;
    void *to_context;
    size_t to_pitch, to_height;
    size_t width, height, depth;
};

struct driver_array {
    size_t width, height;
    int format;
    unsigned channels;
};
struct driver_array_3d {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct driver_resource {
    int type; /* CUDA_RESOURCE_... */
    union {
        struct cuda_array *array;
        struct {
            uint64_t place;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            uint64_t place;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
};
enum {
    DRIVER_READ_AS_INTEGER = 1,
    DRIVER_NORMALIZED = 2,
    DRIVER_SRGB = 0x10,
    DRIVER_NOT_OPTIMIZED = 0x20,
    DRIVER_SEAMLESS = 0x40
};
struct driver_texture {
    int address_mode[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most, border[4];
    int reserved[12];
};

struct driver_launch {
    unsigned grid[3], block[3], shared_bytes;
    struct cuda_stream *stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};
struct driver_kernel_node {
    struct cuda_kernel_node node;
    struct cuda_kernel *kernel;
    struct cuda_context *context;
};

struct driver_properties {
    int threads_per_block, block[3], grid[3], shared_bytes, const_bytes, warp_size, pitch,
        registers, clock_khz, texture_alignment;
};

/* Options for loading a module and for linking. */
enum {
    DRIVER_JIT_WALL_TIME = 2,
    DRIVER_JIT_INFO,
    DRIVER_JIT_INFO_BYTES,
    DRIVER_JIT_ERROR,
    DRIVER_JIT_ERROR_BYTES,
    DRIVER_JIT_SYMBOL_NAMES = 17,
    DRIVER_JIT_SYMBOL_ADDRESSES
};
enum { DRIVER_INPUT_PTX = 1, DRIVER_INPUT_FAT_BINARY };
