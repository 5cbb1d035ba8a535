/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Matrix factorisation of ratings: each user u and each item v has a row of `rank` factors,
   and their inner product p_u q_v predicts a rating, relative to the mean. Minimized is the
   sum of squared errors plus lambda times the sum of n |p|^2 over all rows, where n is the
   number of training ratings of the row. */

#include <proact/proact.h>

#include "als/rating_set.h"
#include "graph/app_state.h"

enum { ALS_RANK_MAX = 256, ALS_BLOCKS_MAX = 256 };

enum als_update {
    /* Alternating least squares with weighted regularisation (Zhou et al. 2008): solves
       (sum q q' + lambda n I) p = sum q r for all users, then for all items. */
    ALS_SOLVE,
    /* Gradient descent by vertices (the paper's form): p += gamma (sum e q - lambda n p),
       on both sides from the factors of the sweep before. */
    ALS_GRADIENT,
    /* Stochastic gradient descent by strata (Gemulla et al. 2011) of blocks x blocks
       blocks. Stratum s has the blocks (a, a + s mod blocks). The ratings of a block are
       taken in the order of users and items. Sweep t has the step gamma / (1 + 0.1 (t -
       1)). */
    ALS_STRATA,
};

/* Initial factors by row, which depend only on the ratings and the rank. */
struct als_prepared {
    double *users, *items; /* NULL: nothing is prepared */
};

/* A zero field selects the default, except for the rank. */
struct als_options {
    enum als_update update;
    unsigned rank;   /* 1 to ALS_RANK_MAX */
    double lambda;   /* default 0.1 */
    double gamma;    /* default 0.005; strata: 0.02 */
    unsigned blocks; /* of strata: at most ALS_BLOCKS_MAX, users and items; default 16 */
    unsigned sweeps_max; /* default 20; gradient and strata: 100 */
    /* Relative decrease of the objective between two reports below which to stop; default
       1e-5. Negative: never. */
    double tolerance;
    unsigned report_sweeps; /* sweeps between two reports of the errors; default 1 */
    bool is_single;         /* factors in float32 on the devices; else float64 */
    bool ignores_errors;    /* runs all sweeps, whatever the errors: without transfers */
    bool is_paper_kernel;   /* gradient: one thread per row stores factors one by one */
    /* On devices also called with sweep 0, before the clock starts. May be NULL. */
    void (*progress)(void *context, unsigned sweep, double training_rmse);
    void *context;
    struct app_checkpoint checkpoint; /* of als_run() */
    /* Zeroed, or filled by an earlier als_run() with the ratings and the rank:
       als_prepared_clear() by the owner. NULL: each run makes its own. */
    struct als_prepared *prepared;
};

void als_prepared_clear(struct als_prepared *prepared);

/* The errors after a sweep. */
struct als_errors {
    unsigned sweep;
    double training, validation; /* RMSE; validation is 0 without validation ratings */
    double objective;
};

struct als_result {
    /* By row, `rank` factors each, of element_bytes: float or double. */
    void *users, *items;
    size_t element_bytes;
    uint32_t user_count, item_count, rank;
    struct als_errors *errors; /* of the sweeps that this run reported, in order */
    unsigned error_count, sweeps;
    struct als_errors last, best; /* best: the lowest validation RMSE of all sweeps */
    bool converged;
    bool is_split;    /* all devices took part in each kernel of the update */
    uint64_t time_ns; /* of the sweeps and reports, by the devices' clock */
    struct proact_statistics statistics;
};

/* The options with defaults. PROACT_EINVAL for one that is out of range. */
enum proact_status als_defaults(const struct rating_set *set,
                                const struct als_options *given, struct als_options *out,
                                struct proact_error *err);

/* Runs on all devices of the session. The result is identical for any number of devices and
   any method. PROACT_EINVAL: an option out of range, or sweeps that diverge: the training
   error exceeds ten times its lowest value. */
enum proact_status als_run(struct proact *p, const struct rating_set *set,
                           const struct als_options *options, struct als_result *out,
                           struct proact_error *err);

/* The same on the host in float64; equal up to rounding. */
enum proact_status als_reference(const struct rating_set *set,
                                 const struct als_options *options, struct als_result *out,
                                 struct proact_error *err);
void als_clear(struct als_result *r);
