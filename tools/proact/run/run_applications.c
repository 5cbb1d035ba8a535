/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_application.h"

/* The applications, in the order of the help text. */
extern const struct run_application run_pagerank, run_jacobi;

const struct run_application *const run_applications[] = {
    &run_pagerank,
    &run_jacobi,
    NULL,
};
