/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A libcuda.so.1 without a GPU, for tests: the calls of device/cuda/driver/driver.def over
   host memory. Streams are queues that run whenever somebody asks how far they are; a
   kernel's PTX is executed by the room `execute`. It is set up by the environment:

   FAKE_CUDA_DEVICES=2           how many; 0: cuInit answers 100
   FAKE_CUDA_NAMES=A,B           the devices' names; the last one is the rest's, too
   FAKE_CUDA_MEMORY=268435456    bytes of each
   FAKE_CUDA_PEERS=0>1,1>0       who reaches whom; without it all do, "none": nobody
   FAKE_CUDA_VERSION=13000       of the driver
   FAKE_CUDA_ATTRIBUTES=20=3,75=8    of all devices, by number
   FAKE_CUDA_OPEN_MS=100         that opening a device's context takes
   FAKE_CUDA_FAIL=NAME:N:RESULT  the Nth call of NAME answers RESULT; if that is a fault
                                 (700 to 719) or 46 or 214, so does every later call that
                                 touches a device's memory, streams or modules

   A second build of it lacks symbols, as old drivers do (tests.cmake). */

#include <stdbool.h>

#include "device/cuda/driver/driver.h"
#include "execute/execute.h"

enum { FAKE_DEVICES_MAX = 16, FAKE_CALLS_MAX = 112 };
enum {
    FAKE_SMS = 4,
    FAKE_CTAS_PER_SM = 8, /* of any kernel, where it has the shared memory */
    FAKE_CTA_THREADS = 1024,
    FAKE_SHARED_PER_SM = 98304,
    FAKE_REGISTERS = 40, /* of every kernel */
};

enum {
    FAKE_ENDED = 4, /* the process is at its end, and the driver has gone first */
    FAKE_INVALID_CONTEXT = 201,
    FAKE_ILLEGAL_ADDRESS = 700,
    FAKE_ALREADY_REGISTERED = 712,
    FAKE_NOT_REGISTERED = 713,
    FAKE_LAUNCH_FAILED = 719,
    FAKE_LATE = 800, /* no answer of the driver's: it would wait */
    FAKE_CAPTURE_UNSUPPORTED = 900,
    FAKE_CAPTURE_UNJOINED = 904,
    FAKE_CAPTURE_ISOLATION = 907,
};

struct CUctx_st {
    unsigned device, holders;
    bool reaches[FAKE_DEVICES_MAX]; /* enabled */
    size_t stack_bytes;             /* of a thread */
    bool has_calls;                 /* what printing needs is there */
};

/* A range of addresses, and who is let in. */
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
    bool waits;              /* first of all, for the kernel ahead of it */
    bool lets;               /* the one behind it onto the device at once */
    bool has_large_clusters; /* allowed */
    struct CUfunc_st *next;
};

struct CUevent_st {
    uint64_t recorded, done; /* the last record queued, the last one that ran */
    uint64_t done_ns;
    struct CUgraph_st *capture; /* the last record was captured there, ... */
    size_t mark;                /* ... as this one of its marks */
    bool has_time;
};

enum fake_kind {
    FAKE_COPY,
    FAKE_FILL,
    FAKE_RECORD,
    FAKE_WAIT,
    FAKE_MARK, /* record and wait, inside a graph */
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
    size_t bytes;                      /* or a mark's number */
    size_t rows, to_pitch, from_pitch; /* of a copy: so many times the bytes */
    uint32_t value; /* of a launch: it lets the next one onto the device */
    bool is_plain;  /* a launch that surely has no children */
    struct CUevent_st *event;
    uint64_t record;
    struct fake_launch *launch; /* owned */
    struct CUgraph_st *graph;   /* owned by its exec */
    struct fake_run *run;       /* of the graph, while it runs; owned */
    struct fake_host *host;     /* owned */
    struct fake_op *next;
};

struct fake_queue {
    struct fake_op *first, *last;
};

struct CUstream_st {
    unsigned device;
    bool is_default;  /* of its context, on which nobody waits but the blocking ones */
    bool is_blocking; /* on the default one */
    struct CUevent_st mark; /* how far it was when the two met last */
    struct fake_queue queue;
    struct CUgraph_st *capture; /* what is queued goes there ... */
    unsigned lane;              /* ... into this queue */
    struct CUstream_st *next;
};

enum { FAKE_LANES_MAX = 128 };

struct CUgraph_st {
    struct fake_queue lane[FAKE_LANES_MAX];
    struct CUstream_st *stream[FAKE_LANES_MAX];
    unsigned lanes;
    size_t marks;
};

struct CUgraphExec_st {
    struct CUgraph_st *graph;
};

struct fake_cuda {
    bool is_open;
    bool ends, has_ended; /* with the process: every call answers FAKE_ENDED from then on */
    unsigned count;
    unsigned queues; /* of a device */
    cu_result lost;  /* every call answers so from now on */
    struct CUctx_st contexts[FAKE_DEVICES_MAX];
    size_t used[FAKE_DEVICES_MAX];
    struct fake_memory *memory;
    struct fake_physical *physical;
    cu_physical physical_next;
    struct CUstream_st *streams;
    uint64_t work_ns;    /* what events tell: a clock that goes on with the work alone */
    unsigned left;       /* objects that somebody has yet to give back */
    bool is_cooperative; /* the launch that is being made */
    uint32_t cluster[3]; /* of it; 0: what the kernel was built for */
    unsigned early;      /* launches that wait themselves for the kernel ahead of them */
    struct {
        const char *name;
        unsigned calls;
    } calls[FAKE_CALLS_MAX];
};

/* The contexts that a thread has made current. */
struct fake_thread {
    struct CUctx_st *current[64];
    unsigned depth, kept; /* kept: of them, for good */
    unsigned turns;       /* calls within calls */
};

/* fake_cuda.c */
struct fake_cuda *fake_cuda(void);
struct fake_thread *fake_thread(void);
/* At the head of each call: threads take turns. */
struct fake_turn {
    char unused;
};
struct fake_turn fake_turn_begin(void);
void fake_turn_end(struct fake_turn *turn);
#define FAKE_ALONE                                                                         \
    __attribute__((cleanup(fake_turn_end), unused)) struct fake_turn turn =                \
        fake_turn_begin()
/* What a call begins with: counts it and answers what it must fail with. `call` is
   __func__. fake_enter also wants a context and a device that is not lost. */
cu_result fake_count(const char *call);
cu_result fake_enter(const char *call);
unsigned fake_device(void); /* the current context's */
size_t fake_device_bytes(void);

/* fake_cuda_memory.c: the range that holds these bytes and lets this device in, or NULL. */
struct fake_memory *fake_find(unsigned device, const void *address, size_t bytes);
struct fake_memory *fake_add(unsigned device, size_t bytes);
void fake_drop(struct fake_memory *m);

/* fake_cuda_queue.c */
void fake_queue(struct CUstream_st *s, struct fake_op op);
void fake_append(struct CUstream_st *s, struct fake_op op); /* and nothing else */
/* Each queue goes on as far as it can now; kernels go on a little. */
cu_result fake_go_on(void);
/* Until no stream stands at a word, or FAKE_LATE: what would wait for that for ever. */
cu_result fake_await_words(void);
cu_result fake_drain(struct CUstream_st *s); /* until nothing is queued there */
bool fake_queue_go_on(struct fake_queue *q, struct fake_run *run);
void fake_queue_clear(struct fake_queue *q);

/* fake_cuda_default.c: the stream that a handle means, which may be no pointer but a word
   for the current context's default stream. */
struct CUstream_st *fake_stream(cu_stream handle);
/* What is queued there later comes after what the other has now. */
void fake_meet(struct CUstream_st *later, struct CUstream_st *earlier);
/* Before and behind an operation of the default stream: with all blocking ones. */
void fake_meet_before(struct CUstream_st *s);
void fake_meet_behind(struct CUstream_st *s);
void fake_defaults_clear(void);

/* fake_cuda_graph.c: whether the graph has run to its end. */
bool fake_graph_go_on(struct fake_op *op);
bool fake_host_go_on(struct fake_host *host);
void fake_host_destroy(struct fake_host *host); /* waits; NULL is fine */
void fake_run_destroy(struct fake_run *run);
bool *fake_run_marks(struct fake_run *run);

/* fake_cuda_texels.c: what kernels of that device find by a handle. */
const struct execute_texture *fake_texture(unsigned device, uint64_t handle,
                                           const char **why);

/* fake_cuda_launch.c: whether the kernel has ended. */
bool fake_launch_go_on(struct fake_launch *l);
struct fake_launch *fake_launch_again(const struct fake_launch *l);
void fake_launch_destroy(struct fake_launch *l);

/* Beside the driver's own calls: how much is not given back, contexts that are current
   among it. */
__attribute__((visibility("default"))) unsigned fake_cuda_left(void);
/* Launches since then that wait themselves for the kernel ahead of them. */
__attribute__((visibility("default"))) unsigned fake_cuda_early(void);
__attribute__((visibility("default"))) unsigned fake_cuda_calls(const char *call);
/* As freshly loaded: the environment is read anew. Nothing may be open. */
__attribute__((visibility("default"))) void fake_cuda_reset(void);

#define DRIVER(name, symbol, parameters)                                                   \
    __attribute__((visibility("default"))) cu_result symbol parameters;
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
