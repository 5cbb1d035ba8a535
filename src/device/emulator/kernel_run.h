/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launches in flight: their CTAs become resident on the SMs, take turns, and end. */

#include "device/emulator/machine.h"

struct operation;

struct device_function {
    struct device_module *module;
    const struct execute_kernel *kernel;
    struct execute_kernel_info info;
    struct device_function *next;
};

/* Addresses that one access of a kernel was last seen to stay in. */
struct known_range {
    uint64_t first, end;
};

struct kernel_run {
    struct operation *operation; /* of the stream; borrowed */
    struct execute_launch launch;
    struct execute_grid *grid;
    const char *name;
    uint32_t threads, total, next_cta, live;
    uint64_t shared_bytes, start_ps;
    struct known_range *known; /* by access number */
    const struct device_unit *unit;
    uint32_t *unit_left; /* by chunk, unit after unit: writers still to come */
    uint32_t actor;      /* the stream's, for the checker */
    struct kernel_run *next;
};

struct resident {
    struct execute_cta *cta;
    struct kernel_run *run;
    uint32_t sm;
    bool scheduled; /* a turn is on the agenda */
    uint64_t began_ps, sent_free_ps;
    uint64_t turns, looks; /* looks: turns at the last change of anything */
    uint32_t poll_line;    /* the last strong load */
    uint64_t poll_address;
    uint32_t actor; /* of the CTA, for the checker; of its warps: */
    uint32_t *warp_actors;
    struct execute_warp *fenced_warp; /* waits for acknowledgements */
    struct resident *next, *previous; /* of the device */
    struct resident *next_held;
};

void resident_wake(struct emulated *d,
                   struct resident *r); /* something it waited for came */
void runs_clear(struct emulated *d);    /* at close: what never ended */

/* global_access.c: the callbacks. */
void host_callbacks(struct emulated *d);

/* unit.c: PROACT III-D. Counters for a launch; then, when a CTA has ended, the chunks that
   are complete by it are sent. */
void unit_arm(struct kernel_run *run);
void unit_count(struct emulated *d, struct kernel_run *run, uint32_t cta);
