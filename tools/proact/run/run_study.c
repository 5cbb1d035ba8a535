/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/pages.h"
#include "run/run_methods.h"
#include "run/run_progress.h"
#include "run/run_trace.h"

struct maker {
    const struct run_application *application;
    void *work;
    const struct run_request *request;
    const struct topology *topology;
    struct run_progress progress;
    struct run_study *study;
    char copies[RUN_COPIES_BYTES]; /* of the last session */
    struct proact_quanta *quanta;  /* NULL: all is executed */
    bool has_opened;               /* the session of the last run */
    /* The launches of runs without an answer: of the run on one device, or of a sample. */
    const struct repeat_schedule *schedule;
    struct proact_error *err;
};

enum { RUNS_GPU = 3 }; /* of which the median counts; emulated runs are equal */

struct one_run {
    const char *method;
    const char *label;    /* of the progress; NULL: the method */
    uint64_t chunk_bytes; /* 0: the request's */
    unsigned threads;     /* likewise */
    unsigned devices;
    bool instant;  /* transfers take no time */
    bool watched;  /* with time stamps, which cost time on hardware */
    bool skips;    /* no transfers: the answer is wrong */
    bool executes; /* despite --replay */
    enum proact_unified unified;
    unsigned seed_offset;
    struct run_trace *trace;
    const struct run_plan *hooks; /* called with the session; NULL: none */
};

static void study_ignore_span(void *context, const struct proact_trace_span *span)
{
    (void)context;
    (void)span;
}

/* A run whose data is wrong. It repeats the launches of the run on one device. */
static bool replays(const struct maker *m, const struct one_run *run)
{
    return m->quanta && !run->executes;
}

static enum proact_status run_in(struct maker *m, struct proact *p,
                                 const struct one_run *run, struct run_outcome *out)
{
    const struct run_watcher watcher = {
        .progress = run_progress_step,
        .context = &m->progress,
        .schedule = run->skips || replays(m, run) ? m->schedule : NULL};

    m->study->emulated = proact_is_emulated(p);
    run_copies_note(p, m->copies);
    if (run->trace)
        proact_trace_set_callback(p, run_trace_span, run->trace);
    else if (run->watched)
        proact_trace_set_callback(p, study_ignore_span, NULL);
    return m->application->run(m->work, p, &watcher, out, m->err);
}

/* A session per run, so that no run depends on the clock or memory of another one. */
static enum proact_status run_once(struct maker *m, const struct one_run *run,
                                   struct run_outcome *out)
{
    const struct run_request *r = m->request;
    const struct proact_options options = {
        .machine = r->machine,
        .device_count = run->devices,
        .seed = r->seed + run->seed_offset,
        .check = r->check && !run->skips,
        .infinite_bandwidth = run->instant,
        .unified = run->unified,
        .plan = {.method = run->unified ? NULL : run_method_name(run->method),
                 .chunk_bytes = run->chunk_bytes ? run->chunk_bytes : r->chunk_bytes,
                 .transfer_threads = run->threads ? run->threads : r->threads,
                 .broadcast = r->sends_all,
                 .skip_transfers = run->skips},
        .quanta = replays(m, run) ? m->quanta : NULL,
    };
    struct proact *p;

    run_progress_next(&m->progress, run->label          ? run->label
                                    : run->devices == 1 ? "one device"
                                    : run->method       ? run->method
                                                        : "several plans");
    enum proact_status status = proact_open(&options, &p, m->err);

    m->has_opened = !status;
    if (status)
        return status;
    if (run->hooks && run->hooks->opened)
        run->hooks->opened(run->hooks->context, p);
    status = run_in(m, p, run, out);
    if (run->hooks && run->hooks->closing)
        run->hooks->closing(run->hooks->context, p);
    proact_close(p);
    if (!status)
        run_progress_done(&m->progress, out->iterations);
    return status;
}

/* Compares the answer with that of one device. */
static void compare(const struct run_study *study, const struct run_outcome *outcome,
                    struct run_row *row)
{
    const unsigned char *want = study->one.answer, *got = outcome->answer;

    for (size_t i = 0; row->equal && i < study->one.answer_bytes; i++)
        if (want[i] != got[i]) {
            row->equal = false;
            row->differs_at = i;
        }
    if (outcome->iterations != study->one.iterations)
        row->equal = false;
}

static void outcome_clear(struct run_outcome *outcome)
{
    free(outcome->answer);
    free(outcome->schedule.launches);
    *outcome = (struct run_outcome){0};
}

static int compare_outcomes(const void *left, const void *right)
{
    const struct run_outcome *a = left, *b = right;

    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Runs on GPUs are repeated, except for a trace. `row`: compared with one device, if not
   NULL. `out` is the run with the median time. */
static enum proact_status run_often(struct maker *m, const struct one_run *run,
                                    struct run_row *row, struct run_outcome *out,
                                    struct run_time *time)
{
    struct run_outcome all[RUNS_GPU] = {{0}};
    enum proact_status status = PROACT_OK;
    unsigned runs = 0, most = 1;

    for (; runs < most && !status; runs++) {
        status = run_once(m, run, &all[runs]);
        if (!status && row && !m->quanta)
            compare(m->study, &all[runs], row);
        most = m->study->emulated || run->trace ? 1 : RUNS_GPU;
        m->progress.runs += runs == 0 ? most - 1 : 0;
    }
    qsort(all, runs, sizeof *all, compare_outcomes);
    *time = (struct run_time){all[runs / 2].time_ns, all[runs - 1].time_ns - all[0].time_ns,
                              runs};
    for (unsigned i = 0; i < runs; i++)
        if (i != runs / 2 || status)
            outcome_clear(&all[i]);
    *out = all[runs / 2];
    return status;
}

/* T(bulk) - C. An emulated machine runs with transfers that take no time. On GPUs, C is the
   time in which a copy is in flight and no kernel runs, of a run with time stamps; these
   cost time, so T(bulk) is of a run without them. */
static enum proact_status measure_uncopied(struct maker *m, struct run_study *study)
{
    const struct one_run run = {.method = run_baseline,
                                .devices = study->device_count,
                                .instant = study->emulated,
                                .watched = !study->emulated};
    struct run_outcome outcome;
    enum proact_status status = run_often(m, &run, NULL, &outcome, &study->uncopied);

    if (!status && run.watched) {
        const uint64_t copies_ns = (uint64_t)outcome.statistics.exposed_ns;
        const uint64_t bulk_ns = study->row[0].time.ns;

        study->uncopied.ns = copies_ns < bulk_ns ? bulk_ns - copies_ns : 0;
    }
    outcome_clear(&outcome);
    return status;
}

/* Executes the first launches of each shape, which the other runs replay. */
static enum proact_status record_launches(struct maker *m)
{
    const struct one_run run = {
        .method = run_baseline, .label = "recording", .devices = m->study->device_count};
    struct run_outcome outcome = {0};
    enum proact_status status = run_once(m, &run, &outcome);

    outcome_clear(&outcome);
    return status;
}

/* The spread of T(bulk) on an emulated machine: the difference to another seed, or to
   another sample. */
static enum proact_status measure_spread(struct maker *m, struct run_study *study)
{
    const unsigned sample = m->request->sample;
    const struct one_run run = {.method = run_baseline,
                                .devices = study->device_count,
                                .seed_offset = sample ? 0 : 1};
    struct run_time *bulk = &study->row[0].time, other;
    struct run_outcome outcome = {0};
    enum proact_status status = PROACT_OK;

    if (sample) {
        proact_quanta_destroy(m->quanta);
        m->quanta = proact_quanta_create(sample, sample / 2);
        status = record_launches(m);
    }
    if (!status)
        status = run_often(m, &run, NULL, &outcome, &other);
    if (status)
        return status;

    bulk->spread_ns = other.ns > bulk->ns ? other.ns - bulk->ns : bulk->ns - other.ns;
    outcome_clear(&outcome);
    return status;
}

static struct one_run run_of_row(const struct run_study *study, const struct run_row *row)
{
    return (struct one_run){.method = row->method,
                            .chunk_bytes = row->chunk_bytes,
                            .threads = row->threads,
                            .devices = study->device_count};
}

/* T(m). */
static enum proact_status make_row(struct maker *m, unsigned index, struct run_trace *trace)
{
    const struct run_methods *methods = &m->request->methods;
    struct run_study *study = m->study;
    struct run_row row = {.method = methods->name[index],
                          .chunk_bytes = methods->chunk_bytes[index],
                          .threads = methods->threads[index],
                          .equal = true};
    struct one_run run = run_of_row(study, &row);
    struct run_outcome outcome;

    run.trace = trace;
    enum proact_status status = run_often(m, &run, &row, &outcome, &row.time);

    row.statistics = outcome.statistics;
    memcpy(row.copies, m->copies, sizeof row.copies);
    outcome_clear(&outcome);
    if (!status)
        study->row[study->row_count++] = row;
    return status;
}

/* Unified memory by the fastest hint. Devices without page faults know no hints. */
static enum proact_status make_unified_row(struct maker *m, unsigned index)
{
    const bool has_hints = pages_has_hints(m->topology);
    struct run_study *study = m->study;
    struct run_row best = {.method = m->request->methods.name[index], .equal = true};
    enum proact_status status = PROACT_OK;

    for (enum proact_unified hint = PROACT_UNIFIED_NO_HINT;
         hint <= PROACT_UNIFIED_PREFETCH && !status; hint++) {
        const struct one_run run = {
            .method = best.method, .devices = study->device_count, .unified = hint};
        struct run_outcome outcome;
        struct run_time time;

        if (!has_hints && best.hint)
            break;
        status = run_often(m, &run, &best, &outcome, &time);
        best.hint_ns[hint] = has_hints ? time.ns : 0;
        if (!status && (!best.hint || time.ns < best.time.ns)) {
            best.hint = hint;
            best.time = time;
            best.statistics = outcome.statistics;
        }
        outcome_clear(&outcome);
    }
    if (!status)
        study->row[study->row_count++] = best;
    return status;
}

static bool is_unified(const char *method)
{
    return strcmp(method, run_unified) == 0;
}

static bool is_fastest_plan(const struct run_study *study, const struct run_row *row)
{
    for (unsigned i = 0; i < study->row_count; i++)
        if (strcmp(study->row[i].method, row->method) == 0 &&
            study->row[i].time.ns < row->time.ns)
            return false;
    return true;
}

/* E(m) of the rows. Without it a row's overhead and hidden time are undefined. */
static enum proact_status measure_skipped(struct maker *m)
{
    struct run_study *study = m->study;
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < study->row_count && !status; i++) {
        struct run_row *row = &study->row[i];
        struct one_run run = run_of_row(study, row);
        struct run_outcome outcome;

        if (row->hint || (m->request->methods.sweeps && !is_fastest_plan(study, row)))
            continue;
        run.skips = true;
        status = run_often(m, &run, NULL, &outcome, &row->skipped);
        outcome_clear(&outcome);
    }
    return status;
}

static void derive(struct run_study *study)
{
    const struct run_row *bulk = &study->row[0];

    study->base = (struct terms_base){.one = (double)study->one_time.ns,
                                      .bulk = (double)bulk->time.ns,
                                      .uncopied = (double)study->uncopied.ns,
                                      .skipped = (double)bulk->skipped.ns,
                                      .spread = (double)bulk->time.spread_ns};
    for (unsigned i = 0; i < study->row_count; i++) {
        struct run_row *row = &study->row[i];

        row->terms = terms_of(&study->base, (double)row->time.ns, (double)row->skipped.ns);
    }
}

/* GPUs refuse recorded costs, before anything runs. */
static enum proact_status check_replay(const struct run_request *r,
                                       struct proact_quanta *quanta,
                                       struct proact_error *err)
{
    const struct proact_options options = {
        .machine = r->machine, .device_count = 1, .quanta = quanta};
    struct proact *p = NULL;
    enum proact_status status = quanta ? proact_open(&options, &p, err) : PROACT_OK;

    proact_close(p);
    return status;
}

static enum proact_status make_rows(struct maker *m, struct run_trace *trace)
{
    const struct run_methods *methods = &m->request->methods;
    const struct one_run one = {.method = run_baseline,
                                .label = "one device",
                                .devices = 1,
                                .executes = !m->request->sample};
    struct run_study *study = m->study;
    enum proact_status status = run_often(m, &one, NULL, &study->one, &study->one_time);

    if (!status && m->quanta)
        status = record_launches(m);

    for (unsigned i = 0; i < methods->count && !status; i++) {
        /* The baseline is traced if no other method is named. */
        bool is_traced = i > 0 || methods->count == 1;

        status = is_unified(methods->name[i]) ? make_unified_row(m, i)
                                              : make_row(m, i, is_traced ? trace : NULL);
        if (status == PROACT_EREFUSED && methods->all && i > 0 && !m->has_opened)
            status = PROACT_OK; /* this machine has no such method */
    }
    if (!status)
        status = measure_skipped(m);
    if (!status)
        status = measure_uncopied(m, study);
    if (!status && study->emulated)
        status = measure_spread(m, study);
    if (!status)
        derive(study);
    return status;
}

enum proact_status run_study_make(const struct run_application *application, void *work,
                                  const struct run_request *request,
                                  const struct topology *topology, struct run_study *out,
                                  struct proact_error *err)
{
    struct run_study study = {.device_count = topology->device_count};
    struct maker maker = {.application = application,
                          .work = work,
                          .request = request,
                          .topology = topology,
                          .study = &study,
                          .err = err};
    struct run_trace *trace = NULL;
    enum proact_status status = PROACT_OK;

    unsigned iterations = request->iterations;
    const struct repeat_schedule sampled = {&iterations, 1, iterations};

    maker.schedule = request->sample ? &sampled : &study.one.schedule;
    if (request->replay)
        maker.quanta = proact_quanta_create(request->sample, 0);
    study.replayed = request->replay;
    status = check_replay(request, maker.quanta, err);
    if (!status && request->trace)
        status = run_trace_open(request->trace, &trace, err);
    run_progress_init(&maker.progress, 3 + 2 * request->methods.count);
    if (!status)
        status = make_rows(&maker, trace);
    run_progress_clear(&maker.progress);
    proact_quanta_destroy(maker.quanta);
    if (trace && status)
        run_trace_discard(trace);
    else if (trace)
        status = run_trace_finish(trace, err);
    if (status)
        run_study_clear(&study);
    else
        *out = study;
    return status;
}

struct run_plans {
    struct maker maker;
    struct run_study study;
};

enum proact_status run_plans_open(const struct run_application *application, void *work,
                                  const struct run_request *request,
                                  const struct topology *topology, struct run_plans **out,
                                  struct proact_error *err)
{
    const struct one_run one = {.method = run_baseline, .devices = 1};
    struct run_plans *s = must_calloc(1, sizeof *s);

    s->study.device_count = topology->device_count;
    s->maker = (struct maker){.application = application,
                              .work = work,
                              .request = request,
                              .study = &s->study,
                              .schedule = &s->study.one.schedule,
                              .err = err};
    run_progress_init(&s->maker.progress, 1);
    *out = s;
    return run_often(&s->maker, &one, NULL, &s->study.one, &s->study.one_time);
}

enum proact_status run_plans_time(struct run_plans *plans, const struct run_plan *plan,
                                  struct run_row *out, struct proact_error *err)
{
    struct run_row row = {.method = plan->method,
                          .chunk_bytes = plan->chunk_bytes,
                          .threads = plan->threads,
                          .equal = true};
    struct one_run run = run_of_row(&plans->study, &row);
    struct run_outcome outcome;

    plans->maker.err = err;
    plans->maker.progress.runs++;
    run.skips = plan->skips;
    run.hooks = plan;
    const enum proact_status status =
        run_often(&plans->maker, &run, plan->skips ? NULL : &row, &outcome, &row.time);

    row.statistics = outcome.statistics;
    outcome_clear(&outcome);
    *out = row;
    return status;
}

const struct run_study *run_plans_study(const struct run_plans *plans)
{
    return &plans->study;
}

void run_plans_close(struct run_plans *plans)
{
    if (!plans)
        return;
    run_progress_clear(&plans->maker.progress);
    run_study_clear(&plans->study);
    free(plans);
}

void run_study_clear(struct run_study *s)
{
    outcome_clear(&s->one);
}
