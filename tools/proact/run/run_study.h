/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One application on one machine under several methods, each compared with one device and
   with the paper's limit, transfers that take no time (DESIGN: PROACT V). */

#include "run/run_application.h"
#include "topology/topology.h"

/* One method. What cannot be known is NAN: without emulation there is no limit study. */
struct run_row {
    const char *method; /* borrowed */
    uint64_t time_ns;
    uint64_t instant_ns; /* the same with transfers that take no time; 0: not known */
    double speedup;      /* over one device */
    double captured;     /* speedup as a share of the ideal */
    double hidden;       /* share of the bulk copies' time that does not show */
    struct proact_statistics statistics;
    bool equal;        /* the answer is the one of one device */
    size_t differs_at; /* else: the first byte that is not */
};

struct run_study {
    struct run_outcome one; /* one device: owns the answer */
    uint64_t ideal_ns;      /* bulk with transfers that take no time; 0: not known */
    bool emulated;
    unsigned device_count, row_count;
    struct run_row row[RUN_METHODS_MAX];
};

/* `topology` is the machine, cut to the devices in use; --trace records the method alone.
 */
enum proact_status run_study_make(const struct run_application *application, void *work,
                                  const struct run_request *request,
                                  const struct topology *topology, struct run_study *out,
                                  struct proact_error *err);
bool run_study_differs(const struct run_study *s);
void run_study_clear(struct run_study *s);
