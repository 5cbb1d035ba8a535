/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Private to run/: a launch, its CTAs in flight, their warps. */

#include <string.h>

#include "execute/program.h"

enum group_state {
    GROUP_READY,
    GROUP_BARRIER,  /* waits for the CTA */
    GROUP_CLUSTER,  /* waits for the cluster */
    GROUP_CONVERGE, /* waits for other lanes of its warp to come to the same place */
    GROUP_REMOTE,   /* waits for execute_complete() */
    GROUP_ASLEEP
};

/* Lanes of a warp at one place. The group that runs is not in the warp's list. */
struct group {
    uint32_t pc, mask;
    enum group_state state;
    bool is_armed;    /* has stopped once before what stands at pc */
    uint32_t waiting; /* REMOTE: lanes still to be answered */
    uint32_t detail;  /* BARRIER: its number; ASLEEP: ns */
    uint64_t ran;     /* when it last ran: groups of the warp added before */
};

enum warp_stop { WARP_BLOCKED, WARP_SLICE, WARP_STRONG, WARP_FAULT, WARP_ENDED };
static const uint32_t NEVER = UINT32_MAX; /* a place no lane reaches */

struct execute_warp {
    struct cta *cta;
    struct execute_grid *grid;
    const struct execute_op *ops; /* of the kernel */
    const struct site *sites;     /* of the kernel */
    unsigned char *shared;        /* of the CTA */
    uint64_t word_limits[3]; /* by enum spread_words: first offset too high for a half */
    struct op_registers registers;
    unsigned char *thread_memory;  /* grid->thread_bytes for each lane */
    unsigned char *thread_written; /* where the launch checks: a byte for each byte */
    uint32_t index, live;          /* lanes that have not exited */
    uint32_t next_pc;              /* lowest place where lanes wait to be met, or NEVER */
    /* Lanes that have arrived at the cluster's barrier and have not waited; of them, those
       whose phase of it was odd. */
    uint32_t came, came_odd;
    bool is_armed, is_forced, is_fair, is_stopped, is_started;
    enum warp_stop stop;
    uint32_t remote; /* lanes that the access in hand waits for */
    const struct execute_op *remote_op;
    int64_t fuel;
    uint64_t issued, lanes, stalls; /* since the CTA's counters were zeroed */
    uint64_t unturned, added;       /* issued in this turn; groups ever added ... */
    uint64_t turn_began;            /* ... and how many when it began */
    uint32_t group_count;
    struct group groups[LANES];
};

enum { BARRIERS = 16 };
struct barrier {
    uint32_t arrived, expected; /* threads; expected 0: all that live */
    uint32_t yes, votes;
};

/* CTAs that share a barrier and reach each other's shared memory. It belongs to the grid
   from its first CTA's beginning to its last one's end. */
struct cluster {
    struct cluster *next;
    uint32_t id[3], count;
    uint32_t ended;                          /* CTAs, a bit each, by rank */
    uint32_t live, arrived;                  /* threads */
    uint32_t phase;                          /* how often its barrier was complete */
    struct cta *member[EXECUTE_CLUSTER_MAX]; /* by rank; NULL: not begun, or ended */
};

struct cta {
    struct execute_cta face;        /* first: the two are the same to the host */
    struct cluster *cluster, alone; /* alone: of one CTA, which no other looks for */
    uint32_t rank;
    bool is_stuck; /* nothing but its cluster can make it go on */
    struct execute_pool *pool;
    unsigned char *shared, *shared_written;
    uint32_t live_threads;
    uint32_t waited_for; /* barriers that somebody has arrived at: a bit each */
    struct barrier barriers[BARRIERS];
    struct execute_warp warps[];
};

/* Runs the warp for about `slice` instructions. */
typedef enum warp_stop interpreter(struct execute_warp *w, uint64_t slice);

struct execute_grid {
    struct execute_launch launch;
    const struct execute_kernel *kernel;
    interpreter *interpret; /* the best that this processor runs */
    uint32_t threads, warps;
    uint32_t cluster[3], cluster_size;   /* 1 where there are none */
    struct cluster *clusters;            /* that have begun and not ended */
    uint32_t shared_bytes, thread_bytes; /* thread_bytes: with the stack, which is last */
    uint32_t stack_bytes;
    uint64_t variables_end;
    unsigned char *launch_file, *slot_files; /* slot_files: one for each warp of a CTA */
};

/* run_pool.c: aligned to 64; the last given back is the first handed out. Not zeroed. */
void *pool_take(struct execute_pool *p, size_t bytes);
void pool_give(struct execute_pool *p, void *memory);

/* run_fault.c: the first sentence stays. `lane` of the warp. */
__attribute__((format(printf, 4, 5))) void warp_fault(struct execute_warp *w, uint32_t line,
                                                      unsigned lane, const char *format,
                                                      ...);

/* run_groups.c: where the lanes of a warp are. */
struct cursor {
    const struct execute_op *op; /* NULL: nothing can run */
    uint32_t mask;
};
struct group *groups_add(struct execute_warp *w, const struct execute_op *at, uint32_t mask,
                         enum group_state state);
/* Takes the group that should run next out of the list, with all that stand beside it. */
struct cursor groups_take(struct execute_warp *w);
/* Takes out who waits for other lanes at `at`: those lanes. */
uint32_t groups_meet(struct execute_warp *w, const struct execute_op *at);
bool groups_any(const struct execute_warp *w, enum group_state state);
bool groups_can_run(const struct execute_warp *w);
/* Ends the wait of group `n`. */
void groups_wake(struct execute_warp *w, uint32_t n);

static inline uint32_t place_of(const struct execute_warp *w, const struct execute_op *op)
{
    return (uint32_t)(op - w->ops);
}

/* run_barrier.c: lanes arrive. True if they go on at once; otherwise they were put away. */
bool barrier_arrive(struct execute_warp *w, const struct execute_op *op, uint32_t mask,
                    uint32_t active);
/* Lanes of the warp have exited. */
void barrier_exit(struct execute_warp *w, uint32_t lanes);

/* run_region.c */
enum access_result { ACCESS_DONE, ACCESS_STRONG, ACCESS_REMOTE, ACCESS_FAULT };
/* The host has refused; the sentence, if it left that to us. */
enum access_result access_refused(struct execute_warp *w, const struct execute_access *a);
/* Thread memory of the lanes, op->extra bytes of it, is copied. */
void memory_copy(struct execute_warp *w, const struct execute_op *op, uint32_t mask);
/* Reads `bytes` at a generic address for one lane; false if that cannot be done. */
bool memory_read(struct execute_warp *w, uint32_t line, unsigned lane, uint64_t address,
                 unsigned bytes, void *out);

/* run_remote.c: the host takes over; what is stored goes with it. */
enum execute_verdict access_remote(struct execute_warp *w, const struct execute_op *op,
                                   const struct site *s, const struct execute_access *a);

/* A value from memory, extended to its register. */
static inline void site_extend(const struct site *s, unsigned char *to,
                               const unsigned char *from)
{
    unsigned char fill = s->is_signed && from[s->element - 1] >> 7 ? 0xff : 0;

    memcpy(to, from, s->element);
    memset(to + s->element, fill, (size_t)s->width - s->element);
}

/* What a lane has at an offset of its thread memory; what a function gives back to it. */
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

/* run_stack.c: CODE_ENTER, CODE_PUSH, CODE_POP; false after a fault. */
bool stack_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* run_child.c: the device runtime's two functions; false after a fault. */
bool child_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* run_heap.c: malloc and free; false after a fault. */
bool heap_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* run_print.c: vprintf and __assertfail; false after a fault. */
bool print_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask);
void print_assertion(struct execute_warp *w, const struct execute_op *op, uint32_t mask);

/* warp/warp.c, compiled once a processor. */
extern interpreter interpret_v1;
#if defined __x86_64__
extern interpreter interpret_v3;
#endif
