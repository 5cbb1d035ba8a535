/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A study: one application on one machine under several methods. Each method is compared
   with one device and with the limit in which transfers take no time (PROACT V). */

#include "run/run_application.h"
#include "topology/topology.h"

/* One method. An unknown figure is NAN: without emulation there is no limit study. */
struct run_row {
    const char *method; /* borrowed */
    uint64_t time_ns;
    uint64_t instant_ns; /* the time if transfers take no time; 0: not known */
    double speedup;      /* over one device */
    double captured;     /* speedup as a fraction of the ideal */
    double hidden;       /* fraction of the bulk copies' time that is hidden */
    struct proact_statistics statistics;
    bool equal;        /* the answer equals that of one device */
    size_t differs_at; /* the first byte that differs, if any */
};

struct run_study {
    struct run_outcome one; /* one device; owns the answer */
    uint64_t ideal_ns;      /* bulk if transfers take no time; 0: not known */
    bool emulated;
    bool is_single; /* `one` is the run of the only row, on all devices */
    unsigned device_count, row_count;
    struct run_row row[RUN_METHODS_MAX];
};

/* `topology` is the machine with only the devices in use. --trace records only the
   method. */
enum proact_status run_study_make(const struct run_application *application, void *work,
                                  const struct run_request *request,
                                  const struct topology *topology, struct run_study *out,
                                  struct proact_error *err);
bool run_study_differs(const struct run_study *s);
void run_study_clear(struct run_study *s);
