/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Jacobi's method for a system of linear equations A x = b with a band matrix or a sparse
   one: x' = x + (b - A x) / diagonal, from x = 0. The residual |b - A x| / |b| of every
   iteration is computed in a fixed order. */

#include <proact/proact.h>

#include "graph/app_state.h"
#include "graph/repeat.h"

/* A system. The half-width is the largest difference of a row and a column with an entry. A
   band matrix has its diagonals one after another: a(i, i - half_width + k) is
   diagonals[k * rows + i]. A sparse matrix has the entries of row i at first[i] to
   first[i + 1] - 1, with ascending columns. The other fields are NULL. */
struct band_system {
    uint32_t rows, half_width;
    double *diagonals;
    uint32_t *first, *column;
    double *value;
    double *diagonal; /* by row, none is 0 */
    double *right;    /* b = A times `solution`, each row in the order of columns */
    double *solution; /* from -1 to 1, by a hash of the row */
    double right_norm;
};

/* Band matrix with random entries from -1 to 0 off the diagonal, which is `dominance`
   times the sum of their moduli. The iteration converges above 1 and diverges below. */
struct band_shape {
    uint32_t rows;       /* at least 1 */
    uint32_t half_width; /* less than `rows` */
    double dominance;    /* positive */
};

/* PROACT_EINVAL: the shape is invalid. The numbers depend only on the shape. */
enum proact_status band_generate(const struct band_shape *shape, struct band_system *out,
                                 struct proact_error *err);

/* The matrix of a Matrix Market file; duplicates are added up. PROACT_EINVAL: the matrix is
   not square, or a row has a zero on the diagonal; the message names the row from 1. */
enum proact_status band_read(const char *path, struct band_system *out,
                             struct proact_error *err);
void band_system_clear(struct band_system *s);

enum band_type { BAND_F64, BAND_F32 };

#define BAND_F32_TOLERANCE_MIN 1e-6 /* f32 does not reach smaller residuals in general */

/* Numbers of a system in f32. */
struct band_prepared {
    float *matrix, *right, *diagonal; /* NULL: nothing is prepared */
};

/* A zero field selects the default. */
struct band_options {
    enum band_type type;
    unsigned iterations_max; /* default 2000 */
    double tolerance; /* residual below which to stop; default 1e-10, f32 1e-6. Negative:
                         never */
    /* NULL, or the launches of an earlier run that this one repeats, whatever the data: for
       a session without transfers, whose result is wrong. */
    const struct repeat_schedule *schedule;
    /* On devices also called with iteration 0, before the clock starts. May be NULL. */
    void (*progress)(void *context, unsigned iteration, double residual);
    bool every_iteration; /* progress is called for each iteration, in order */
    void *context;
    struct app_checkpoint checkpoint;
    /* Zeroed, or filled by an earlier run of the system in f32: band_prepared_clear() by
       the owner. NULL: each run makes its own. */
    struct band_prepared *prepared;
};

void band_prepared_clear(struct band_prepared *prepared);

struct band_result {
    enum band_type type;
    union {
        double *f64;
        float *f32;
        void *any;
    } x;
    unsigned iterations; /* that made x */
    double residual;     /* of x */
    bool converged;
    struct repeat_schedule schedule; /* empty if one was given */
    uint64_t time_ns; /* of the iterations, by the devices' clock; virtual if emulated */
    struct proact_statistics statistics; /* of the iterations */
};

/* Runs on all devices of the session. The result is identical for any number of devices and
   any method. PROACT_EINVAL: the tolerance is below BAND_F32_TOLERANCE_MIN in f32, or the
   residual grew in 10 iterations in a row; the message states both residuals. */
enum proact_status band_run(struct proact *p, const struct band_system *s,
                            const struct band_options *options, struct band_result *out,
                            struct proact_error *err);

/* The same on the host. x is identical; the residual is equal up to rounding. */
enum proact_status band_reference(const struct band_system *s,
                                  const struct band_options *options,
                                  struct band_result *out, struct proact_error *err);
void band_clear(struct band_result *r);

/* The largest difference of x from the solution. */
double band_error(const struct band_system *s, const struct band_result *r);
