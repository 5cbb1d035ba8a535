/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parts of the sweep. */

#include "sweep/sweep.h"

/* Emulated runs of more bytes are not repeated: their times differ little. */
enum { SWEEP_REPEATED_BYTES = 1 << 20 };

struct sweep_run {
    const struct sweep_request *q;
    struct sweep *out;
    double done, all; /* bytes of the runs, with a constant for each */
};

/* Counts a later measurement of that many bytes. */
void sweep_plan(struct sweep_run *r, uint64_t bytes);

/* True if the next measurement, of that many bytes, may start. */
bool sweep_next(struct sweep_run *r, enum model_sender who, uint64_t bytes);
void sweep_add(struct sweep_run *r, enum model_sender who, uint64_t bytes, unsigned depth,
               double ns);
/* Ascending, for qsort() of doubles. */
int sweep_order(const void *left, const void *right);
/* The largest sum of the messages of a run. */
uint64_t sweep_limit(const struct sweep_run *r, enum model_sender who);

/* sweep_link.c: copies, stores, bulk stores and flags. sweep_method.c: the mechanisms that
   send chunks, through the public API. */
void sweep_link(struct sweep_run *r);
void sweep_method(struct sweep_run *r);
/* Calls sweep_plan() for each measurement. */
void sweep_link_plan(struct sweep_run *r);
void sweep_method_plan(struct sweep_run *r);
