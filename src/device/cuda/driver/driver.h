/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* libcuda.so.1, opened at run time: a program starts, and emulates, on a machine without
   it. Types and numbers are declared here in our own words so that a build needs no
   toolkit; tests/device/driver_abi_test.c compares them with cuda.h where there is one. */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

typedef int cu_result; /* this and the next seven: an enum of the driver's */
typedef int cu_device_attribute;
typedef int cu_peer_attribute;
typedef int cu_function_attribute;
typedef int cu_jit_option;
typedef int cu_jit_input;
typedef int cu_limit;
typedef int cu_capture_mode;
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
typedef struct CUarray_st *cu_array;
typedef void (*cu_host_function)(void *context);
typedef unsigned long long cu_object; /* of a texture or a surface */

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
enum { /* of a device */
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
       CU_SHARED_PER_BLOCK = 97, /* with the kernel's consent */
       CU_MEMORY_MAPPING = 102,
       CU_BLOCKS_PER_SM = 106,
       CU_MULTICAST = 132,
};
enum { CU_PEER_ATOMICS = 3 }; /* of two devices */
enum {                        /* compute modes */
       CU_MODE_PROHIBITED = 2,
       CU_MODE_EXCLUSIVE = 3,
};
enum {                          /* of a kernel */
       CU_FUNCTION_THREADS = 0, /* of a CTA, at most */
       CU_STATIC_SHARED_BYTES = 1,
       CU_CONST_BYTES = 2,
       CU_LOCAL_BYTES = 3, /* of a thread */
       CU_REGISTERS = 4,   /* the same */
       CU_DYNAMIC_SHARED_MAX = 8,
       CU_LARGE_CLUSTERS = 14, /* more CTAs than every GPU has */
};
enum {                     /* of a context */
       CU_STACK_BYTES = 0, /* of a thread */
       CU_HEAP_BYTES = 2,  /* for malloc in kernels */
};
enum { /* options of module_load and link_create */
       CU_JIT_ERROR_LOG = 5,
       CU_JIT_ERROR_LOG_BYTES = 6,
};
enum { /* what is linked */
       CU_LINK_PTX = 1,
       CU_LINK_LIBRARY = 4,
};
enum {
    CU_STREAM_BLOCKING = 0, /* waits for the old default stream, and it for this one */
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_WITH_TIME = 0,
    CU_EVENT_WITHOUT_TIME = 2,
    CU_WAIT_AT_LEAST = 0,
    CU_WORD_WAIT = 1,
    CU_WORD_WRITE = 2,
    CU_LAUNCH_COOPERATIVE = 2,
    CU_LAUNCH_CLUSTER = 4,
    CU_LAUNCH_PROGRAMMATIC = 6, /* it waits itself for the kernel ahead of it */
    CU_LAUNCH_PRIORITY = 8,
    CU_GRAPH_PRIORITIES = 8, /* of its nodes */
    CU_CAPTURE_RELAXED = 2,
    CU_HOST_PORTABLE = 1,
    CU_MANAGED_GLOBAL = 1,
    CU_PHYSICAL_PINNED = 1,
    CU_LOCATION_DEVICE = 1,
    CU_MEMORY_HOST = 1,
    CU_MEMORY_ARRAY = 3,
    CU_MEMORY_UNIFIED = 4, /* the address says where it is */
    CU_ACCESS_READ_WRITE = 3,
    CU_GRANULARITY_MINIMUM = 0,
};
/* The default stream of a context, which the driver calls its legacy one. */
#define CU_STREAM_OLD_DEFAULT ((cu_stream)1)
/* What `extra` of a launch holds: pairs of these and a pointer. */
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

/* One of several on words of memory that a stream is given at once. */
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

/* Rows of bytes: `height` of `width`. `x` and `y` are added to a place; of unified memory
   `device` alone says where it is. */
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

/* Such rows in planes behind each other, `rows` of one's first row to the next's; of arrays
   too. */
struct cu_box_end {
    size_t x, y, z, level;
    int memory;
    const void *host;
    cu_address device;
    cu_array array;
    cu_context context; /* between devices, else NULL */
    size_t pitch, rows;
};
struct cu_box {
    struct cu_box_end from, to;
    size_t width, height, depth;
};
struct cu_peer_box {
    struct cu_box box;
};

enum { /* of an array; formats of its channels; what an object is of; how it is read */
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
       CU_READ_NORMALIZED = 2, /* coordinates */
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
            size_t width, height, pitch; /* of a line: its bytes, first */
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

struct cu_view; /* of memory in another format: never */

struct driver {
    void *library;
#define DRIVER(name, symbol, parameters) cu_result(*name) parameters;
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
};

/* PROACT_ENODEV without a driver (d->library is NULL then), or one that is too old. The
   library stays open for good: the driver keeps threads. */
enum proact_status driver_load(struct driver *d, struct proact_error *err);
/* The same, and starts it: PROACT_ENODEV without a device. */
enum proact_status driver_open(struct driver *d, struct proact_error *err);
/* How many hardware queues a device has, by the environment (CUDA_DEVICE_MAX_CONNECTIONS);
   0: that names no number that is possible, which a driver passes over. We leave it as it
   is: with 32 a context takes five times as long to make. */
enum { DRIVER_QUEUES = 8 };
unsigned driver_queues(void);
enum proact_status driver_start(const struct driver *d, cu_result *result,
                                struct proact_error *err);

/* Our status for a driver's result. */
enum proact_status driver_status(cu_result result);
/* "CUDA_ERROR_NAME (what it means)" */
struct driver_words {
    char text[160];
} driver_words(const struct driver *d, cu_result result);
