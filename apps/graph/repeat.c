/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/repeat.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/complain.h"
#include "graph/repeat_pairs.h"
#include "graph/repeat_saved.h"

extern const char kernel_repeat[];

enum { LOOK_LAST_ARG = REPEAT_BATCH }; /* argument that repeat_look() writes */
enum { BATCHES_MAX = REPEAT_HISTORY / REPEAT_BATCH }; /* between two queries of the host */
enum {
    PARTS = 3,
    PART_BATCHES = 4
}; /* batches of one recording: about 256 operations of a
      device */

struct part {
    unsigned iterations;                /* 0: unused */
    unsigned working;                   /* iterations before the stop */
    struct proact_recording *recording; /* NULL: single launches */
};

struct loop {
    const struct repeat *repeat;
    struct repeat_saved saved; /* zeroed without checkpoints */
    struct repeat_pairs pairs;
    struct proact_array *last; /* a query writes it */
    struct proact_kernel *look;
    struct part part[PARTS]; /* several batches, one batch, and the remainder */
    /* Parts of a repeated run in which or before which it stops. */
    struct part stopped[PARTS + 1];
    struct repeat_state before, now; /* at the last two queries of the host */
};

static void loop_clear(struct loop *l)
{
    for (unsigned i = 0; i < PARTS; i++)
        proact_recording_destroy(l->part[i].recording);
    for (unsigned i = 0; i <= PARTS; i++)
        proact_recording_destroy(l->stopped[i].recording);
    proact_kernel_destroy(l->look);
    repeat_pairs_clear(&l->pairs);
    proact_array_destroy(l->last);
    repeat_saved_clear(&l->saved);
}

static enum proact_status loop_init(struct loop *l, struct proact_error *err)
{
    struct proact *p = l->repeat->session;
    struct proact_image image = {.name = "repeat.cu", .text = kernel_repeat};
    struct proact_shape one = {"state", 1, sizeof(struct repeat_state)};
    struct proact_map map = {.kind = PROACT_MAP_CONTIGUOUS,
                             .range_bytes = sizeof(struct repeat_state)};
    enum proact_status status = repeat_pairs_init(&l->pairs, p, l->repeat->cta_count,
                                                  l->repeat->schedule, &image, err);

    if (status || (status = proact_array_create(p, &one, &l->last, err)) ||
        (status = proact_kernel_load(p, &image, "repeat_look", &l->look, err)))
        return status;
    return proact_kernel_map(l->look, LOOK_LAST_ARG, &map, err);
}

static enum proact_status launch_look(const struct loop *l, uint32_t iterations,
                                      struct proact_error *err)
{
    const struct repeat *r = l->repeat;
    struct proact_grid grid = {.threads = {SUM_THREADS}, .device_count = 1};
    struct proact_arg args[REPEAT_BATCH + 4];

    for (unsigned i = 0; i < REPEAT_BATCH; i++)
        args[i] = PROACT_ARRAY(l->pairs.sums[(i + 1) % REPEAT_BATCH]);
    args[LOOK_LAST_ARG] = PROACT_ARRAY(l->last);
    args[LOOK_LAST_ARG + 1] = PROACT_VALUE(iterations);
    args[LOOK_LAST_ARG + 2] = PROACT_VALUE(l->pairs.count);
    args[LOOK_LAST_ARG + 3] = PROACT_VALUE(r->tolerance);
    return proact_launch(l->look, &grid, args, sizeof args / sizeof *args, err);
}

/* A repeated run has wrong changes: the tolerance alone decides, which no change is below,
   or every one. */
static double repeat_tolerance(const struct repeat *r, bool works)
{
    if (!r->schedule)
        return r->tolerance;
    return works ? -1 : INFINITY;
}

/* Launches batches; the last one may be short. Each batch starts at pairs[0]. */
static enum proact_status launch(const struct loop *l, const struct part *part,
                                 struct proact_error *err)
{
    const struct repeat *r = l->repeat;
    enum proact_status status = PROACT_OK;

    for (unsigned n = 0; n < part->iterations && !status; n++) {
        unsigned i = n % REPEAT_BATCH;
        struct repeat_step step = repeat_pairs_step(&l->pairs, n);

        step.tolerance = repeat_tolerance(r, n < part->working);
        status = r->launch(r->context, &step, err);
        if (!status)
            status = repeat_pairs_group(&l->pairs, n, err);
        if (!status && (i + 1 == REPEAT_BATCH || n + 1 == part->iterations))
            status = launch_look(l, i + 1, err);
    }
    return status;
}

/* The first state, of the application or of a checkpoint. */
static enum proact_status start(struct loop *l, struct proact_error *err)
{
    const struct repeat *r = l->repeat;
    struct sum_pair *pairs = app_calloc(l->pairs.count, sizeof *pairs);
    enum proact_status status = PROACT_OK;

    l->now = l->saved.look;
    if (l->saved.done) {
        memcpy(pairs, l->saved.pairs, l->pairs.count * sizeof *pairs);
        status = repeat_saved_restore(&l->saved, r, err);
    } else {
        l->now.change = INFINITY;
        /* Not below any tolerance. A repeated run stops by an infinite one. */
        pairs[0] = (struct sum_pair){r->schedule ? DBL_MAX : INFINITY, r->start};
        status = r->reset(r->context, err);
    }
    if (!status)
        status = proact_array_write(l->pairs.sums[0], 0, pairs, l->pairs.count, err);
    if (!status)
        status = proact_array_write(l->last, 0, &l->now, 1, err);
    free(pairs);
    return status;
}

/* Some machines do not support recordings; GPUs do not record `relay`. */
static enum proact_status record(const struct loop *l, struct part *part,
                                 struct proact_error *err)
{
    enum proact_status status = proact_record_begin(l->repeat->session, err);

    if (!status) {
        if ((status = launch(l, part, err)))
            return status;
        status = proact_record_end(l->repeat->session, &part->recording, err);
    }
    return status == PROACT_EREFUSED ? PROACT_OK : status;
}

/* The longest existing part with at most `most` iterations. Fewer than a batch is the
   remainder. */
static struct part *find_part(struct loop *l, unsigned most)
{
    struct part *part = l->part;

    while (!part->iterations || part->iterations > most)
        part++;
    return part;
}

/* The part from iteration `first` on, with at most `most` iterations. A repeated run may
   stop within or before it. */
static struct part *repeat_part(struct loop *l, unsigned first, unsigned most)
{
    const struct repeat_schedule *s = l->repeat->schedule;
    struct part *part = find_part(l, most), *stopped = l->stopped;
    unsigned left = s && s->iterations > first ? s->iterations - first : 0;

    if (!s || left >= part->iterations)
        return part;
    while (stopped->iterations &&
           (stopped->iterations != part->iterations || stopped->working != left))
        stopped++;
    stopped->iterations = part->iterations;
    stopped->working = left;
    return stopped;
}

static enum proact_status record_stopped(struct loop *l, struct proact_error *err)
{
    const struct repeat_schedule *s = l->repeat->schedule;
    enum proact_status status = PROACT_OK;
    unsigned first = 0;

    for (unsigned i = 0; s && i < s->count; i++)
        for (unsigned most = s->launches[i]; most;) {
            const unsigned iterations = repeat_part(l, first, most)->iterations;

            first += iterations;
            most -= iterations;
        }
    for (unsigned i = 0; i <= PARTS && !status; i++)
        if (l->stopped[i].iterations)
            status = record(l, &l->stopped[i], err);
    return status;
}

/* The launches that are still to be made, at most. */
static unsigned repeat_most(const struct loop *l)
{
    const struct repeat_schedule *s = l->repeat->schedule;
    unsigned sum = 0;

    for (unsigned i = 0; s && i < s->count; i++)
        sum += s->launches[i];
    return s ? sum : l->repeat->iterations_max - l->saved.done;
}

/* Nothing is recorded if it does not pay. A batch is launched three times first: once to
   send everything to all devices, once with the consumer prediction, and once with the
   plans that proact selects by the times of the second. The recording stores them. All
   devices synchronize between two replays, so one recording has many batches. */
static enum proact_status prepare(struct loop *l, struct proact_error *err)
{
    unsigned most = repeat_most(l);
    /* An even number: nothing would read the last output of an odd one, so its readers
       would stay unknown. */
    const unsigned few = most < REPEAT_BATCH ? most + most % 2 : REPEAT_BATCH;
    const unsigned sizes[PARTS] = {PART_BATCHES * REPEAT_BATCH, REPEAT_BATCH,
                                   most % REPEAT_BATCH};
    const struct part batch = {.iterations = few, .working = few};
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < PARTS; i++)
        l->part[i] = (struct part){.iterations = sizes[i], .working = sizes[i]};
    for (unsigned i = 0; i < 3 && !status; i++)
        if (!(status = launch(l, &batch, err)))
            status = proact_wait(l->repeat->session, err);
    if (most < 2 * REPEAT_BATCH)
        return status;
    for (unsigned i = 0; i < PARTS && !status; i++)
        if (sizes[i] && sizes[i] <= most)
            status = record(l, &l->part[i], err);
    return status ? status : record_stopped(l, err);
}

static bool is_converged(const struct loop *l)
{
    return l->now.change < l->repeat->tolerance;
}

/* Batches until the change reaches the tolerance, if it keeps falling as between the last
   two queries. A query synchronizes all devices with the host. A late query is cheap,
   because launches after the stop do nothing. */
static unsigned batches_left(const struct loop *l)
{
    if (l->before.iterations == 0)
        return 1; /* no estimate yet */
    double made = (double)(l->now.iterations - l->before.iterations);
    double fell = log(l->before.change / l->now.change) / made;
    double left = log(l->now.change / l->repeat->tolerance) / fell / REPEAT_BATCH;

    if (left >= 0 && left < BATCHES_MAX)
        return left < 1 ? 1 : (unsigned)left;
    return BATCHES_MAX; /* it does not fall, or no change is small enough */
}

static enum proact_status launch_next(struct loop *l, unsigned most,
                                      struct repeat_result *out, struct proact_error *err)
{
    while (most) {
        const struct part *part = repeat_part(l, out->launches, most);
        enum proact_status status =
            part->recording ? proact_replay(part->recording, err) : launch(l, part, err);

        if (status)
            return status;
        most -= part->iterations;
        out->launches += part->iterations;
    }
    return PROACT_OK;
}

static double iteration_change(const struct loop *l, unsigned iteration)
{
    return l->now.changes[iteration % REPEAT_HISTORY];
}

static void report_progress(const struct loop *l, unsigned launches)
{
    const struct repeat *r = l->repeat;
    unsigned end = r->schedule ? launches : (unsigned)l->now.iterations, first = end;

    if (r->every_iteration && !r->schedule)
        first = (unsigned)l->before.iterations;
    for (unsigned i = first; i + 1 < end; i++)
        r->progress(r->progress_context, i + 1, iteration_change(l, i));
    r->progress(r->progress_context, end, l->now.change);
}

static enum proact_status inspect_changes(const struct loop *l, struct proact_error *err)
{
    unsigned first = (unsigned)l->before.iterations;
    unsigned count = (unsigned)l->now.iterations - first;
    double changes[REPEAT_HISTORY];

    for (unsigned i = 0; i < count; i++)
        changes[i] = iteration_change(l, first + i);
    return l->repeat->inspect(l->repeat->context, first, count, changes, err);
}

/* The last changes before a checkpoint, again: what the application derived from them is
   not in the checkpoint. */
static enum proact_status inspect_saved(struct loop *l, struct proact_error *err)
{
    const unsigned done = l->saved.done;

    if (!done || !l->repeat->inspect || l->repeat->schedule)
        return PROACT_OK;
    l->before.iterations = done > REPEAT_HISTORY ? done - REPEAT_HISTORY : 0;
    return inspect_changes(l, err);
}

static enum proact_status look(struct loop *l, unsigned launches, struct proact_error *err)
{
    const struct repeat *r = l->repeat;

    l->before = l->now;
    enum proact_status status = proact_array_read(l->last, 0, &l->now, 1, err);

    if (!status && r->progress)
        report_progress(l, launches);
    return status || !r->inspect || r->schedule ? status : inspect_changes(l, err);
}

/* Iterations until the host has something to do. */
static unsigned iterations_wanted(const struct loop *l)
{
    const struct repeat *r = l->repeat;
    unsigned batches = batches_left(l), every = r->checkpoint.every;

    if (r->every_iteration)
        return REPEAT_BATCH;
    if (every) {
        unsigned to_save = every - (unsigned)l->now.iterations % every;
        unsigned most = (to_save + REPEAT_BATCH - 1) / REPEAT_BATCH;

        batches = batches < most ? batches : most;
    }
    return batches * REPEAT_BATCH;
}

/* Whether the iterations since the last query passed a multiple of `every`. */
static bool is_save_due(const struct loop *l)
{
    unsigned every = l->repeat->checkpoint.every;

    return every && l->now.iterations % REPEAT_BATCH == 0 && !is_converged(l) &&
           l->now.iterations / every > l->before.iterations / every;
}

static enum proact_status go_on(struct loop *l, unsigned launches,
                                struct repeat_result *out, struct proact_error *err)
{
    enum proact_status status = launch_next(l, launches, out, err);

    return status ? status : look(l, out->launches, err);
}

static enum proact_status iterate_schedule(struct loop *l, struct repeat_result *out,
                                           struct proact_error *err)
{
    const struct repeat_schedule *s = l->repeat->schedule;
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < s->count && !status; i++)
        status = go_on(l, s->launches[i], out, err);
    out->iterations = s->iterations;
    return status;
}

/* The array doubles when it is full. */
static void schedule_add(struct repeat_schedule *s, unsigned launches)
{
    if ((s->count & (s->count - 1)) == 0) {
        unsigned *grown = app_calloc(2ul * s->count + 1, sizeof *grown);

        if (s->count)
            memcpy(grown, s->launches, s->count * sizeof *grown);
        free(s->launches);
        s->launches = grown;
    }
    s->launches[s->count++] = launches;
}

static enum proact_status iterate_until_stop(struct loop *l, struct repeat_result *out,
                                             struct proact_error *err)
{
    const unsigned most = l->repeat->iterations_max - l->saved.done;
    enum proact_status status = PROACT_OK;

    while (!is_converged(l) && out->launches < most && !status) {
        unsigned wanted = iterations_wanted(l), left = most - out->launches;
        unsigned launches = wanted < left ? wanted : left;

        schedule_add(&out->schedule, launches);
        status = go_on(l, launches, out, err);
        if (!status && is_save_due(l))
            status =
                repeat_saved_save(&l->saved, l->repeat, l->pairs.sums[0], &l->now, err);
    }
    out->iterations = (unsigned)l->now.iterations;
    out->schedule.iterations = out->iterations - l->saved.done;
    return status;
}

static enum proact_status iterate(struct loop *l, struct repeat_result *out,
                                  struct proact_error *err)
{
    struct proact *p = l->repeat->session;
    enum proact_status status;

    if ((status = repeat_saved_load(&l->saved, l->repeat, l->pairs.count, err)) ||
        (status = start(l, err)) || (status = prepare(l, err)) ||
        (status = start(l, err)) || (status = inspect_saved(l, err)) ||
        (status = proact_wait(p, err)))
        return status;
    l->before = (struct repeat_state){0};
    if (l->repeat->progress)
        l->repeat->progress(l->repeat->progress_context, 0, 0);
    uint64_t began = proact_now_ns(p);

    proact_statistics_reset(p);
    status = l->repeat->schedule ? iterate_schedule(l, out, err)
                                 : iterate_until_stop(l, out, err);
    if (status || (status = proact_wait(p, err)))
        return status;
    out->time_ns = proact_now_ns(p) - began;
    out->change = l->now.change;
    out->converged = is_converged(l);
    return proact_statistics_get(p, PROACT_ALL_DEVICES, NULL, &out->statistics, err);
}

enum proact_status repeat_run(const struct repeat *r, struct repeat_result *out,
                              struct proact_error *err)
{
    struct loop loop = {.repeat = r};
    struct repeat_result result = {0};
    enum proact_status status = loop_init(&loop, err);

    if (!status)
        status = iterate(&loop, &result, err);
    if (status)
        free(result.schedule.launches);
    else
        *out = result;
    loop_clear(&loop);
    return status;
}
