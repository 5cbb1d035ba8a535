/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launches in flight. Their CTAs become resident on the SMs and execute in turns. Each turn
   is one event of the agenda. */

#include "device/emulator/machine.h"

struct cta_quanta;
struct operation;
struct quanta_run;

struct device_function {
    struct device_module *module;
    const struct execute_kernel *kernel;
    struct execute_kernel_info info;
    uint32_t sends_from; /* first line that sends to peers; UINT32_MAX: none */
    struct device_function *next;
};

/* Address range of the previous execution of one access instruction. */
struct known_range {
    uint64_t first, bytes;
};

struct kernel_run {
    struct operation *operation; /* of the stream, borrowed. NULL: a child kernel */
    struct kernel_run *parent;   /* parent kernel of a child */
    uint32_t children;           /* running children; the kernel ends after them */
    uint32_t place;              /* slot of a child in children.h */
    void (*done)(struct emulated *d, struct kernel_run *run);
    void (*drained)(struct emulated *d,
                    struct kernel_run *run); /* its last CTA has ended; or NULL */
    struct kernel_run *next_waiting;         /* see children.h */
    void *parameters;                        /* of a child; owned */
    bool has_begun;
    struct execute_launch launch;
    struct execute_grid *grid;
    const char *name;
    uint32_t sends_from; /* see device_function */
    uint32_t spin_checks;
    uint32_t threads, warps, total, live;
    uint32_t next_cta;                 /* number in launch order, see cluster_place() */
    uint32_t cluster[3], cluster_size; /* 1 without clusters */
    uint64_t shared_bytes, start_ps;
    uint64_t worked_ps;        /* by all CTAs since the last one of them ended */
    struct known_range *known; /* indexed by access number */
    const struct device_unit *unit;
    uint32_t *unit_left; /* missing writers by chunk, unit by unit */
    uint32_t actor;      /* checker's actor of the stream */
    uint32_t begun;      /* checker's snapshot at the start of the kernel; 0: no CTA has
                            started */
    struct quanta_run *quanta; /* see quanta_run.h; owned. NULL: neither recorded nor
                                  replayed */
    struct kernel_run *next;
};

/* Limit of the egress backlog, in time, before a CTA must wait with its stores to peers. */
enum { OUT_QUEUE_NS = 2000 };

/* CTA with a slot on an SM. Its execution state exists from its first turn until it ends,
   so that short CTAs reuse the same memory. */
struct resident {
    struct execute_cta *cta; /* NULL before the first turn and after the last */
    struct kernel_run *run;
    uint32_t id[3], number, sm;
    uint32_t named[3];   /* CTA index in messages */
    uint64_t generation; /* of the valid turn event in the agenda; never reused */
    bool is_scheduled, is_stalled, is_spinning;
    bool sends; /* the last turn sent data */
    uint64_t turn_at_ps, busy_until_ps;
    uint64_t sent_ps;      /* time at which the last sent data was ready */
    uint64_t sent_free_ps; /* its own egress server */

    /* Progress, see stall.c. */
    uint64_t looks;        /* consecutive turns that only polled an unchanged value */
    uint64_t unchanged_ps; /* start of these */
    uint64_t active_ps;    /* time of its last store */
    uint64_t worked_ps;    /* total of turns that computed or stored */
    uint32_t poll_line, load_line;
    uint64_t poll_address, poll_value, load_address;

    struct bulk_cta *bulk; /* bulk stores; NULL: none */

    struct cta_quanta *recorded;       /* NULL: this CTA is not recorded */
    const struct cta_quanta *replayed; /* NULL: this CTA is executed */
    const int64_t *shift;              /* of replayed stores, by slot; NULL: none */
    size_t quantum;                    /* next one to replay */

    uint32_t actor; /* checker's actors of the CTA and of its warps */
    uint32_t *warp_actors;
    struct resident *next, *previous; /* in the device's list */
    struct resident *next_stalled;
};

/* Schedules a turn of a waiting CTA, now or at the given time. */
void resident_wake(struct emulated *d, struct resident *r);
void resident_wake_at(struct emulated *d, struct resident *r, uint64_t at_ps);
void runs_clear(struct emulated *d); /* removes the launches that remain */

/* Inserts a launch into the device's list, before the launch `next`, or at the end if that
   is NULL. CTAs get slots in the order of the list. The launch starts later. `parameters`
   are borrowed. */
struct kernel_run *run_create(struct emulated *d, const struct execute_launch *launch,
                              const struct kernel_run *next);
void run_begin(struct emulated *d, struct kernel_run *run);
/* Ends the launch if no CTA and no child remains. */
void run_settle(struct emulated *d, struct kernel_run *run);

/* turn.c: turn_cost() is the duration of the last turn in picoseconds. turn_watch() records
   its progress and returns the additional delay of a CTA that polls. */
uint64_t turn_cost(struct emulated *d, struct resident *r);
uint64_t turn_watch(struct emulated *d, struct resident *r, enum execute_stop stop,
                    uint64_t end_ps);

/* host_callbacks.c */
void host_callbacks(struct emulated *d);

/* unit.c, the unit of PROACT III-D. unit_arm() sets the counters of a launch. unit_count()
   counts an ended CTA and sends the chunks that it completes. */
void unit_arm(struct kernel_run *run);
void unit_count(struct emulated *d, struct kernel_run *run, uint32_t cta);
