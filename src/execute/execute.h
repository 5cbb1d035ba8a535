/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Interpreter of PTX. It executes a warp at a time, 32 lanes per operation. It has no model
   of time, devices or links: the caller's `execute_host` provides global memory, ordering
   and clocks. A CTA is not thread-safe. CTAs of one program may run on several threads if
   each thread has its own execute_pool. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/ptx.h"

/* A module prepared for execution: its variables are laid out and its kernels decoded. It
   borrows the ptx_module. */
struct execute_program;

/* Fails with PROACT_EREFUSED if no kernel of the module can be executed. The message names
   opcode, kernel and line. For a single kernel see execute_kernel_refusal(). */
enum proact_status execute_program_create(const struct ptx_module *m,
                                          struct execute_program **out,
                                          struct proact_error *err);
/* The same for a device of a compute capability, as 70 for 7.0. A kernel with an
   instruction that such devices lack cannot be executed. */
enum proact_status execute_program_create_for(const struct ptx_module *m,
                                              unsigned capability,
                                              struct execute_program **out,
                                              struct proact_error *err);
void execute_program_destroy(struct execute_program *p);

/* Module variables (.global and .const) form one block. The caller allocates it on each
   device and passes its address at launch. execute_program_image() writes the initial
   content of a block at `address`. */
size_t execute_program_bytes(const struct execute_program *p);
void execute_program_image(const struct execute_program *p, uint64_t address, void *into);
/* The same for a block that is zero: writes only the variables with an initial value. */
void execute_program_initialize(const struct execute_program *p, uint64_t address,
                                void *into);
/* The module's largest variable, for messages. NULL: none has bytes. */
const char *execute_largest_variable(const struct execute_program *p, uint64_t *bytes);

/* Byte offset of a module variable in the block. Returns false if no variable has that
   name. */
bool execute_variable(const struct execute_program *p, const char *name, size_t *offset,
                      size_t *bytes);

/* True if a kernel launches kernels and thus calls execute_host.child_launch. */
bool execute_launches(const struct execute_program *p);
/* True if a kernel calls malloc or free and thus execute_host.heap_take and heap_give. */
bool execute_allocates(const struct execute_program *p);

struct execute_kernel; /* owned by its program */
const struct execute_kernel *execute_kernel_find(const struct execute_program *p,
                                                 const char *name);
/* Reason why a kernel of the module cannot be executed: one sentence with opcode, kernel
   and line. NULL if it can be executed or does not exist. execute_kernel_find() does not
   return such a kernel. */
const char *execute_kernel_refusal(const struct execute_program *p, const char *name);

struct execute_kernel_info {
    const char *name;
    uint32_t parameter_bytes, shared_bytes, local_bytes_per_thread;
    uint32_t max_threads;  /* .maxntid; 1024 by default */
    uint32_t cluster[3];   /* .reqnctapercluster; 0 by default */
    uint32_t max_cluster;  /* CTAs, .maxclusterrank; 0 by default */
    bool must_cluster;     /* .explicitcluster: every launch must specify clusters */
    uint32_t access_count; /* memory accesses are numbered from 0; see
                              execute_access.number */
};
struct execute_kernel_info execute_kernel_info(const struct execute_kernel *k);

enum { EXECUTE_CLUSTER_MAX = 16 }; /* CTAs of one cluster */

/* Windows of generic addresses of shared and local memory. No global address is in them. */
#define EXECUTE_SHARED_WINDOW 0x0000000001000000ull
#define EXECUTE_LOCAL_WINDOW 0x0000000010000000ull
#define EXECUTE_WINDOWS_END 0x0000000100000000ull

enum execute_kind { EXECUTE_LOAD, EXECUTE_STORE, EXECUTE_ATOMIC, EXECUTE_REDUCTION };
enum execute_order {
    EXECUTE_WEAK,
    EXECUTE_VOLATILE,
    EXECUTE_RELAXED,
    EXECUTE_ACQUIRE,
    EXECUTE_RELEASE,
    EXECUTE_ACQ_REL,
    EXECUTE_SC
};
enum execute_scope { EXECUTE_CTA, EXECUTE_GPU, EXECUTE_SYS };
/* Pattern of the active lanes' addresses. UNIT: contiguous in lane order, all 32 lanes
   active. HALVES: each half of the warp is contiguous. EQUAL: all equal. SCATTERED: any
   other pattern. */
enum execute_shape { EXECUTE_UNIT, EXECUTE_HALVES, EXECUTE_EQUAL, EXECUTE_SCATTERED };

struct execute_texture; /* texture.h */
struct execute_warp;
struct execute_cta;
struct execute_op; /* a decoded instruction */

/* A warp-wide access to global memory. */
struct execute_access {
    enum execute_kind kind;
    enum execute_order order;
    enum execute_scope scope;
    enum execute_shape shape;
    uint32_t mask;           /* active lanes, not 0 */
    uint32_t bytes;          /* of one lane, including all elements of a vector: 1..32 */
    uint32_t align;          /* alignment of every address */
    uint32_t ignored;        /* by bit: bytes of a load that the kernel does not use */
    uint32_t number;         /* of the instruction among the kernel's accesses */
    uint32_t line;           /* in the PTX */
    bool compares;           /* the atomic is a compare-and-swap */
    const uint64_t *address; /* 32 entries; valid for lanes in the mask */
};

/* cp.async.bulk from the CTA's shared memory to global memory, and its completion. A bulk
   group contains a thread's stores since its last COMMIT. */
enum execute_bulk_step {
    EXECUTE_BULK_STORE,
    EXECUTE_BULK_COMMIT,
    EXECUTE_BULK_WAIT,     /* until all groups of the thread but `pending` are complete */
    EXECUTE_BULK_WAIT_READ /* ... have read their source */
};
enum { EXECUTE_BULK_ALIGN = 16 }; /* alignment of both addresses and of the size */

struct execute_bulk {
    enum execute_bulk_step step;
    uint32_t mask, line, pending;
    /* For a store, valid for lanes in the mask. The sources are in bounds and keep their
       addresses while the CTA exists. Their contents may change. */
    const uint64_t *address;
    const uint32_t *bytes;
    const unsigned char *const *from;
};

enum execute_verdict {
    EXECUTE_GO,    /* the addresses are memory of this process: access them now */
    EXECUTE_DONE,  /* access() of a store: the host has performed it and needs no values */
    EXECUTE_TAKEN, /* access(): the host performs it: call remote(). remote(): the host has
                      performed it or called execute_complete(): continue */
    EXECUTE_WAIT,  /* access(): as TAKEN. remote(), fence(): the lanes wait until the host
                      calls execute_complete(), or has called it for some lanes */
    EXECUTE_FAULT, /* stop: the host has written the CTA's `fault`, or leaves the message to
                      the interpreter */
};

/* A grid that a thread launches (CUDA dynamic parallelism). */
struct execute_child {
    const struct execute_kernel *kernel;
    uint32_t grid[3], block[3], shared_bytes;
};

/* Callbacks for the device. All run on the thread that runs the CTA. */
struct execute_host {
    void *context;
    /* Called before every access to global memory. For a remote access, `operands` contains
       32 lanes of `bytes` each: the stored values or the atomic operands. The second
       operands of atom.cas follow all of these. NULL for loads. */
    enum execute_verdict (*access)(void *context, struct execute_warp *w,
                                   const struct execute_access *a);
    enum execute_verdict (*remote)(void *context, struct execute_warp *w,
                                   const struct execute_access *a,
                                   const struct execute_op *op,
                                   const unsigned char *operands);
    /* A fence or membar. EXECUTE_WAIT: the lanes wait for execute_complete() with NULL. */
    enum execute_verdict (*fence)(void *context, struct execute_warp *w, uint32_t mask,
                                  enum execute_order order, enum execute_scope scope,
                                  uint32_t line);
    /* Called after a non-relaxed atomic on shared memory. May be NULL. */
    void (*shared)(void *context, struct execute_warp *w, enum execute_order order);
    /* Called when all warps of the CTA have reached a barrier. May be NULL. */
    void (*barrier)(void *context, struct execute_cta *cta);
    /* Called when all threads of a cluster have reached its barrier, `w` last. `ctas` are
       its live CTAs. Those that were BLOCKED can run again. May be NULL. */
    void (*cluster)(void *context, struct execute_warp *w, struct execute_cta *const *ctas,
                    uint32_t count);
    uint64_t (*clock)(void *context, struct execute_warp *w);       /* cycles: %clock64 */
    uint64_t (*globaltimer)(void *context, struct execute_warp *w); /* ns */
    void (*print)(void *context, const char *text, size_t length);  /* printf of a kernel */
    /* EXECUTE_WAIT: the lanes wait for execute_complete() with NULL. May be NULL: a bulk
       store is then performed immediately as stores of 16 bytes. */
    enum execute_verdict (*bulk)(void *context, struct execute_warp *w,
                                 const struct execute_bulk *b);
    /* child_parameters() returns memory for the parameters of a child launch, or 0 if no
       more fits. child_launch() launches it and returns a CUDA error code or 0. NULL: child
       launches are not supported. */
    uint64_t (*child_parameters)(void *context, struct execute_warp *w,
                                 const struct execute_child *child);
    uint32_t (*child_launch)(void *context, struct execute_warp *w, uint64_t parameters);
    /* malloc and free of a thread. heap_take() returns 0 if the heap is full. heap_give()
       returns false if no block starts at the address. NULL: no heap. */
    uint64_t (*heap_take)(void *context, struct execute_warp *w, uint64_t bytes);
    bool (*heap_give)(void *context, struct execute_warp *w, uint64_t address);
    /* Texture or surface object of a handle, valid until the run of the CTA returns. NULL:
       invalid handle, with the reason in *why. NULL callback: no textures. */
    const struct execute_texture *(*texture)(void *context, uint64_t handle,
                                             const char **why);
};

/* Default host: accesses proceed, fences pass, nothing is remote, a warp's clock is its
   instruction count, and prints are discarded. The caller overrides single callbacks. */
struct execute_host execute_host_quiet(void *context);

/* Read-modify-write of one lane in global memory, also for the host's remote atomics.
   Applies `op` with `operand` (and `second`) to the naturally aligned `memory`, and writes
   the old value to `old`. */
void execute_atomic(const struct execute_op *op, void *memory, const void *operand,
                    const void *second, void *old);

/* Properties that all CTAs of one launch on one device have in common. All pointers are
   borrowed. */
struct execute_launch {
    const struct execute_kernel *kernel;
    const struct execute_host *host;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* CTAs per cluster; the grid is a multiple of it. All 0: no
                            clusters. */
    /* The complete grid of the launch, and the linear index there of the first CTA of this
       part. Messages name CTAs by their index in the complete grid. All 0: not a part. */
    uint32_t whole[3], first;
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* parameter_bytes bytes */
    uint64_t variables;     /* address of the module's block on this device */
    uint32_t device, sm_count;
    uint64_t grid_id;
    uint64_t meeting;     /* arrival counter of a cooperative launch; else 0 */
    uint32_t stack_bytes; /* per thread of a kernel with recursion or alloca; at least 64
                             KiB is used */
    bool check; /* refuse reads of shared and local memory that was never written */
};

/* Index that messages print for the CTA with that linear index. */
void execute_cta_name(const struct execute_launch *launch, uint32_t number,
                      uint32_t out[3]);

/* State of a launch that does not depend on the CTA. It is computed once. */
struct execute_grid;
struct execute_grid *execute_grid_create(const struct execute_launch *launch);
void execute_grid_destroy(struct execute_grid *g); /* destroy its CTAs first */

/* Memory of ended CTAs for reuse by new ones. Each thread needs its own pool. */
struct execute_pool;
struct execute_pool *execute_pool_create(void);
void execute_pool_destroy(struct execute_pool *p);

enum execute_stop {
    EXECUTE_EXITED,  /* every thread has ended */
    EXECUTE_BUDGET,  /* the budget is used up; the CTA can continue */
    EXECUTE_STRONG,  /* No warp can continue, and at least one waits before an operation
                        that the next run performs: a fence wider than the CTA, a clock
                        read, or a strong access to global memory. A strong access is
                        neither weak nor a relaxed atom or red. */
    EXECUTE_BLOCKED, /* every live warp waits for execute_complete(), waits for other CTAs
                        of its cluster, or sleeps; the next run wakes the sleepers */
    EXECUTE_TRAPPED, /* trap, failed host verdict or shared-memory fault: see `fault` */
};

/* A running CTA. The host reads the fields and resets the counters. */
struct execute_cta {
    struct execute_grid *grid;
    uint32_t id[3], sm, number; /* number: linear index in the grid */
    uint32_t named[3];          /* index that messages print */
    uint32_t warp_count, live_warps;
    uint64_t issued;   /* warp instructions of all warps since the last reset */
    uint64_t lanes;    /* lane instructions since the last reset */
    uint64_t longest;  /* instructions of the warp with the most, since the last reset */
    uint64_t stalls;   /* of the warp with the most: waits for loads from global or local
                          memory; loads issued together count once */
    uint64_t barriers; /* barriers passed since the last reset */
    uint32_t sleep_ns; /* after EXECUTE_BLOCKED: the shortest requested sleep, or 0 */
    void *user;        /* for the host */
    char fault[384];   /* kernel, PTX line, CTA, thread and the fault */
};

struct execute_cta *execute_cta_create(struct execute_grid *g, struct execute_pool *pool,
                                       const uint32_t id[3], uint32_t sm);
void execute_cta_destroy(struct execute_cta *c);

/* Runs the CTA's warps in an order drawn from `seed`, for about `budget` warp instructions
   or until a stop. The run continues past barriers of the CTA. A warp stops once before a
   strong access while the other warps run on; the next run performs the access. */
enum execute_stop execute_cta_run(struct execute_cta *c, uint64_t budget, uint64_t seed);

/* PTX line of the lanes of the CTA's first live warp. 0: no warp lives. */
uint32_t execute_cta_line(const struct execute_cta *c);
/* Prints "line 41", with the source location if the module has line information. */
void execute_line_print(const struct execute_kernel *k, uint32_t line, char *into,
                        size_t bytes);

/* Properties of a warp for the host. A warp pointer is valid during the callback. */
struct execute_cta *execute_warp_cta(const struct execute_warp *w);
uint32_t execute_warp_index(const struct execute_warp *w);
/* Instructions of this warp since the last reset of its CTA's counters. */
uint64_t execute_warp_issued(const struct execute_warp *w);
/* Thread index of a lane: x, y, z. */
void execute_warp_thread(const struct execute_warp *w, unsigned lane, uint32_t out[3]);

/* Writes the CTA's `fault` for a host that returns EXECUTE_FAULT. The message starts with
   kernel, line, CTA and thread. Only the first message is recorded. */
__attribute__((format(printf, 4, 5))) void execute_fault(struct execute_warp *w,
                                                         uint32_t line, unsigned lane,
                                                         const char *format, ...);

/* Completes lanes that wait after EXECUTE_WAIT. For loads and atomics, `data` contains 32
   lanes of `bytes` each. */
void execute_complete(struct execute_warp *w, uint32_t mask, const unsigned char *data);
