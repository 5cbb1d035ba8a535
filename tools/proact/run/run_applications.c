/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_application.h"

/* The applications, in the order of the help text. */
extern const struct run_application run_pagerank, run_jacobi, run_ct, run_als;

const struct run_application *const run_applications[] = {
    &run_pagerank, &run_jacobi, &run_ct, &run_als, NULL,
};
