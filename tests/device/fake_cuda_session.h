/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The tests' side of the driver without a GPU: sets it up, and runs a session on it. */

#include <proact/proact.h>
#include <stdbool.h>

#include "device/device.h"

/* As freshly loaded, with these settings, "NAME=VALUE NAME=VALUE"; fails the test without
   the driver. */
void fake_cuda_set_up(const char *settings);
/* Objects that nobody gave back. */
unsigned fake_cuda_still_left(void);
/* How often a function of the driver was called. */
unsigned fake_cuda_calls_of(const char *name);
/* Launches of graphs, as they were made, that wait themselves for the kernel ahead. */
unsigned fake_cuda_early_launches(void);

struct fake_cuda_plan {
    const char *method;   /* NULL: bulk */
    uint64_t chunk_bytes; /* 0: as the method likes */
    unsigned devices;     /* 0: all */
    unsigned threads;     /* that launch; 0: as many as cores */
    bool is_recorded;     /* launches are recorded, and replayed */
    bool is_observed;
    bool is_lazy;         /* the others are opened when the array is there */
    bool forgets;         /* the kernel never says that it is done */
    double wait_limit_ms; /* 0: 50 */
};

/* Opens the devices here, fills an array on all of them twice, looks at every replica, and
   closes. What fails first is what it answers. */
enum proact_status fake_cuda_session(const struct fake_cuda_plan *plan,
                                     struct proact_error *err);
