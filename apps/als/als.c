/* SPDX-License-Identifier: Apache-2.0 */
#include "als/als.h"

#include <stdlib.h>
#include <string.h>

#include "als/als_devices.h"
#include "graph/complain.h"

/* Once to send everything to all devices, once with the consumer prediction, and twice with
   the plans that proact selects by these times: arrays alternate in each sweep. */
enum { WARM_UP_SWEEPS = 4 };

/* Adds the sums of all CTAs in order. */
static enum proact_status add_sums(struct proact_array *sums, size_t work, uint32_t least,
                                   double *out, struct proact_error *err)
{
    uint32_t each = als_each(work, least);
    size_t count = (work + each - 1) / each;
    double *part = app_calloc(count, sizeof *part), sum = 0;
    enum proact_status status = PROACT_OK;

    if (count)
        status = proact_array_read(sums, 0, part, count, err);
    for (size_t i = 0; i < count; i++)
        sum += part[i];
    free(part);
    if (!status)
        *out = sum;
    return status;
}

static enum proact_status read_sums(struct als_devices *d, struct als_sums *out,
                                    struct proact_error *err)
{
    double users = 0, items = 0;
    enum proact_status status;

    if ((status = add_sums(d->training.sums, d->training.count, ALS_ERRORS_EACH,
                           &out->training, err)) ||
        (status = add_sums(d->validation.sums, d->validation.count, ALS_ERRORS_EACH,
                           &out->validation, err)) ||
        (status = add_sums(d->users.penalty, d->set->user_count, ALS_PENALTY_EACH, &users,
                           err)) ||
        (status =
             add_sums(d->items.penalty, d->set->item_count, ALS_PENALTY_EACH, &items, err)))
        return status;
    out->penalty = users + items;
    return PROACT_OK;
}

/* Initial factors in the type of the devices. free(result). */
static void *start_factors(const struct als_devices *d, const struct als_side *side)
{
    const size_t count = (size_t)side->rows->row_count * d->options.rank;
    void *factors = app_calloc(count, als_element_bytes(&d->options));
    float *single = factors;

    if (d->options.is_single)
        for (size_t i = 0; i < count; i++)
            single[i] = (float)side->start[i];
    else
        memcpy(factors, side->start, count * sizeof *side->start);
    return factors;
}

static enum proact_status write_factors(const struct als_devices *d,
                                        const struct als_side *side, unsigned sweep,
                                        const void *from, struct proact_error *err)
{
    return proact_array_write(side->factors[als_parity(&d->options, sweep)], 0, from,
                              (size_t)side->rows->row_count * d->options.rank, err);
}

static enum proact_status read_factors(const struct als_devices *d,
                                       const struct als_side *side, unsigned sweep,
                                       void *into, struct proact_error *err)
{
    return proact_array_read(side->factors[als_parity(&d->options, sweep)], 0, into,
                             (size_t)side->rows->row_count * d->options.rank, err);
}

/* A run; the result's factors are also the host memory of states. */
struct als_run {
    struct als_devices devices;
    struct als_record record;
    struct als_result result;
    unsigned saved; /* sweep of the last state */
};

enum { STATE_PARTS = 3 };

static void list_als_state(struct als_run *run, struct app_part parts[STATE_PARTS])
{
    const struct als_result *r = &run->result;
    const size_t row_bytes = r->rank * r->element_bytes;

    parts[0] = (struct app_part){"users", r->users, r->user_count * row_bytes};
    parts[1] = (struct app_part){"items", r->items, r->item_count * row_bytes};
    parts[2] = (struct app_part){"errors", &run->record.marks, sizeof run->record.marks};
}

static enum proact_status read_result(struct als_run *run, struct proact_error *err)
{
    const struct als_devices *d = &run->devices;
    struct als_result *r = &run->result;
    enum proact_status status = read_factors(d, &d->users, r->sweeps, r->users, err);

    return status ? status : read_factors(d, &d->items, r->sweeps, r->items, err);
}

static enum proact_status save_als_state(struct als_run *run, struct proact_error *err)
{
    const struct app_checkpoint *c = &run->devices.options.checkpoint;
    const struct als_result *r = &run->result;
    struct app_part parts[STATE_PARTS];

    if (!c->every || r->sweeps - run->saved < c->every || run->record.converged ||
        r->sweeps == run->devices.options.sweeps_max)
        return PROACT_OK;
    enum proact_status status = read_result(run, err);

    list_als_state(run, parts);
    run->saved = r->sweeps;
    return status ? status : c->save(c->context, r->sweeps, parts, STATE_PARTS, err);
}

/* Initial factors, or those of a saved state. */
static enum proact_status write_als_state(struct als_run *run, struct proact_error *err)
{
    const struct als_devices *d = &run->devices;
    const struct app_checkpoint *c = &d->options.checkpoint;
    struct als_result *r = &run->result;
    struct app_part parts[STATE_PARTS];
    enum proact_status status = PROACT_OK;

    r->users = start_factors(d, &d->users);
    r->items = start_factors(d, &d->items);
    list_als_state(run, parts);
    if (c->load && (status = c->load(c->context, &r->sweeps, parts, STATE_PARTS, err)))
        return status;
    if (r->sweeps > d->options.sweeps_max)
        return complain(err, PROACT_EINVAL,
                        "the checkpoint is of sweep %u: expected at most %u", r->sweeps,
                        d->options.sweeps_max);
    if ((status = write_factors(d, &d->users, r->sweeps, r->users, err)) ||
        (status = write_factors(d, &d->items, r->sweeps, r->items, err)))
        return status;
    run->saved = r->sweeps;
    return PROACT_OK;
}

/* Modules, tables and consumer predictions are made before the clock starts, whatever the
   number of sweeps. */
static enum proact_status warm_up(struct als_devices *d, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned sweep = 1; sweep <= WARM_UP_SWEEPS && !status; sweep++)
        if (!(status = als_sweep_launch(d, sweep, err)) &&
            !(status = als_errors_launch(d, sweep, err)))
            status = proact_wait(d->session, err);
    return status;
}

static enum proact_status run_sweep(struct als_run *run, struct proact_error *err)
{
    struct als_devices *d = &run->devices;
    const unsigned sweep = ++run->result.sweeps;
    struct als_sums sums = {0};
    enum proact_status status = als_sweep_launch(d, sweep, err);

    if (!status && als_record_is_due(&run->record, sweep) &&
        !(status = als_errors_launch(d, sweep, err)) &&
        !(status = read_sums(d, &sums, err)))
        status = als_record_add(&run->record, sweep, &sums, err);
    return status ? status : save_als_state(run, err);
}

static enum proact_status run_timed(struct als_run *run, struct proact_error *err)
{
    struct proact *p = run->devices.session;
    struct als_result *r = &run->result;
    enum proact_status status;

    if ((status = warm_up(&run->devices, err)) || (status = write_als_state(run, err)) ||
        (status = proact_wait(p, err)))
        return status;
    if (run->devices.options.progress)
        run->devices.options.progress(run->devices.options.context, 0, 0);
    uint64_t began = proact_now_ns(p);

    proact_statistics_reset(p);
    while (!run->record.converged && r->sweeps < run->devices.options.sweeps_max)
        if ((status = run_sweep(run, err)))
            return status;
    if ((status = proact_wait(p, err)))
        return status;
    r->time_ns = proact_now_ns(p) - began;
    r->is_split = als_kernels_are_split(&run->devices);
    status = proact_statistics_get(p, PROACT_ALL_DEVICES, NULL, &r->statistics, err);
    return status ? status : read_result(run, err);
}

void als_prepared_clear(struct als_prepared *prepared)
{
    free(prepared->users);
    free(prepared->items);
    *prepared = (struct als_prepared){0};
}

static void als_prepare(const struct rating_set *set, unsigned rank,
                        struct als_prepared *out)
{
    out->users = als_start(&set->by_user, true, rank);
    out->items = als_start(&set->by_item, false, rank);
}

enum proact_status als_run(struct proact *p, const struct rating_set *set,
                           const struct als_options *given, struct als_result *out,
                           struct proact_error *err)
{
    struct als_run run = {.devices = {.session = p, .set = set}};
    struct als_devices *d = &run.devices;
    struct als_result *r = &run.result;
    enum proact_status status = als_defaults(set, given, &d->options, err);

    if (status)
        return status;
    *r = (struct als_result){.element_bytes = als_element_bytes(&d->options),
                             .user_count = set->user_count,
                             .item_count = set->item_count,
                             .rank = d->options.rank};
    struct als_prepared own = {0};
    struct als_prepared *prepared = d->options.prepared ? d->options.prepared : &own;

    if (!prepared->users)
        als_prepare(set, d->options.rank, prepared);
    d->users.start = prepared->users;
    d->items.start = prepared->items;
    als_record_init(&run.record, set, &d->options);
    if (!(status = als_devices_init(d, err)) && !(status = als_kernels_load(d, err)))
        status = run_timed(&run, err);
    als_devices_clear(d);
    als_prepared_clear(&own);
    r->errors = run.record.errors;
    r->error_count = run.record.count;
    r->last = run.record.marks.last;
    r->best = run.record.marks.best;
    r->converged = run.record.converged;
    if (status)
        als_clear(r);
    else
        *out = *r;
    return status;
}
