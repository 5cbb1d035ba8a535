/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A libcuda.so.1 without a GPU, for tests: the calls of device/cuda/driver/driver.def on
   host memory. Streams are queues that advance whenever their state is queried. The
   component `execute` executes the PTX of kernels. The environment configures it:
   FAKE_CUDA_DEVICES=2           number of devices; 0: cuInit returns 100
   FAKE_CUDA_NAMES=A,B           names of the devices; the last one repeats
   FAKE_CUDA_MEMORY=268435456    bytes per device
   FAKE_CUDA_PEERS=0>1,1>0       peer access; default all, "none": no access
   FAKE_CUDA_VERSION=13000       version of the driver
   FAKE_CUDA_ATTRIBUTES=20=3,75=8    attributes of all devices, by number
   FAKE_CUDA_OPEN_MS=100         time to open the context of a device
   FAKE_CUDA_FAIL=NAME:N:RESULT  the Nth call of NAME returns RESULT. A fault (700 to 719),
   46 or 214 is then returned by every later call on a device's memory, streams or modules.
   A second build omits symbols, as old drivers do (tests.cmake). */

#include <stdbool.h>

#include "device/cuda/driver/driver.h"
#include "execute/execute.h"

enum { FAKE_DEVICES_MAX = 16, FAKE_CALLS_MAX = 112 };
enum {
    FAKE_SMS = 4,
    FAKE_CTAS_PER_SM = 8, /* for any kernel with enough shared memory */
    FAKE_CTA_THREADS = 1024,
    FAKE_SHARED_PER_SM = 98304,
    FAKE_REGISTERS = 40, /* of every kernel */
};

enum {
    FAKE_ENDED = 4, /* the process exits, after the driver's own exit */
    FAKE_INVALID_CONTEXT = 201,
    FAKE_ILLEGAL_ADDRESS = 700,
    FAKE_ALREADY_REGISTERED = 712,
    FAKE_NOT_REGISTERED = 713,
    FAKE_LAUNCH_FAILED = 719,
    FAKE_LATE = 800, /* internal: the driver would wait */
    FAKE_CAPTURE_UNSUPPORTED = 900,
    FAKE_CAPTURE_UNJOINED = 904,
    FAKE_CAPTURE_ISOLATION = 907,
};

struct CUctx_st {
    unsigned device, holders;
    bool reaches[FAKE_DEVICES_MAX]; /* enabled */
    size_t stack_bytes;             /* per thread */
    bool has_calls;                 /* the support for printing is loaded */
};

/* A range of addresses and the devices with access to it. */
struct fake_memory {
    unsigned char *address;
    size_t bytes, mapped_bytes;
    unsigned owner;
    bool may_use[FAKE_DEVICES_MAX];
    bool is_mapped, is_host, is_registered;
    cu_physical physical;
    struct fake_memory *next;
};

struct fake_physical {
    cu_physical handle;
    size_t bytes;
    unsigned owner;
    struct fake_physical *next;
};

struct CUmod_st {
    unsigned device;
    struct ptx_module *ptx;
    struct execute_program *program;
    struct fake_memory *variables;
    struct CUfunc_st *functions;
};

struct CUfunc_st {
    struct CUmod_st *module;
    const struct execute_kernel *kernel;
    bool waits;              /* starts with a wait for the preceding kernel */
    bool lets;               /* starts with a trigger for the next kernel */
    bool has_large_clusters; /* allowed */
    struct CUfunc_st *next;
};

struct CUevent_st {
    uint64_t recorded, done; /* the last queued record, the last executed one */
    uint64_t done_ns;
    struct CUgraph_st *capture; /* capture of the last record */
    size_t mark;                /* number of that record's mark */
    bool has_time;
};

enum fake_kind {
    FAKE_COPY,
    FAKE_FILL,
    FAKE_RECORD,
    FAKE_WAIT,
    FAKE_MARK, /* a record and a wait inside a graph */
    FAKE_WAIT_MARK,
    FAKE_WAIT_VALUE,
    FAKE_WRITE_VALUE,
    FAKE_LAUNCH,
    FAKE_GRAPH,
    FAKE_HOST,
};

struct fake_op {
    enum fake_kind kind;
    unsigned device;
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;                      /* or the number of a mark */
    size_t rows, to_pitch, from_pitch; /* of a copy: repetitions of `bytes` */
    uint32_t value;                    /* of a launch: the next kernel may start early */
    bool is_plain;                     /* a launch without children */
    struct CUevent_st *event;
    uint64_t record;
    struct fake_launch *launch; /* owned */
    struct CUgraph_st *graph;   /* owned by its exec */
    struct fake_run *run;       /* of a running graph; owned */
    struct fake_host *host;     /* owned */
    struct fake_op *next;
};

struct fake_queue {
    struct fake_op *first, *last;
};

struct CUstream_st {
    unsigned device;
    bool is_default;        /* the default stream of its context */
    bool is_blocking;       /* ordered with the default stream */
    struct CUevent_st mark; /* progress at the last order with the default stream */
    struct fake_queue queue;
    struct CUgraph_st *capture; /* destination of captured operations */
    unsigned lane;              /* lane of the capture */
    struct CUstream_st *next;
};

enum { FAKE_LANES_MAX = 128 };

struct CUgraph_st {
    struct fake_queue lane[FAKE_LANES_MAX];
    struct CUstream_st *stream[FAKE_LANES_MAX];
    unsigned lanes;
    size_t marks;
    cu_graph_node after; /* result of cuStreamGetCaptureInfo_v3() */
};

struct CUgraphExec_st {
    struct CUgraph_st *graph;
};

struct fake_cuda {
    bool is_open;
    bool ends, has_ended; /* at exit: every call then returns FAKE_ENDED */
    unsigned count;
    unsigned queues; /* hardware queues per device */
    cu_result lost;  /* result of every call from now on */
    struct CUctx_st contexts[FAKE_DEVICES_MAX];
    size_t used[FAKE_DEVICES_MAX];
    struct fake_memory *memory;
    struct fake_physical *physical;
    cu_physical physical_next;
    struct CUstream_st *streams;
    uint64_t work_ns;    /* clock of events: advances with executed work */
    unsigned left;       /* objects that are not freed */
    bool is_cooperative; /* the launch in progress */
    uint32_t cluster[3]; /* of that launch; 0: the kernel's own */
    unsigned early;      /* launches that wait for their predecessor themselves */
    struct {
        const char *name;
        unsigned calls;
    } calls[FAKE_CALLS_MAX];
};

/* The stack of current contexts of a thread. */
struct fake_thread {
    struct CUctx_st *current[64];
    unsigned depth, kept; /* kept: number of contexts set without a pop */
    unsigned turns;       /* depth of nested calls */
};

/* fake_cuda.c */
struct fake_cuda *fake_cuda(void);
struct fake_thread *fake_thread(void);
/* Lock of every call: one thread at a time executes driver code. */
struct fake_turn {
    char unused;
};
struct fake_turn fake_turn_begin(void);
void fake_turn_end(struct fake_turn *turn);
#define FAKE_ALONE                                                                         \
    __attribute__((cleanup(fake_turn_end), unused)) struct fake_turn turn =                \
        fake_turn_begin()
/* Start of a call: counts it and returns a configured failure. `call` is __func__.
   fake_enter also requires a context and a device that is not lost. */
cu_result fake_count(const char *call);
cu_result fake_enter(const char *call);
unsigned fake_device(void); /* device of the current context */
size_t fake_device_bytes(void);

/* fake_cuda_memory.c: the range with these bytes that the device may access, or NULL. */
struct fake_memory *fake_find(unsigned device, const void *address, size_t bytes);
struct fake_memory *fake_add(unsigned device, size_t bytes);
void fake_drop(struct fake_memory *m);

/* fake_cuda_queue.c */
void fake_queue(struct CUstream_st *s, struct fake_op op);
/* Without advancing the queues. */
void fake_append(struct CUstream_st *s, struct fake_op op);
/* Advances every queue as far as possible; kernels execute a few instructions. */
cu_result fake_go_on(void);
/* Waits until no stream is blocked on a word. Returns FAKE_LATE if that never happens. */
cu_result fake_await_words(void);
cu_result fake_drain(struct CUstream_st *s); /* until the queue is empty */
bool fake_queue_go_on(struct fake_queue *q, struct fake_run *run);
void fake_queue_clear(struct fake_queue *q);

/* fake_cuda_default.c: the stream of a handle, which may be a constant for the current
   context's default stream. */
struct CUstream_st *fake_stream(cu_stream handle);
/* Orders later operations of `later` after the present ones of `earlier`. */
void fake_meet(struct CUstream_st *later, struct CUstream_st *earlier);
/* Orders an operation of the default stream with all blocking streams. */
void fake_meet_before(struct CUstream_st *s);
void fake_meet_behind(struct CUstream_st *s);
void fake_defaults_clear(void);

/* fake_cuda_graph.c: returns whether the graph has ended. */
bool fake_graph_go_on(struct fake_op *op);
bool fake_host_go_on(struct fake_host *host);
void fake_host_destroy(struct fake_host *host); /* waits; NULL is allowed */
void fake_run_destroy(struct fake_run *run);
bool *fake_run_marks(struct fake_run *run);

/* fake_cuda_texels.c: the texture of a handle for kernels of that device. */
const struct execute_texture *fake_texture(unsigned device, uint64_t handle,
                                           const char **why);

/* fake_cuda_launch.c: returns whether the kernel has ended. */
bool fake_launch_go_on(struct fake_launch *l);
struct fake_launch *fake_launch_again(const struct fake_launch *l);
void fake_launch_change(struct fake_launch *l, const struct cu_kernel_node *what);
void fake_launch_destroy(struct fake_launch *l);

/* Extensions of the driver's interface: number of objects that are not freed, including
   current contexts. */
__attribute__((visibility("default"))) unsigned fake_cuda_left(void);
/* Launches since the reset that wait for their predecessor themselves. */
__attribute__((visibility("default"))) unsigned fake_cuda_early(void);
__attribute__((visibility("default"))) unsigned fake_cuda_calls(const char *call);
/* Resets to the freshly loaded state and reads the environment. No object may be open. */
__attribute__((visibility("default"))) void fake_cuda_reset(void);

#define DRIVER(name, symbol, parameters)                                                   \
    __attribute__((visibility("default"))) cu_result symbol parameters;
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
