/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Jacobi iteration for Laplace's equation on a square, in float32. Each interior cell
   becomes the mean of its four neighbours. The left and right edges have the values sin(2
   pi y), the others 0. */

#include <proact/proact.h>

#include "graph/app_state.h"
#include "graph/repeat.h"

/* A zero field selects the default. */
struct jacobi_options {
    unsigned size;           /* cells per side with the edges, at least 3; default 1024 */
    unsigned iterations_max; /* default 100 */
    double tolerance;        /* L2 change below which to stop; default 1e-6. Negative:
                                never */
    /* NULL, or the launches of an earlier run that this one repeats, whatever the data: for
       a session without transfers, whose result is wrong. */
    const struct repeat_schedule *schedule;
    /* On devices also called with iteration 0, before the clock starts. May be NULL. */
    void (*progress)(void *context, unsigned iteration, double residual);
    void *context;
    bool every_iteration; /* progress is called for each iteration, which takes longer */
    struct app_checkpoint checkpoint;
    bool annotated; /* use the kernel with annotated stores and a map by hand */
};

struct jacobi_result {
    float *cells; /* size * size, by rows */
    unsigned size, iterations;
    double residual; /* the change in the last iteration */
    bool converged;
    struct repeat_schedule schedule; /* empty if one was given */
    uint64_t time_ns; /* of the iterations, by the devices' clock; virtual if emulated */
    struct proact_statistics statistics; /* of the iterations */
};

/* Runs on all devices of the session. The result is identical for any number of devices and
   any method. PROACT_EINVAL for an invalid size. */
enum proact_status jacobi_run(struct proact *p, const struct jacobi_options *options,
                              struct jacobi_result *out, struct proact_error *err);

/* The same on the host. The cells are identical; the residual is equal up to rounding. */
enum proact_status jacobi_reference(const struct jacobi_options *options,
                                    struct jacobi_result *out, struct proact_error *err);
void jacobi_clear(struct jacobi_result *r);
