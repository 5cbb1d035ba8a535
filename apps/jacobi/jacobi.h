/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Jacobi's iteration for Laplace's equation on a square: each inner cell becomes the mean
   of its four neighbours, in float32. The left and right edge hold sin(2 pi y), the others
   0. */

#include <proact/proact.h>

/* Zero means "choose for me". */
struct jacobi_options {
    unsigned size;           /* cells on a side, with the edges, at least 3; 1024 */
    unsigned iterations_max; /* 100 */
    double tolerance;        /* L2 change below which to stop; 1e-6. Negative: never */
    void (*progress)(void *context, unsigned iteration, double residual); /* may be NULL */
    void *context;
};

struct jacobi_result {
    float *cells; /* size * size, row by row */
    unsigned size, iterations;
    double residual; /* the change in the last iteration */
    bool converged;
    uint64_t time_ns; /* of the iterations, by the devices' clock; virtual where emulated */
    struct proact_statistics statistics; /* of the same */
};

/* Runs on all devices of the session; the result is the same bit for bit on any number of
   them under any method. Fails with PROACT_EINVAL for a size that is not possible. */
enum proact_status jacobi_run(struct proact *p, const struct jacobi_options *options,
                              struct jacobi_result *out, struct proact_error *err);

/* The same on the host. The cells are equal bit for bit, the residual up to rounding. */
enum proact_status jacobi_reference(const struct jacobi_options *options,
                                    struct jacobi_result *out, struct proact_error *err);
void jacobi_clear(struct jacobi_result *r);
