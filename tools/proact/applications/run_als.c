/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "als/als.h"
#include "als/ratings_read.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "run/run_application.h"

enum { RANK_DEFAULT = 32, REPORT_MAX = 1000000 };
#define POSITIVE_MIN 1e-12 /* of lambda and gamma */
#define POSITIVE_MAX 1e12
enum {
    ALS_UPDATE,
    ALS_RANK,
    ALS_LAMBDA,
    ALS_GAMMA,
    ALS_BLOCKS,
    ALS_REPORT,
    ALS_PRECISION,
    ALS_KERNEL
};
enum { PRECISION_F64, PRECISION_F32 };
enum { KERNEL_DEFAULT, KERNEL_PAPER };

/* The order of the choices of --update is that of enum als_update. */
static const struct run_option als_options_table[] = {
    [ALS_UPDATE] = {.name = "update",
                    .kind = RUN_CHOICE,
                    .argument = "NAME",
                    .help = "als, gradient or sgd (default als)",
                    .choices = "als|gradient|sgd"},
    [ALS_RANK] = {.name = "rank",
                  .kind = RUN_WHOLE,
                  .argument = "K",
                  .help = "factors of a user or an item, 1 to 256 (default 32)",
                  .low = 1,
                  .high = ALS_RANK_MAX},
    [ALS_LAMBDA] = {.name = "lambda",
                    .kind = RUN_REAL,
                    .argument = "X",
                    .help = "weight of the penalty, above 0 (default 0.1)",
                    .least = POSITIVE_MIN,
                    .most = POSITIVE_MAX},
    [ALS_GAMMA] = {.name = "gamma",
                   .kind = RUN_REAL,
                   .argument = "X",
                   .help = "step of gradient (default 0.005) and sgd (default 0.02)",
                   .least = POSITIVE_MIN,
                   .most = POSITIVE_MAX},
    [ALS_BLOCKS] = {.name = "blocks",
                    .kind = RUN_WHOLE,
                    .argument = "B",
                    .help = "sgd: blocks of users and of items, at most 256 (default 16)",
                    .low = 1,
                    .high = ALS_BLOCKS_MAX},
    [ALS_REPORT] = {.name = "report",
                    .kind = RUN_WHOLE,
                    .argument = "N",
                    .help = "compute the errors every N sweeps (default 1)",
                    .low = 1,
                    .high = REPORT_MAX},
    [ALS_PRECISION] = {.name = "precision",
                       .kind = RUN_CHOICE,
                       .argument = "TYPE",
                       .help = "of the factors: f64 or f32 (default f64)",
                       .choices = "f64|f32"},
    [ALS_KERNEL] = {.name = "kernel",
                    .kind = RUN_CHOICE,
                    .argument = "NAME",
                    .help =
                        "gradient: default, a warp per row; or paper, a thread per row\n"
                        "that stores its factors one by one",
                    .choices = "default|paper"},
    {.name = NULL},
};

struct als_work {
    const char *path;
    struct rating_set set;
    struct als_options options;
    struct als_prepared prepared;  /* of all runs */
    uint32_t *user_ids, *item_ids; /* NULL: the numbers from 1, or not of 32 bits */
    struct als_errors last, best;  /* of the last run; all runs are equal */
};

/* Identifiers in 32 bits, or NULL. free(result). */
static uint32_t *narrow_ids(const uint64_t *ids, uint32_t count)
{
    if (!ids || !count || ids[count - 1] > UINT32_MAX)
        return NULL;
    uint32_t *narrow = must_calloc(count, sizeof *narrow);

    for (uint32_t i = 0; i < count; i++)
        narrow[i] = (uint32_t)ids[i];
    return narrow;
}

static void close_als(void *context)
{
    struct als_work *work = context;

    als_prepared_clear(&work->prepared);
    rating_set_clear(&work->set);
    free(work->user_ids);
    free(work->item_ids);
    free(work);
}

static void take_als_options(const struct run_request *request, struct als_options *o)
{
    const struct run_value *value = request->value;

    *o = (struct als_options){
        .update = (enum als_update)value[ALS_UPDATE].choice,
        .rank = value[ALS_RANK].given ? (unsigned)value[ALS_RANK].whole : RANK_DEFAULT,
        .lambda = value[ALS_LAMBDA].real,
        .gamma = value[ALS_GAMMA].real,
        .blocks = (unsigned)value[ALS_BLOCKS].whole,
        .report_sweeps = (unsigned)value[ALS_REPORT].whole,
        .is_single = value[ALS_PRECISION].choice == PRECISION_F32,
        .is_paper_kernel = value[ALS_KERNEL].choice == KERNEL_PAPER,
        .sweeps_max = request->iterations,
        .tolerance = request->tolerance,
    };
}

static enum proact_status open_als(const struct run_request *request, void **out,
                                   struct proact_error *err)
{
    struct als_work *work = must_calloc(1, sizeof *work);
    struct ratings ratings = {0};
    struct als_options given;
    enum proact_status status = ratings_read(request->input, &ratings, err);

    work->path = request->input;
    if (!status)
        status = rating_set_create(request->input, &ratings, &work->set, err);
    take_als_options(request, &given);
    if (!status)
        status = als_defaults(&work->set, &given, &work->options, err);
    work->user_ids = narrow_ids(ratings.user_id, ratings.user_count);
    work->item_ids = narrow_ids(ratings.item_id, ratings.item_count);
    ratings_clear(&ratings);
    if (status) {
        close_als(work);
        return status;
    }
    *out = work;
    return PROACT_OK;
}

static enum proact_status run_als_once(void *context, struct proact *p,
                                       const struct run_watcher *watcher,
                                       struct run_outcome *out, struct proact_error *err)
{
    struct als_work *work = context;
    struct als_options options = work->options;
    struct als_result r;

    options.prepared = &work->prepared;
    options.progress = watcher->progress;
    options.context = watcher->context;
    options.checkpoint = watcher->checkpoint;
    if (watcher->schedule) {
        options.sweeps_max = watcher->schedule->iterations;
        options.ignores_errors = true;
    }
    enum proact_status status = als_run(p, &work->set, &options, &r, err);

    if (status)
        return status;
    const size_t row_bytes = r.rank * r.element_bytes;
    const size_t users = r.user_count * row_bytes, items = r.item_count * row_bytes;
    char *answer = must_calloc(users + items, 1);

    memcpy(answer, r.users, users);
    memcpy(answer + users, r.items, items);
    if (!watcher->schedule) {
        work->last = r.last;
        work->best = r.best;
    }
    *out = (struct run_outcome){.answer = answer,
                                .answer_bytes = users + items,
                                .iterations = r.sweeps,
                                .residual = r.last.training,
                                .converged = r.converged,
                                .time_ns = r.time_ns,
                                .statistics = r.statistics,
                                .schedule.iterations = r.sweeps};
    als_clear(&r);
    return PROACT_OK;
}

static void print_als_input(const void *context, FILE *to)
{
    const struct als_work *work = context;
    const struct rating_set *s = &work->set;
    const struct als_options *o = &work->options;
    static const char *const updates[] = {"alternating least squares", "gradient descent",
                                          "stochastic gradient descent by strata"};

    fprintf(to,
            "Matrix factorisation of %s by %s: %u users, %u items, %zu ratings to train, "
            "%zu to validate\n"
            "rank %u, lambda %g",
            work->path, updates[o->update], s->user_count, s->item_count, s->training_count,
            s->validation_count, o->rank, o->lambda);
    if (o->update != ALS_SOLVE)
        fprintf(to, ", gamma %g", o->gamma);
    if (o->update == ALS_STRATA)
        fprintf(to, ", %u x %u blocks", o->blocks, o->blocks);
    fprintf(to, ", %s%s\n", o->is_single ? "f32" : "f64",
            o->is_paper_kernel ? ", the paper's kernel" : "");
    if (s->unknown_ratings)
        fprintf(to,
                "%zu validation ratings are of %u users without training ratings, whose "
                "factors are not learned\n",
                s->unknown_ratings, s->unknown_users);
    fprintf(to, "\n");
}

static void print_als_answer(const void *context, const struct run_outcome *outcome,
                             FILE *to)
{
    const struct als_work *work = context;
    const struct rating_set *s = &work->set;
    const struct als_errors *last = &work->last, *best = &work->best;

    fprintf(to, "RMSE of training %.6f (of the mean alone: %.6f)\n", last->training,
            s->training_deviation);
    if (s->validation_count)
        fprintf(to, "RMSE of validation %.6f (of the mean alone: %.6f)\n", last->validation,
                s->validation_deviation);
    fprintf(to, "%u sweeps, %s: objective %.6f\n", outcome->iterations,
            outcome->converged ? "converged" : "not converged", last->objective);
    if (s->validation_count && best->validation < last->validation)
        fprintf(to,
                "The RMSE of validation was lowest after sweep %u (%.6f) and rises since: "
                "overfitting.\nA larger lambda or fewer sweeps avoid it.\n",
                best->sweep, best->validation);
}

static void write_als_input(const void *context, struct json_writer *w)
{
    const struct als_work *work = context;
    const struct rating_set *s = &work->set;
    const struct als_options *o = &work->options;

    json_put_text(w, "ratings", work->path);
    json_put_whole(w, "users", s->user_count);
    json_put_whole(w, "items", s->item_count);
    json_put_whole(w, "training_ratings", s->training_count);
    json_put_whole(w, "validation_ratings", s->validation_count);
    json_put_whole(w, "validation_users_without_training", s->unknown_users);
    json_put_text(w, "update",
                  o->update == ALS_SOLVE      ? "als"
                  : o->update == ALS_GRADIENT ? "gradient"
                                              : "sgd");
    json_put_whole(w, "rank", o->rank);
    json_put_real(w, "lambda", o->lambda);
    if (o->update != ALS_SOLVE)
        json_put_real(w, "gamma", o->gamma);
    if (o->update == ALS_STRATA)
        json_put_whole(w, "blocks", o->blocks);
    json_put_text(w, "precision", o->is_single ? "f32" : "f64");
    json_put_text(w, "kernel", o->is_paper_kernel ? "paper" : "default");
}

static void write_als_answer(const void *context, const struct run_outcome *outcome,
                             struct json_writer *w)
{
    const struct als_work *work = context;

    (void)outcome;
    json_put_real(w, "training_rmse", work->last.training);
    if (work->set.validation_count) {
        json_put_real(w, "validation_rmse", work->last.validation);
        json_put_real(w, "lowest_validation_rmse", work->best.validation);
        json_put_whole(w, "lowest_validation_sweep", work->best.sweep);
    }
    json_put_real(w, "objective", work->last.objective);
}

static unsigned list_factors(const void *context, const struct run_outcome *outcome,
                             struct run_array arrays[RUN_ARRAYS_MAX])
{
    const struct als_work *work = context;
    const struct rating_set *s = &work->set;
    const size_t rank = work->options.rank;
    const bool single = work->options.is_single;
    const size_t row_bytes = rank * (single ? sizeof(float) : sizeof(double));
    const char *users = outcome->answer, type = single ? 'f' : 'd';
    unsigned count = 2;

    arrays[0] = (struct run_array){"users", type, 2, {s->user_count, rank}, users};
    arrays[1] = (struct run_array){
        "items", type, 2, {s->item_count, rank}, users + s->user_count * row_bytes};
    if (work->user_ids)
        arrays[count++] =
            (struct run_array){"user_ids", 'u', 1, {s->user_count}, work->user_ids};
    if (work->item_ids)
        arrays[count++] =
            (struct run_array){"item_ids", 'u', 1, {s->item_count}, work->item_ids};
    return count;
}

/* As many sweeps; an objective near the tolerance may fall on either side of it. */
static enum proact_status compare_errors(const void *context,
                                         const struct run_outcome *outcome,
                                         struct run_comparison *out,
                                         struct proact_error *err)
{
    const struct als_work *work = context;
    struct als_options options = work->options;
    struct als_result want;

    options.sweeps_max = outcome->iterations;
    options.tolerance = -1;
    enum proact_status status = als_reference(&work->set, &options, &want, err);

    if (status)
        return status;
    *out = (struct run_comparison){
        .what = "difference of the RMSE of training or validation",
        .difference = fmax(fabs(work->last.training - want.last.training),
                           fabs(work->last.validation - want.last.validation)),
        .tolerance = options.is_single ? 2e-4 : 1e-9};
    als_clear(&want);
    return PROACT_OK;
}

static void add_als_key(const void *context, struct text *key)
{
    const struct als_work *work = context;
    const struct rating_set *s = &work->set;
    const struct als_options *o = &work->options;
    uint64_t hash = 0;

    for (size_t i = 0; i < s->training_count; i++) {
        const struct rating *r = &s->training[i];

        hash = hash_bytes(&r->user, sizeof r->user, hash);
        hash = hash_bytes(&r->item, sizeof r->item, hash);
        hash = hash_bytes(&r->value, sizeof r->value, hash);
    }
    text_print(key, "ratings of %u users and %u items, hash %016llx\n", s->user_count,
               s->item_count, (unsigned long long)hash);
    text_print(key, "update %d\nrank %u\nlambda %.17g\ngamma %.17g\nblocks %u\n",
               (int)o->update, o->rank, o->lambda, o->gamma, o->blocks);
    text_print(key, "report %u\nprecision %s\nkernel %s\n", o->report_sweeps,
               o->is_single ? "f32" : "f64", o->is_paper_kernel ? "paper" : "default");
}

const struct run_application run_als = {
    .name = "als",
    .operand = "RATINGS",
    .input_missing = "ratings: a Matrix Market file or CSV",
    .summary = "matrix factorisation of ratings of items by users",
    .help =
        "Factorise a matrix of ratings: the product of the factors of a user and an item\n"
        "predicts a rating. RATINGS is a Matrix Market file with values, whose rows are\n"
        "users and whose columns are items, or CSV with user,item,rating; plain or gzip.\n"
        "A tenth of the ratings is for validation and does not train.\n"
        "\n"
        "--update als solves a least-squares problem for each user, then for each item.\n"
        "gradient is gradient descent by rows, as in the paper. sgd is stochastic "
        "gradient\n"
        "descent on blocks of users and items; blocks that share none run at once.\n"
        "At most 20 sweeps (--iterations), 100 for gradient and sgd; stop if the "
        "objective\n"
        "falls by less than 1e-5 of itself (--tolerance). The output is users.npy and\n"
        "items.npy in a folder, with user_ids.npy and item_ids.npy for CSV.\n"
        "\n"
        "Example:\n"
        "  proact make ratings --users 2000 --items 500 --draws 50000 -o ratings.mtx\n"
        "  proact run als ratings.mtx --rank 16 --iterations 10\n"
        "      Ratings with factors of rank 8 and noise of deviation 0.5.\n",
    .options = als_options_table,
    .open = open_als,
    .run = run_als_once,
    .print_input = print_als_input,
    .print_answer = print_als_answer,
    .write_input = write_als_input,
    .write_answer = write_als_answer,
    .list_arrays = list_factors,
    .compare = compare_errors,
    .add_key = add_als_key,
    .quantity = "RMSE",
    .close = close_als,
};
