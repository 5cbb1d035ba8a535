/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "als/als_setup.h"
#include "graph/complain.h"

struct host_run {
    const struct rating_set *set;
    struct als_options options;
    struct als_strata strata;
    double *users, *items, *spare; /* spare: the larger side */
    double *matrix;                /* rank x rank, and a right side */
};

static double inner_product(const double *p, const double *q, unsigned rank)
{
    double sum = 0;

    for (unsigned k = 0; k < rank; k++)
        sum += p[k] * q[k];
    return sum;
}

static double host_square_error(const struct host_run *run, const struct rating *rating,
                                size_t count)
{
    unsigned rank = run->options.rank;
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const double *p = run->users + (size_t)rating[i].user * rank;
        double e = rating[i].value -
                   inner_product(p, run->items + (size_t)rating[i].item * rank, rank);

        sum += e * e;
    }
    return sum;
}

static double host_penalty(const struct rating_rows *rows, const double *factors,
                           unsigned rank)
{
    double sum = 0;

    for (uint32_t row = 0; row < rows->row_count; row++) {
        const double *p = factors + (size_t)row * rank;

        sum += rating_rows_degree(rows, row) * inner_product(p, p, rank);
    }
    return sum;
}

/* The lower triangle of sum q q' + lambda n I, and sum q r. */
static void fill_matrix(const struct rating_rows *rows, uint32_t row, const double *other,
                        const struct als_options *o, double *matrix, double *right)
{
    const unsigned rank = o->rank;

    memset(matrix, 0, ((size_t)rank * rank + rank) * sizeof *matrix);
    for (uint32_t e = rows->first[row]; e < rows->first[row + 1]; e++) {
        const double *q = other + (size_t)rows->index[e] * rank;

        for (unsigned i = 0; i < rank; i++) {
            for (unsigned j = 0; j <= i; j++)
                matrix[i * rank + j] += q[i] * q[j];
            right[i] += q[i] * rows->value[e];
        }
    }
    for (unsigned i = 0; i < rank; i++)
        matrix[i * rank + i] += o->lambda * rating_rows_degree(rows, row);
}

/* Replaces the lower triangle by its Cholesky factor. */
static void factorize(double *matrix, unsigned rank)
{
    for (unsigned i = 0; i < rank; i++)
        for (unsigned j = 0; j <= i; j++) {
            double sum = matrix[i * rank + j] -
                         inner_product(&matrix[i * rank], &matrix[j * rank], j);

            matrix[i * rank + j] = i == j ? sqrt(sum) : sum / matrix[j * rank + j];
        }
}

static void substitute(const double *matrix, unsigned rank, double *x)
{
    for (unsigned i = 0; i < rank; i++)
        x[i] = (x[i] - inner_product(&matrix[i * rank], x, i)) / matrix[i * rank + i];
    for (unsigned i = rank; i-- > 0;) {
        for (unsigned j = i + 1; j < rank; j++)
            x[i] -= matrix[j * rank + i] * x[j];
        x[i] /= matrix[i * rank + i];
    }
}

static void solve_side(struct host_run *run, const struct rating_rows *rows,
                       const double *other, double *to)
{
    const unsigned rank = run->options.rank;
    double *right = run->matrix + (size_t)rank * rank;

    for (uint32_t row = 0; row < rows->row_count; row++) {
        if (rating_rows_degree(rows, row) == 0) {
            memset(to + (size_t)row * rank, 0, rank * sizeof *to);
            continue;
        }
        fill_matrix(rows, row, other, &run->options, run->matrix, right);
        factorize(run->matrix, rank);
        substitute(run->matrix, rank, right);
        memcpy(to + (size_t)row * rank, right, rank * sizeof *to);
    }
}

static void descend_side(const struct host_run *run, const struct rating_rows *rows,
                         const double *own, const double *other, double *to)
{
    const struct als_options *o = &run->options;

    for (uint32_t row = 0; row < rows->row_count; row++) {
        const double *p = own + (size_t)row * o->rank;
        double sum[ALS_RANK_MAX] = {0}, n = rating_rows_degree(rows, row);

        for (uint32_t e = rows->first[row]; e < rows->first[row + 1]; e++) {
            const double *q = other + (size_t)rows->index[e] * o->rank;
            double error = rows->value[e] - inner_product(p, q, o->rank);

            for (unsigned k = 0; k < o->rank; k++)
                sum[k] += error * q[k];
        }
        for (unsigned k = 0; k < o->rank; k++)
            to[(size_t)row * o->rank + k] =
                p[k] + o->gamma * (sum[k] - o->lambda * n * p[k]);
    }
}

/* Both sides read the factors of the sweep before. */
static void sweep_gradient(struct host_run *run)
{
    const unsigned rank = run->options.rank;
    const size_t users = (size_t)run->set->user_count * rank;
    double *items = app_calloc((size_t)run->set->item_count * rank, sizeof *items);

    descend_side(run, &run->set->by_user, run->users, run->items, run->spare);
    descend_side(run, &run->set->by_item, run->items, run->users, items);
    memcpy(run->users, run->spare, users * sizeof *run->users);
    free(run->items);
    run->items = items;
}

static void sweep_strata(struct host_run *run, unsigned sweep)
{
    const unsigned rank = run->options.rank;
    const double gamma = als_gamma(&run->options, sweep), lambda = run->options.lambda;

    for (size_t i = 0; i < run->set->training_count; i++) {
        const struct rating *r = &run->strata.rating[i];
        double *p = run->users + (size_t)r->user * rank;
        double *q = run->items + (size_t)r->item * rank;
        double error = r->value - inner_product(p, q, rank);

        for (unsigned k = 0; k < rank; k++) {
            double was = p[k];

            p[k] += gamma * (error * q[k] - lambda * was);
            q[k] += gamma * (error * was - lambda * q[k]);
        }
    }
}

static void host_sweep(struct host_run *run, unsigned sweep)
{
    if (run->options.update == ALS_STRATA) {
        sweep_strata(run, sweep);
    } else if (run->options.update == ALS_GRADIENT) {
        sweep_gradient(run);
    } else {
        solve_side(run, &run->set->by_user, run->items, run->users);
        solve_side(run, &run->set->by_item, run->users, run->items);
    }
}

static enum proact_status host_report(const struct host_run *run, unsigned sweep,
                                      struct als_record *record, struct proact_error *err)
{
    const struct rating_set *set = run->set;
    const unsigned rank = run->options.rank;
    const struct als_sums sums = {
        .training = host_square_error(run, set->training, set->training_count),
        .validation = host_square_error(run, set->validation, set->validation_count),
        .penalty = host_penalty(&set->by_user, run->users, rank) +
                   host_penalty(&set->by_item, run->items, rank)};

    return als_record_add(record, sweep, &sums, err);
}

enum proact_status als_reference(const struct rating_set *set,
                                 const struct als_options *given, struct als_result *out,
                                 struct proact_error *err)
{
    struct host_run run = {.set = set};
    struct als_record record;
    enum proact_status status = als_defaults(set, given, &run.options, err);
    unsigned sweep = 0;

    if (status)
        return status;
    const size_t rank = run.options.rank;

    als_record_init(&record, set, &run.options);
    if (run.options.update == ALS_STRATA)
        als_strata_init(set, run.options.blocks, &run.strata);
    run.users = als_start(&set->by_user, true, run.options.rank);
    run.items = als_start(&set->by_item, false, run.options.rank);
    run.spare = app_calloc(set->user_count * rank, sizeof *run.spare);
    run.matrix = app_calloc(rank * rank + rank, sizeof *run.matrix);
    while (!status && !record.converged && sweep < run.options.sweeps_max) {
        host_sweep(&run, ++sweep);
        if (als_record_is_due(&record, sweep))
            status = host_report(&run, sweep, &record, err);
    }
    als_strata_clear(&run.strata);
    free(run.spare);
    free(run.matrix);
    struct als_result result = {.users = run.users,
                                .items = run.items,
                                .element_bytes = sizeof(double),
                                .user_count = set->user_count,
                                .item_count = set->item_count,
                                .rank = run.options.rank,
                                .errors = record.errors,
                                .error_count = record.count,
                                .sweeps = sweep,
                                .last = record.marks.last,
                                .best = record.marks.best,
                                .converged = record.converged};

    if (status)
        als_clear(&result);
    else
        *out = result;
    return status;
}
