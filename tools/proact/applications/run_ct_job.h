/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of `proact run ct`. */

#include "ct/ct.h"
#include "ct/ct_png.h"
#include "run/run_application.h"

struct ct_job {
    const char *image, *sinogram; /* NULL: the phantom */
    struct ct_scan scan;
    struct ct_options options;
    struct ct_window window;
    double counts;
    uint64_t noise_seed;
    bool descends;            /* on the host */
    struct ct_state *history; /* with --monitor: by iteration of the last run */
    double *start;            /* the first image of all runs */
    size_t history_count, history_capacity;
    struct ct_state state; /* of the last run; the same of all runs that are equal */
};

extern const struct run_option run_ct_options[];

/* The options as run_application.open; ct_job_close() frees the job. */
enum proact_status ct_job_open(const struct run_request *request, void **job,
                               struct proact_error *err);
void ct_job_close(void *job);
