/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the room that executes PTX, a warp at a time, 32 lanes an operation. It knows
   nothing of time, devices or links: global memory, order and clocks are asked of the
   `execute_host` that the device room hands down. Not thread-safe per CTA; CTAs of one
   program may run on several threads as long as each has its own execute_pool. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/ptx.h"

/* A module made ready: variables laid out, functions found. It borrows the ptx_module. */
struct execute_program;

/* Fails with PROACT_EREFUSED, naming opcode, kernel and line, if no kernel of the module
   can be executed; of one among others, see execute_kernel_refusal(). */
enum proact_status execute_program_create(const struct ptx_module *m,
                                          struct execute_program **out,
                                          struct proact_error *err);
void execute_program_destroy(struct execute_program *p);

/* Module variables (.global and .const) form one block; load it on each device, then say at
   launch where it lies. execute_program_image() writes the initial content for a block at
   `address`. */
size_t execute_program_bytes(const struct execute_program *p);
void execute_program_image(const struct execute_program *p, uint64_t address, void *into);

/* Byte offset of a module variable in the block; false if there is none of that name. */
bool execute_variable(const struct execute_program *p, const char *name, size_t *offset,
                      size_t *bytes);

/* Whether a kernel of it launches kernels: execute_host.child_launch will be asked. */
bool execute_launches(const struct execute_program *p);
/* Whether a kernel of it calls malloc or free: execute_host.heap_take and heap_give will be
   asked. */
bool execute_allocates(const struct execute_program *p);

struct execute_kernel; /* owned by its program */
const struct execute_kernel *execute_kernel_find(const struct execute_program *p,
                                                 const char *name);
/* Why a kernel that the module has cannot be executed: one sentence, naming opcode, kernel
   and line; NULL if it can, or is not there. execute_kernel_find() does not find it. */
const char *execute_kernel_refusal(const struct execute_program *p, const char *name);

struct execute_kernel_info {
    const char *name;
    uint32_t parameter_bytes, shared_bytes, local_bytes_per_thread;
    uint32_t max_threads;  /* .maxntid; 1024 where not given */
    uint32_t cluster[3];   /* .reqnctapercluster; 0 where not given */
    uint32_t max_cluster;  /* CTAs, .maxclusterrank; 0 where not given */
    bool must_cluster;     /* .explicitcluster: launched in clusters or not at all */
    uint32_t access_count; /* memory accesses are numbered 0..; see execute_access.number */
};
struct execute_kernel_info execute_kernel_info(const struct execute_kernel *k);

enum { EXECUTE_CLUSTER_MAX = 16 }; /* CTAs of one cluster */

/* Generic addresses of shared and local memory lie in these windows, global ones never. */
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
/* How the active lanes' addresses lie: one after the other in lane order without a gap and
   with all 32 lanes active; so within each half of the warp; all equal; or anyhow. */
enum execute_shape { EXECUTE_UNIT, EXECUTE_HALVES, EXECUTE_EQUAL, EXECUTE_SCATTERED };

struct execute_texture; /* texture.h */
struct execute_warp;
struct execute_cta;
struct execute_op; /* a decoded instruction */

/* One warp-wide access to global memory. */
struct execute_access {
    enum execute_kind kind;
    enum execute_order order;
    enum execute_scope scope;
    enum execute_shape shape;
    uint32_t mask;           /* active lanes, not 0 */
    uint32_t bytes;          /* of one lane, all elements of a vector together: 1..32 */
    uint32_t align;          /* every address must be a multiple of it */
    uint32_t ignored;        /* by bit: bytes of a load that nobody uses */
    uint32_t number;         /* of the instruction among the kernel's accesses */
    uint32_t line;           /* in the PTX */
    const uint64_t *address; /* 32; valid where the mask is set */
};

/* cp.async.bulk from the CTA's shared memory to global memory, and what its threads do
   about it. A group is what a thread has stored since its last COMMIT. */
enum execute_bulk_step {
    EXECUTE_BULK_STORE,
    EXECUTE_BULK_COMMIT,
    EXECUTE_BULK_WAIT,     /* until the thread's groups but `pending` have landed */
    EXECUTE_BULK_WAIT_READ /* ... need their source no more */
};
enum { EXECUTE_BULK_ALIGN = 16 }; /* of both addresses, and of the bytes */

struct execute_bulk {
    enum execute_bulk_step step;
    uint32_t mask, line, pending;
    /* Of a store, valid where the mask is set. The sources are in bounds, and stay where
       they are while the CTA lives; what they hold may change. */
    const uint64_t *address;
    const uint32_t *bytes;
    const unsigned char *const *from;
};

enum execute_verdict {
    EXECUTE_GO,    /* the addresses are plain memory of this process: do it now */
    EXECUTE_DONE,  /* access(), of a store: the host has done it, and takes no values */
    EXECUTE_TAKEN, /* access(): the host takes over, ask remote(). remote(): it did it, or
                      has answered by execute_complete(): go on */
    EXECUTE_WAIT,  /* access(): as TAKEN. remote(), fence(): the host will call, or for some
                      lanes has called, execute_complete(): the lanes wait for it */
    EXECUTE_FAULT, /* stop: the host has written its sentence to the CTA's `fault`, or
                      leaves that to us */
};

/* A grid that a thread is about to launch (CUDA dynamic parallelism). */
struct execute_child {
    const struct execute_kernel *kernel;
    uint32_t grid[3], block[3], shared_bytes;
};

/* What a warp asks of the device. All run on the thread that runs the CTA. */
struct execute_host {
    void *context;
    /* Called before every access to global memory. For a remote access the host takes over:
       `operands` holds, 32 lanes of `bytes` each, what is stored, or for atomics the
       operand and behind all of those (atom.cas) the second one; NULL for loads. */
    enum execute_verdict (*access)(void *context, struct execute_warp *w,
                                   const struct execute_access *a);
    enum execute_verdict (*remote)(void *context, struct execute_warp *w,
                                   const struct execute_access *a,
                                   const struct execute_op *op,
                                   const unsigned char *operands);
    /* A fence or membar. EXECUTE_WAIT: the lanes wait to be completed, with NULL. */
    enum execute_verdict (*fence)(void *context, struct execute_warp *w, uint32_t mask,
                                  enum execute_order order, enum execute_scope scope,
                                  uint32_t line);
    /* Behind an atomic on shared memory that is not relaxed. May be NULL. */
    void (*shared)(void *context, struct execute_warp *w, enum execute_order order);
    /* All warps of the CTA have reached a barrier. May be NULL. */
    void (*barrier)(void *context, struct execute_cta *cta);
    /* All threads of a cluster have reached its barrier, `w` last: of its CTAs, those that
       live. Any of them that was BLOCKED may go on. May be NULL. */
    void (*cluster)(void *context, struct execute_warp *w, struct execute_cta *const *ctas,
                    uint32_t count);
    uint64_t (*clock)(void *context, struct execute_warp *w);       /* cycles: %clock64 */
    uint64_t (*globaltimer)(void *context, struct execute_warp *w); /* ns */
    void (*print)(void *context, const char *text, size_t length);  /* printf of a kernel */
    /* EXECUTE_WAIT: the lanes wait to be completed, with NULL. May be NULL: then a bulk
       store is as many stores of 16 bytes, done at once. */
    enum execute_verdict (*bulk)(void *context, struct execute_warp *w,
                                 const struct execute_bulk *b);
    /* Memory into which the thread stores the parameters of its child, 0 where there is no
       room for one more; then the launch, which answers with an error of CUDA's or 0. NULL:
       no kernel is launched here. */
    uint64_t (*child_parameters)(void *context, struct execute_warp *w,
                                 const struct execute_child *child);
    uint32_t (*child_launch)(void *context, struct execute_warp *w, uint64_t parameters);
    /* malloc and free of a thread: 0 where no room is left; false where no block begins at
       the address. NULL: nothing is allocated here. */
    uint64_t (*heap_take)(void *context, struct execute_warp *w, uint64_t bytes);
    bool (*heap_give)(void *context, struct execute_warp *w, uint64_t address);
    /* What the handle of a texture or surface object stands for, till the CTA's turn ends;
       else NULL, and the reason. NULL: there are none. */
    const struct execute_texture *(*texture)(void *context, uint64_t handle,
                                             const char **why);
};

/* Accesses go on and fences pass, nothing is remote, a warp's clock is what it has issued,
   and nothing is printed: what shall be otherwise is set in it. */
struct execute_host execute_host_quiet(void *context);

/* Read-modify-write of one lane, for the host's remote atomics: applies `op` to `memory`
   (naturally aligned) with `operand` (and `second`), writes the old value to `old`. */
void execute_atomic(const struct execute_op *op, void *memory, const void *operand,
                    const void *second, void *old);

/* What all CTAs of one launch on one device share. Borrows everything. */
struct execute_launch {
    const struct execute_kernel *kernel;
    const struct execute_host *host;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* CTAs of one, of which the grid has whole ones; 0, all: none */
    /* The grid that it is a part of, and the place in a line that its first CTA has there:
       sentences name CTAs so. 0, all: it is a part of none. */
    uint32_t whole[3], first;
    uint32_t dynamic_shared_bytes;
    const void *parameters; /* parameter_bytes */
    uint64_t variables;     /* address of the module's block on this device */
    uint32_t device, sm_count;
    uint64_t grid_id;
    uint64_t meeting; /* of a cooperative launch: its CTAs count themselves there; else 0 */
    uint32_t stack_bytes; /* of a thread whose functions call themselves, if that is more
                             than 64 KiB */
    bool check; /* refuse to read shared and local memory where nothing was written */
};

/* What sentences call its CTA of that linear index. */
void execute_cta_name(const struct execute_launch *launch, uint32_t number,
                      uint32_t out[3]);

/* Ready state of a launch: what does not depend on the CTA is computed here, once. */
struct execute_grid;
struct execute_grid *execute_grid_create(const struct execute_launch *launch);
void execute_grid_destroy(struct execute_grid *g); /* its CTAs are destroyed before */

/* Memory of CTAs that ended, kept for the next ones; one for each thread. */
struct execute_pool;
struct execute_pool *execute_pool_create(void);
void execute_pool_destroy(struct execute_pool *p);

enum execute_stop {
    EXECUTE_EXITED,  /* every thread has ended */
    EXECUTE_BUDGET,  /* ran long enough; can go on */
    EXECUTE_STRONG,  /* no warp can go on, and some stand before a strong access to global
                        memory (anything but weak, and atom or red that say acquire or
                        release), a fence wider than the CTA or a clock read: run again to
                        perform them */
    EXECUTE_BLOCKED, /* every live warp waits for execute_complete() or for other CTAs of
                        its cluster, or sleeps; the next run wakes the sleepers */
    EXECUTE_TRAPPED, /* trap, a failed host verdict, a shared-memory fault: see fault */
};

/* A CTA in flight. The fields are for the host to read; counters are for it to zero. */
struct execute_cta {
    struct execute_grid *grid;
    uint32_t id[3], sm, number; /* number: linear index in the grid */
    uint32_t named[3];          /* what sentences call it */
    uint32_t warp_count, live_warps;
    uint64_t issued;   /* warp instructions since zeroed, all warps together */
    uint64_t lanes;    /* lane instructions since zeroed */
    uint64_t longest;  /* of one warp: instructions since zeroed ... */
    uint64_t stalls;   /* of one warp: times it had to wait for loads from global or local
                          memory, of which those issued together count once */
    uint64_t barriers; /* barriers passed since zeroed */
    uint32_t sleep_ns; /* after EXECUTE_BLOCKED: shortest sleep asked, or 0 */
    void *user;        /* the host's */
    char fault[384];   /* kernel, PTX line, CTA and thread, what happened */
};

struct execute_cta *execute_cta_create(struct execute_grid *g, struct execute_pool *pool,
                                       const uint32_t id[3], uint32_t sm);
void execute_cta_destroy(struct execute_cta *c);

/* Runs the CTA's warps, in an order drawn from `seed`, until one of execute_stop: about
   `budget` warp instructions. Barriers inside are passed without stopping. A warp that
   stands before a strong access stops there once, while the others of the CTA run on; the
   next run performs it. */
enum execute_stop execute_cta_run(struct execute_cta *c, uint64_t budget, uint64_t seed);

/* PTX line at which lanes of its first warp that lives stand; 0 if none does. */
uint32_t execute_cta_line(const struct execute_cta *c);
/* "line 41", with the place in the source where the module says it. */
void execute_line_print(const struct execute_kernel *k, uint32_t line, char *into,
                        size_t bytes);

/* What a warp is, for the host: valid during the callbacks. */
struct execute_cta *execute_warp_cta(const struct execute_warp *w);
uint32_t execute_warp_index(const struct execute_warp *w);
/* Warp instructions of this warp since its CTA's counters were zeroed. */
uint64_t execute_warp_issued(const struct execute_warp *w);
/* Thread of a lane: x, y, z. */
void execute_warp_thread(const struct execute_warp *w, unsigned lane, uint32_t out[3]);

/* For a host that says EXECUTE_FAULT: writes the CTA's `fault`, kernel, line, CTA and
   thread ahead of the rest, if it is the first. */
__attribute__((format(printf, 4, 5))) void execute_fault(struct execute_warp *w,
                                                         uint32_t line, unsigned lane,
                                                         const char *format, ...);

/* Answers EXECUTE_WAIT: `data` holds 32 lanes of `bytes` each for loads and atomics. */
void execute_complete(struct execute_warp *w, uint32_t mask, const unsigned char *data);
