/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_application.h"

/* The applications, in the order of the help text. */
extern const struct run_application run_pagerank, run_sssp, run_jacobi, run_band, run_als,
    run_ct;

const struct run_application *const run_applications[] = {
    &run_pagerank, &run_sssp, &run_jacobi, &run_band, &run_als, &run_ct, NULL,
};
