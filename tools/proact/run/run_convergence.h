/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The residual of each iteration of one run, for --log and --plot. */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

struct run_point {
    unsigned iteration;
    double value;
    uint64_t time_ns; /* when the host read the value, by the devices' clock */
};

/* Starts zeroed. */
struct run_convergence {
    struct run_point *point;
    size_t count, capacity;
};

struct run_convergence_labels {
    const char *title, *note; /* two lines above the picture */
    const char *quantity;     /* the name of the values */
};

void run_convergence_add(struct run_convergence *c, struct run_point point);
void run_convergence_clear(struct run_convergence *c);

/* CSV with a heading: iteration, time_ns, quantity. */
enum proact_status run_convergence_log(const struct run_convergence *c,
                                       const char *quantity, const char *path,
                                       struct proact_error *err);
/* An SVG picture with a logarithmic axis of the values. Values that are not above zero are
   left out. */
enum proact_status run_convergence_plot(const struct run_convergence *c,
                                        const struct run_convergence_labels *labels,
                                        const char *path, struct proact_error *err);
