/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Time of a kernel on GPUs, from two events around it on one device. Nothing waits for
   them. Virtual machines have the time in their trace. */

#include <proact/status.h>
#include <stdbool.h>

struct device_event;
struct launching;
struct proact;

struct problem_timer {
    struct device_event *from, *to; /* NULL: not created yet */
    unsigned device;
    bool is_recorded;
    bool is_delayed, was_delayed; /* the stream waits now, or did for an earlier launch */
};

/* Before and after the kernels of all devices are queued: hold the timer's stream, so that
   the time excludes the host. */
enum proact_status problem_timer_hold(const struct launching *l, struct proact_error *err);
void problem_timer_let_go(const struct launching *l);
/* Before and after the kernel of `device` is queued. They do nothing unless the launch has
   a timer for that device. */
enum proact_status problem_timer_begin(const struct launching *l, unsigned device,
                                       struct proact_error *err);
enum proact_status problem_timer_end(const struct launching *l, unsigned device,
                                     struct proact_error *err);
/* Time between the events; 0: the kernel has not ended, or was not timed. */
double problem_timer_ns(const struct proact *p, const struct problem_timer *t);
void problem_timer_clear(const struct proact *p, struct problem_timer *t);
