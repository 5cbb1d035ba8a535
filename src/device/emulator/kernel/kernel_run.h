/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launches in flight: their CTAs become resident on the SMs, take turns, and end. */

#include "device/emulator/machine.h"

struct operation;

struct device_function {
    struct device_module *module;
    const struct execute_kernel *kernel;
    struct execute_kernel_info info;
    uint32_t sends_from; /* line from which on it is the library's words, which send to
                            peers; UINT32_MAX: none */
    struct device_function *next;
};

/* Addresses that one access of a kernel was last seen to stay in. */
struct known_range {
    uint64_t first, bytes;
};

struct kernel_run {
    struct operation *operation; /* of the stream; borrowed. NULL: a child's */
    struct kernel_run *parent;   /* of a child: what launched it */
    uint32_t children;           /* that have not ended, without which it does not end */
    uint32_t place;              /* of a child, in children.h */
    void (*done)(struct emulated *d, struct kernel_run *run);
    void *parameters; /* of a child: owned */
    bool has_begun;
    struct execute_launch launch;
    struct execute_grid *grid;
    const char *name;
    uint32_t sends_from; /* as its function's */
    uint32_t threads, warps, total, live;
    uint32_t next_cta; /* in the order in which they begin: cluster_place() */
    uint32_t cluster[3], cluster_size; /* 1 where there are none */
    uint64_t shared_bytes, start_ps;
    uint64_t worked_ps;        /* by its CTAs together since one of them ended */
    struct known_range *known; /* by access number */
    const struct device_unit *unit;
    uint32_t *unit_left; /* by chunk, unit after unit: writers still to come */
    uint32_t actor;      /* the stream's, for the checker; what was known to it */
    uint32_t begun;      /* as the kernel began; 0: no CTA has begun */
    struct kernel_run *next;
};

/* What is stored to peers may wait for the way out, as time of that way. */
enum { OUT_QUEUE_NS = 2000 };

/* A CTA that has its place on an SM. It is executed from its first turn on, and forgotten
   as soon as it has ended, so that those which end at once use the same memory in turn. */
struct resident {
    struct execute_cta *cta; /* NULL before the first turn and after the last */
    struct kernel_run *run;
    uint32_t id[3], number, sm;
    uint32_t named[3];   /* in sentences */
    uint64_t generation; /* of the turn on the agenda that counts; never the same again */
    bool is_scheduled, is_stalled;
    bool sends; /* its last turn sent something */
    uint64_t turn_at_ps, busy_until_ps;
    uint64_t sent_ps;      /* what it sent last was ready then */
    uint64_t sent_free_ps; /* its share of the way out */

    /* What it does, for stall.c. */
    uint64_t looks; /* turns in a row that only looked, and found what was there before */
    uint64_t unchanged_ps; /* since when */
    uint64_t active_ps;    /* when it last stored something */
    uint64_t worked_ps;    /* in turns that computed or stored */
    uint32_t poll_line, load_line;
    uint64_t poll_address, poll_value, load_address;

    struct bulk_cta *bulk; /* its bulk stores; NULL: it has made none */
    uint32_t actor;        /* of the CTA, for the checker; of its warps: */
    uint32_t *warp_actors;
    struct resident *next, *previous; /* of the device */
    struct resident *next_stalled;
};

/* Something it waited for came; comes at that time. */
void resident_wake(struct emulated *d, struct resident *r);
void resident_wake_at(struct emulated *d, struct resident *r, uint64_t at_ps);
void runs_clear(struct emulated *d); /* what will never end */

/* Behind all runs that are there; `parameters` are borrowed. It begins later. */
struct kernel_run *run_create(struct emulated *d, const struct execute_launch *launch);
void run_begin(struct emulated *d, struct kernel_run *run);
/* Ends it, if nothing of it is left. */
void run_settle(struct emulated *d, struct kernel_run *run);

/* turn.c: picoseconds that the turn just run takes; what it tells of progress, and how much
   longer a CTA waits that looks in vain. */
uint64_t turn_cost(struct emulated *d, struct resident *r);
uint64_t turn_watch(struct emulated *d, struct resident *r, enum execute_stop stop,
                    uint64_t end_ps);

/* host_callbacks.c */
void host_callbacks(struct emulated *d);

/* unit.c: PROACT III-D. Counters for a launch; then, when a CTA has ended, the chunks that
   are complete by it are sent. */
void unit_arm(struct kernel_run *run);
void unit_count(struct emulated *d, struct kernel_run *run, uint32_t cta);
