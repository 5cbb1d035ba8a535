/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Private to run/: a launch, its running CTAs and their warps. */

#include <string.h>

#include "execute/program.h"

enum group_state {
    GROUP_READY,
    GROUP_BARRIER,  /* waits for the CTA */
    GROUP_CLUSTER,  /* waits for the cluster */
    GROUP_CONVERGE, /* waits for other lanes of its warp to reach the same position */
    GROUP_REMOTE,   /* waits for execute_complete() */
    GROUP_ASLEEP
};

/* Lanes of a warp at one position. The running group is not in the warp's list. */
struct group {
    uint32_t pc, mask;
    enum group_state state;
    bool is_armed;    /* has stopped once before the operation at pc */
    uint32_t waiting; /* REMOTE: lanes that are not complete */
    uint32_t detail;  /* BARRIER: its index; ASLEEP: ns */
    uint64_t ran;     /* time of its last run, as the number of groups added before */
};

enum warp_stop { WARP_BLOCKED, WARP_SLICE, WARP_STRONG, WARP_FAULT, WARP_ENDED };
static const uint32_t NEVER = UINT32_MAX; /* a position that no lane reaches */

struct execute_warp {
    struct cta *cta;
    struct execute_grid *grid;
    const struct execute_op *ops; /* of the kernel */
    const struct site *sites;     /* of the kernel */
    unsigned char *shared;        /* of the CTA */
    uint64_t word_limits[3]; /* by enum spread_words: first offset that is too high for a
                                half warp */
    struct op_registers registers;
    unsigned char *thread_memory;  /* grid->thread_bytes per lane */
    unsigned char *thread_written; /* for checked launches: one byte per byte */
    uint32_t index, live;          /* live: lanes that have not exited */
    uint32_t next_pc;              /* lowest position at which lanes wait to converge, or
                                      NEVER */
    /* Lanes that have arrived at the cluster barrier and have not waited yet; among them,
       those that arrived in an odd phase. */
    uint32_t came, came_odd;
    bool is_armed, is_forced, is_fair, is_stopped, is_started;
    enum warp_stop stop;
    uint32_t remote; /* lanes for which the current access waits */
    const struct execute_op *remote_op;
    int64_t fuel;
    uint64_t issued, lanes, stalls; /* since the last reset of the CTA's counters */
    uint64_t unturned, added;       /* issued in this turn; groups ever added ... */
    uint64_t turn_began;            /* ... and their number when the turn began */
    uint32_t group_count;
    struct group groups[LANES];
};

enum { BARRIERS = 16 };
struct barrier {
    uint32_t arrived, expected; /* threads; expected 0: all live threads */
    uint32_t yes, votes;
};

/* CTAs that have a common barrier and access each other's shared memory. The grid owns it
   from the start of its first CTA to the end of its last. */
struct cluster {
    struct cluster *next;
    uint32_t id[3], count;
    uint32_t ended;                          /* ended CTAs, one bit per rank */
    uint32_t live, arrived;                  /* threads */
    uint32_t phase;                          /* number of completed barriers */
    struct cta *member[EXECUTE_CLUSTER_MAX]; /* by rank; NULL: not started, or ended */
};

struct cta {
    struct execute_cta face;        /* must be first: the host's view of the CTA */
    struct cluster *cluster, alone; /* alone: the cluster of a single CTA */
    uint32_t rank;
    bool is_stuck;  /* only its cluster can make it continue */
    bool ends_pass; /* the pass over its warps ends */
    struct execute_pool *pool;
    unsigned char *shared, *shared_written;
    uint32_t live_threads;
    uint32_t waited_for; /* barriers with arrivals: one bit each */
    struct barrier barriers[BARRIERS];
    struct execute_warp warps[];
};

/* Runs the warp for about `slice` instructions. */
typedef enum warp_stop interpreter(struct execute_warp *w, uint64_t slice);

struct execute_grid {
    struct execute_launch launch;
    const struct execute_kernel *kernel;
    interpreter *interpret; /* the fastest that this processor supports */
    uint32_t threads, warps;
    uint32_t cluster[3], cluster_size;   /* 1 without clusters */
    struct cluster *clusters;            /* running clusters */
    uint32_t shared_bytes, thread_bytes; /* thread_bytes: includes the stack, which is
                                            last */
    uint32_t stack_bytes;
    uint64_t variables_end;
    unsigned char *launch_file, *slot_files; /* slot_files: one per warp of a CTA */
};

/* run_pool.c: memory aligned to 64 bytes. Reuse is last in, first out. Not zeroed. */
void *pool_take(struct execute_pool *p, size_t bytes);
void pool_give(struct execute_pool *p, void *memory);

/* run_fault.c: records a fault of lane `lane`. The first message stays. */
__attribute__((format(printf, 4, 5))) void warp_fault(struct execute_warp *w, uint32_t line,
                                                      unsigned lane, const char *format,
                                                      ...);

/* run_groups.c: positions of the lanes of a warp. */
struct cursor {
    const struct execute_op *op; /* NULL: no group can run */
    uint32_t mask;
};
struct group *groups_add(struct execute_warp *w, const struct execute_op *at, uint32_t mask,
                         enum group_state state);
/* Removes the group that should run next from the list, together with all groups at its
   position. */
struct cursor groups_take(struct execute_warp *w);
/* Removes the groups that wait for other lanes at `at`, and returns their lanes. */
uint32_t groups_meet(struct execute_warp *w, const struct execute_op *at);
bool groups_any(const struct execute_warp *w, enum group_state state);
bool groups_can_run(const struct execute_warp *w);
/* Ends the wait of group `n`. */
void groups_wake(struct execute_warp *w, uint32_t n);

static inline uint32_t place_of(const struct execute_warp *w, const struct execute_op *op)
{
    return (uint32_t)(op - w->ops);
}

/* run_barrier.c: lanes arrive. Returns true if they continue immediately; otherwise they
   are suspended. */
bool barrier_arrive(struct execute_warp *w, const struct execute_op *op, uint32_t mask,
                    uint32_t active);
/* Removes exited lanes of the warp from the barriers. */
void barrier_exit(struct execute_warp *w, uint32_t lanes);

/* run_region.c */
enum access_result { ACCESS_DONE, ACCESS_STRONG, ACCESS_REMOTE, ACCESS_FAULT };
/* Writes the message for a refused access, unless the host has written one. */
enum access_result access_refused(struct execute_warp *w, const struct execute_access *a);
/* Copies op->extra bytes of each lane's thread memory. */
void memory_copy(struct execute_warp *w, const struct execute_op *op, uint32_t mask);
/* Reads `bytes` at a generic address for one lane. Returns false on a fault. */
bool memory_read(struct execute_warp *w, uint32_t line, unsigned lane, uint64_t address,
                 unsigned bytes, void *out);

/* run_remote.c: passes the access with its stored values to the host. */
enum execute_verdict access_remote(struct execute_warp *w, const struct execute_op *op,
                                   const struct site *s, const struct execute_access *a);

/* Extends a value from memory to its register. */
static inline void site_extend(const struct site *s, unsigned char *to,
                               const unsigned char *from)
{
    unsigned char fill = s->is_signed && from[s->element - 1] >> 7 ? 0xff : 0;

    memcpy(to, from, s->element);
    memset(to + s->element, fill, (size_t)s->width - s->element);
}

/* Value of a lane at an offset of its thread memory, and the result of a called
   function. */
static inline uint64_t thread_word(const struct execute_warp *w, unsigned lane,
                                   op_place offset, unsigned bytes)
{
    uint64_t value = 0;

    memcpy(&value, w->thread_memory + (size_t)lane * w->grid->thread_bytes + offset, bytes);
    return value;
}

static inline void thread_answer(struct execute_warp *w, unsigned lane, op_place offset,
                                 uint64_t value, unsigned bytes)
{
    size_t at = (size_t)lane * w->grid->thread_bytes + offset;

    if (offset == PLACE_NONE)
        return;
    memcpy(w->thread_memory + at, &value, bytes);
    if (w->thread_written)
        memset(w->thread_written + at, 1, bytes);
}

/* run_stack.c: CODE_ENTER, CODE_PUSH, CODE_POP, CODE_ALLOCA, CODE_RELEASE. Returns false
   after a fault. */
bool stack_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* run_child.c: the two functions of the device runtime. Returns false after a fault. */
bool child_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* run_heap.c: malloc and free. Returns false after a fault. */
bool heap_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* run_print.c: vprintf and __assertfail. Returns false after a fault. */
bool print_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask);
void print_assertion(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* warp/warp.c, compiled once per processor. */
extern interpreter interpret_v1;
#if defined __x86_64__
extern interpreter interpret_v3;
#endif
