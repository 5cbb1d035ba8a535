/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Common to als_run() and als_reference(): initial factors, the order of strata, and the
   record of the errors with its decisions. */

#include "als/als.h"

/* Row i, factor k: 0.1 times normal number i * rank + k of a seed of the side.
   free(result). */
double *als_start(const struct rating_rows *rows, bool is_users, unsigned rank);

/* Training ratings by stratum, then block. */
struct als_strata {
    unsigned blocks;
    uint32_t *block_first; /* block (a, (a + s) % blocks) is number s * blocks + a */
    struct rating *rating;
};

void als_strata_init(const struct rating_set *set, unsigned blocks, struct als_strata *out);
/* First row of a block: the rows of block b are first(b) .. first(b + 1) - 1. */
uint32_t als_strata_first_row(uint32_t rows, unsigned blocks, unsigned block);
void als_strata_clear(struct als_strata *s);

/* Step of a sweep, from 1. */
double als_gamma(const struct als_options *options, unsigned sweep);

/* Sums after a sweep. */
struct als_sums {
    double training, validation; /* squared errors */
    double penalty;              /* sum of n |p|^2 */
};

/* What later decisions and the report need of the errors so far; zeros before the first
   report, except `lowest`. */
struct als_marks {
    struct als_errors last, best; /* best: lowest validation error */
    double lowest;                /* training error */
};

struct als_record {
    const struct rating_set *set;
    const struct als_options *options;
    struct als_errors *errors; /* of sweeps_max sweeps at most; the caller frees it */
    unsigned count;
    struct als_marks marks;
    bool converged;
};

void als_record_init(struct als_record *r, const struct rating_set *set,
                     const struct als_options *options);
/* Whether the errors of this sweep, from 1, are reported. */
bool als_record_is_due(const struct als_record *r, unsigned sweep);
/* Adds the errors of a sweep. PROACT_EINVAL if they diverge. */
enum proact_status als_record_add(struct als_record *r, unsigned sweep,
                                  const struct als_sums *sums, struct proact_error *err);
