/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The tests' interface to the fake driver: configures it and runs a session on it. */

#include <proact/proact.h>
#include <stdbool.h>

#include "device/device.h"

/* Resets the driver with these settings, "NAME=VALUE NAME=VALUE". Fails the test with
   another driver. */
void fake_cuda_set_up(const char *settings);
/* Number of objects that are not freed. */
unsigned fake_cuda_still_left(void);
/* Number of calls of a driver function. */
unsigned fake_cuda_calls_of(const char *name);
/* Kernel launches, in graphs, that wait for their predecessor themselves. */
unsigned fake_cuda_early_launches(void);

struct fake_cuda_plan {
    const char *method;   /* NULL: bulk */
    uint64_t chunk_bytes; /* 0: the method's default */
    unsigned devices;     /* 0: all */
    unsigned threads;     /* queuing threads; 0: one per core */
    bool is_recorded;     /* launches are recorded and replayed */
    bool is_observed;
    bool is_lazy;         /* the other devices open after the array exists */
    bool forgets;         /* the kernel does not call proact_done() */
    double wait_limit_ms; /* 0: 50 */
};

/* Opens the local devices, fills an array on all of them twice, checks every replica, and
   closes. Returns the first failure. */
enum proact_status fake_cuda_session(const struct fake_cuda_plan *plan,
                                     struct proact_error *err);
