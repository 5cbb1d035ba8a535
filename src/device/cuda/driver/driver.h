/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* libcuda.so.1, opened at run time: programs start and emulate on machines without it.
   Types and constants are declared here, so that a build needs no toolkit;
   tests/device/driver_abi_test.c compares them with cuda.h where that is installed. */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

typedef int cu_result; /* this and the next seven: enums of the driver */
typedef int cu_device_attribute;
typedef int cu_peer_attribute;
typedef int cu_function_attribute;
typedef int cu_jit_option;
typedef int cu_jit_input;
typedef int cu_limit;
typedef int cu_capture_mode;
typedef int cu_capture_status;
typedef int cu_granularity;
typedef int cu_device;
typedef uint64_t cu_address;
typedef unsigned long long cu_physical;
typedef struct CUctx_st *cu_context;
typedef struct CUstream_st *cu_stream;
typedef struct CUevent_st *cu_event;
typedef struct CUmod_st *cu_module;
typedef struct CUfunc_st *cu_function;
typedef struct CUlinkState_st *cu_link;
typedef struct CUgraph_st *cu_graph;
typedef struct CUgraphExec_st *cu_graph_exec;
typedef struct CUgraphNode_st *cu_graph_node;
typedef struct CUarray_st *cu_array;
typedef void (*cu_host_function)(void *context);
typedef unsigned long long cu_object; /* handle of a texture or a surface */

enum {
    CU_INVALID_VALUE = 1,
    CU_OUT_OF_MEMORY = 2,
    CU_STUB = 34,
    CU_NO_DEVICE = 100,
    CU_INVALID_IMAGE = 200,
    CU_NO_BINARY = 209,
    CU_INVALID_PTX = 218,
    CU_UNSUPPORTED_PTX = 222,
    CU_NOT_FOUND = 500,
    CU_NOT_READY = 600,
    CU_LAUNCH_RESOURCES = 701,
    CU_COOPERATIVE_TOO_LARGE = 720,
    CU_INVALID_CLUSTER_SIZE = 912,
    CU_PEER_ALREADY_ENABLED = 704,
};
enum { /* attributes of a device */
       CU_THREADS_PER_BLOCK = 1,
       CU_PITCH_MAX = 11,
       CU_CLOCK_KHZ = 13,
       CU_SM_COUNT = 16,
       CU_COMPUTE_MODE = 20,
       CU_MEMORY_CLOCK_KHZ = 36,
       CU_MEMORY_BUS_BITS = 37,
       CU_L2_BYTES = 38,
       CU_THREADS_PER_SM = 39,
       CU_CAPABILITY_MAJOR = 75,
       CU_CAPABILITY_MINOR = 76,
       CU_SHARED_PER_SM = 81,
       CU_SHARED_PER_BLOCK = 97, /* opt-in per kernel */
       CU_MEMORY_MAPPING = 102,
       CU_BLOCKS_PER_SM = 106,
       CU_MULTICAST = 132,
};
enum { CU_PEER_ATOMICS = 3 }; /* attribute of two devices */
enum {                        /* compute modes */
       CU_MODE_PROHIBITED = 2,
       CU_MODE_EXCLUSIVE = 3,
};
enum {                          /* attributes of a kernel */
       CU_FUNCTION_THREADS = 0, /* largest CTA */
       CU_STATIC_SHARED_BYTES = 1,
       CU_CONST_BYTES = 2,
       CU_LOCAL_BYTES = 3, /* per thread */
       CU_REGISTERS = 4,   /* per thread */
       CU_DYNAMIC_SHARED_MAX = 8,
       CU_LARGE_CLUSTERS = 14, /* permits clusters of non-portable size */
};
enum {                     /* limits of a context */
       CU_STACK_BYTES = 0, /* per thread */
       CU_HEAP_BYTES = 2,  /* for malloc in kernels */
};
enum { /* options of module_load and link_create */
       CU_JIT_ERROR_LOG = 5,
       CU_JIT_ERROR_LOG_BYTES = 6,
};
enum { /* input types of a link */
       CU_LINK_PTX = 1,
       CU_LINK_LIBRARY = 4,
};
enum {
    CU_STREAM_BLOCKING = 0, /* synchronizes with the legacy default stream */
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_WITH_TIME = 0,
    CU_EVENT_WITHOUT_TIME = 2,
    CU_WAIT_AT_LEAST = 0,
    CU_WORD_WAIT = 1,
    CU_WORD_WRITE = 2,
    CU_LAUNCH_COOPERATIVE = 2,
    CU_LAUNCH_CLUSTER = 4,
    CU_LAUNCH_PROGRAMMATIC = 6, /* waits for the previous kernel itself */
    CU_LAUNCH_PRIORITY = 8,
    CU_GRAPH_PRIORITIES = 8, /* of graph nodes */
    CU_CAPTURE_RELAXED = 2,
    CU_HOST_PORTABLE = 1,
    CU_MANAGED_GLOBAL = 1,
    CU_PHYSICAL_PINNED = 1,
    CU_LOCATION_DEVICE = 1,
    CU_MEMORY_HOST = 1,
    CU_MEMORY_ARRAY = 3,
    CU_MEMORY_UNIFIED = 4, /* unified addressing */
    CU_ACCESS_READ_WRITE = 3,
    CU_GRANULARITY_MINIMUM = 0,
};
/* Legacy default stream of a context. */
#define CU_STREAM_OLD_DEFAULT ((cu_stream)1)
/* Keys of the array `extra` of a launch; each is followed by a pointer. */
#define CU_LAUNCH_END ((void *)0)
#define CU_LAUNCH_BUFFER ((void *)1)
#define CU_LAUNCH_BUFFER_BYTES ((void *)2)

struct cu_launch_attribute {
    int what;
    union {
        char room[64];
        int priority, cooperative, programmatic;
        unsigned cluster[3];
    } value __attribute__((aligned(8)));
};
struct cu_launch_config {
    unsigned grid[3], block[3], shared_bytes;
    cu_stream stream;
    struct cu_launch_attribute *attributes;
    unsigned attribute_count;
};

/* A kernel node of a graph. */
struct cu_kernel_node {
    cu_function function;
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
    void *kernel; /* used if `function` is NULL */
    cu_context context;
};
struct cu_edge; /* not read */

/* One of several memory operations that a stream receives in one call. */
union cu_word_op {
    int what;
    struct {
        int what;
        cu_address word;
        union {
            uint32_t value;
            uint64_t wide;
        };
        unsigned flags;
        cu_address alias;
    } at;
    uint64_t room[6];
};

/* 2D copy: `height` rows of `width` bytes. `x` and `y` are added to the address; for
   unified memory `device` is the address. */
struct cu_rows_end {
    size_t x, y;
    int memory;
    const void *host;
    cu_address device;
    void *array;
    size_t pitch;
};
struct cu_rows {
    struct cu_rows_end from, to;
    size_t width, height;
};

/* 3D copy: consecutive planes, with `rows` rows from one plane to the next; also for
   arrays. */
struct cu_box_end {
    size_t x, y, z, level;
    int memory;
    const void *host;
    cu_address device;
    cu_array array;
    cu_context context; /* for copies between devices, else NULL */
    size_t pitch, rows;
};
struct cu_box {
    struct cu_box_end from, to;
    size_t width, height, depth;
};
struct cu_peer_box {
    struct cu_box box;
};

enum { /* flags of arrays; formats of their channels; resource types of objects; read
          modes */
       CU_ARRAY_LAYERED = 1,
       CU_ARRAY_SURFACES = 2,
       CU_ARRAY_CUBE = 4,
       CU_ARRAY_GATHERED = 8,
       CU_UNSIGNED_8 = 1,
       CU_UNSIGNED_16 = 2,
       CU_UNSIGNED_32 = 3,
       CU_SIGNED_8 = 8,
       CU_SIGNED_16 = 9,
       CU_SIGNED_32 = 10,
       CU_FLOAT_16 = 16,
       CU_FLOAT_32 = 32,
       CU_OF_ARRAY = 0,
       CU_OF_LINE = 2,
       CU_OF_ROWS = 3,
       CU_READ_ELEMENTS = 1,
       CU_READ_NORMALIZED = 2, /* normalized coordinates */
       CU_READ_SRGB = 16,
};
struct cu_array_shape {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct cu_resource {
    int type;
    union {
        cu_array array;
        struct {
            cu_address address;
            int format;
            unsigned channels;
            size_t width, height, pitch; /* bytes between two lines */
        } memory;
        int room[32];
    } of;
    unsigned flags;
};
struct cu_sampler {
    int address_mode[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most, border[4];
    int room[12];
};

struct cu_location {
    int type, number;
};
struct cu_memory_kind {
    int type, handle_types;
    struct cu_location location;
    void *windows;
    struct {
        unsigned char compression, remote_dma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};
struct cu_memory_access {
    struct cu_location location;
    int access;
};

struct cu_view; /* resource view in another format; unused */

struct driver {
    void *library;
#define DRIVER(name, symbol, parameters) cu_result(*name) parameters;
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
};

/* Opens the driver. PROACT_ENODEV: there is none (d->library is NULL), or it is too old.
   The library stays open, since the driver keeps threads. */
enum proact_status driver_load(struct driver *d, struct proact_error *err);
/* The same, and initializes the driver. PROACT_ENODEV: there is no device. */
enum proact_status driver_open(struct driver *d, struct proact_error *err);
/* Hardware queues per device, by the environment (CUDA_DEVICE_MAX_CONNECTIONS). 0: the
   value is invalid, and a driver ignores it. The default stays: with 32 queues the creation
   of a context takes five times as long. */
enum { DRIVER_QUEUES = 8 };
unsigned driver_queues(void);
enum proact_status driver_start(const struct driver *d, cu_result *result,
                                struct proact_error *err);

/* Status for a result of the driver. */
enum proact_status driver_status(cu_result result);
/* "CUDA_ERROR_NAME (description)" */
struct driver_words {
    char text[160];
} driver_words(const struct driver *d, cu_result result);
