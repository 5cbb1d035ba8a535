/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The part of the CUDA 13 runtime ABI that programs use. The declarations are our own, so
   that no toolkit is needed. tests/proactcc/ compares them with NVIDIA's. */

#include <stddef.h>
#include <stdint.h>

#define RT_API __attribute__((visibility("default")))

enum { CUDA_VERSION_HERE = 13000 };

enum cuda_error {
#define ERROR(name, number, words) name = number,
#include "rt/abi/cuda_error.def"
#undef ERROR
};

struct cuda_dim3 {
    unsigned x, y, z;
};

struct cuda_stream;
struct cuda_event;
struct cuda_kernel; /* a cudaKernel_t and a cudaFunction_t */

/* Default streams: handles that are not pointers. */
#define CUDA_STREAM_LEGACY ((struct cuda_stream *)1)
#define CUDA_STREAM_PER_THREAD ((struct cuda_stream *)2)

enum cuda_copy_kind {
    CUDA_HOST_TO_HOST,
    CUDA_HOST_TO_DEVICE,
    CUDA_DEVICE_TO_HOST,
    CUDA_DEVICE_TO_DEVICE,
    CUDA_COPY_DEFAULT,
};

enum cuda_memory_type {
    CUDA_MEMORY_UNREGISTERED,
    CUDA_MEMORY_HOST,
    CUDA_MEMORY_DEVICE,
    CUDA_MEMORY_MANAGED,
};

struct cuda_pointer_attributes {
    enum cuda_memory_type type;
    int device;
    void *device_pointer, *host_pointer;
    long reserved[8];
};

struct cuda_function_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode_ca,
        max_dynamic_shared_bytes, preferred_carveout, cluster_must_be_set, cluster[3],
        cluster_policy, non_portable_cluster, reserved[16];
};

struct cuda_extent {
    size_t width, height, depth;
};
struct cuda_position {
    size_t x, y, z;
};
struct cuda_pitched {
    void *pointer;
    size_t pitch, width, height;
};
struct cuda_copy_3d {
    void *from_array;
    struct cuda_position from_position;
    struct cuda_pitched from;
    void *to_array;
    struct cuda_position to_position;
    struct cuda_pitched to;
    struct cuda_extent extent;
    enum cuda_copy_kind kind;
};

struct cuda_launch_attribute {
    int id;
    char pad[4];
    char value[64];
};
/* A stream attribute: the value of a launch attribute. */
enum { RT_STREAM_HINTS = 5 };
struct rt_stream_hint {
    uint64_t words[8];
};
struct cuda_launch_config {
    struct cuda_dim3 grid, block;
    size_t shared_bytes;
    struct cuda_stream *stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

struct cuda_memory_location {
    int type, id;
};

/* When a copy may read its source: in stream order, before the call returns, or at any
   time. */
enum cuda_copy_order { CUDA_COPY_IN_STREAM = 1, CUDA_COPY_IN_CALL, CUDA_COPY_ANY_TIME };

/* Attributes of batched copies. The locations are hints. */
struct cuda_copy_attributes {
    enum cuda_copy_order order;
    struct cuda_memory_location from, to;
    unsigned flags;
};

struct cuda_channel {
    int x, y, z, w, kind;
};

struct cuda_device_properties {
    char name[256], uuid[16], luid[8];
    unsigned luid_mask;
    size_t total_global_bytes, shared_bytes_per_block;
    int registers_per_block, warp_size;
    size_t pitch_max;
    int threads_per_block_max, block_max[3], grid_max[3];
    size_t const_bytes;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int sm_count, integrated, can_map_host;
    int textures[39]; /* sizes of textures and surfaces; 0 for mipmaps */
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, copy_engines,
        unified_addressing, memory_bus_bits, l2_bytes, persisting_l2_bytes_max,
        threads_per_sm_max, stream_priorities, global_l1, local_l1;
    size_t shared_bytes_per_sm;
    int registers_per_sm, managed_memory, is_multi_gpu_board, multi_gpu_board_group,
        host_native_atomics, pageable_access, concurrent_managed_access, compute_preemption,
        host_pointer_for_registered, cooperative_launch;
    size_t shared_bytes_per_block_optin;
    int pageable_by_host_tables, direct_managed_from_host, blocks_per_sm_max,
        access_policy_window_max;
    size_t reserved_shared_bytes_per_block;
    int host_register, sparse_arrays, host_register_read_only, timeline_semaphores,
        memory_pools, rdma;
    unsigned rdma_flush_options;
    int rdma_ordering;
    unsigned pool_handle_types;
    int deferred_mapping, ipc_events, cluster_launch, unified_function_pointers,
        numa_config, numa_id, mps, host_numa_id;
    unsigned pci_device_id, pci_subsystem_id;
    int host_numa_ipc, reserved[56];
};

/* The argument of __cudaRegisterFatBinary() in nvcc's stubs. */
struct cuda_fat_binary {
    uint32_t magic, version;
    const void *container;
    const void *const *objects; /* containers of linked objects, ended by NULL; or NULL */
};
