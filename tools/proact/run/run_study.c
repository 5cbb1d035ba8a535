/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_study.h"

#include <string.h>

#include "model/pages.h"
#include "run/run_timed.h"

/* T(bulk) - C. An emulated machine runs with transfers that take no time. On GPUs, C is the
   time in which a copy is in flight and no kernel runs, of a run with time stamps; these
   cost time, so T(bulk) is of a run without them. */
static enum proact_status measure_uncopied(struct run_maker *m, struct run_study *study)
{
    const struct run_case run = {.method = run_baseline,
                                 .devices = study->device_count,
                                 .instant = study->emulated,
                                 .watched = !study->emulated};
    struct run_outcome outcome;
    enum proact_status status = run_timed_often(m, &run, NULL, &outcome, &study->uncopied);

    if (!status && run.watched) {
        const uint64_t copies_ns = (uint64_t)outcome.statistics.exposed_ns;
        const uint64_t bulk_ns = study->row[0].time.ns;

        study->uncopied.ns = copies_ns < bulk_ns ? bulk_ns - copies_ns : 0;
    }
    run_outcome_clear(&outcome);
    return status;
}

/* Executes the first launches of each shape, which the other runs replay. */
static enum proact_status record_launches(struct run_maker *m)
{
    const struct run_case run = {
        .method = run_baseline, .label = "recording", .devices = m->study->device_count};
    struct run_outcome outcome = {0};
    enum proact_status status = run_timed_once(m, &run, &outcome);

    run_outcome_clear(&outcome);
    return status;
}

/* The spread of T(bulk) in a single run on an emulated machine: the difference to another
   seed, or to another sample. */
static enum proact_status measure_spread(struct run_maker *m, struct run_study *study)
{
    const unsigned sample = m->request->sample;
    const struct run_case run = {.method = run_baseline,
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
        status = run_timed_often(m, &run, NULL, &outcome, &other);
    if (status)
        return status;

    bulk->spread_ns = other.ns > bulk->ns ? other.ns - bulk->ns : bulk->ns - other.ns;
    run_outcome_clear(&outcome);
    return status;
}

/* T(m). */
static enum proact_status make_row(struct run_maker *m, unsigned index,
                                   struct run_trace *trace)
{
    const struct run_methods *methods = &m->request->methods;
    struct run_study *study = m->study;
    struct run_row row = {.method = methods->name[index],
                          .chunk_bytes = methods->chunk_bytes[index],
                          .threads = methods->threads[index],
                          .equal = true};
    struct run_case run = run_case_of(study, &row);
    struct run_outcome outcome;

    run.trace = trace;
    enum proact_status status = run_timed_often(m, &run, &row, &outcome, &row.time);

    row.statistics = outcome.statistics;
    memcpy(row.copies, m->copies, sizeof row.copies);
    if (strcmp(row.method, run_auto) == 0)
        memcpy(row.plan, m->plan, sizeof row.plan);
    run_outcome_clear(&outcome);
    if (!status)
        study->row[study->row_count++] = row;
    return status;
}

/* Unified memory by the fastest hint. Devices without page faults know no hints. */
static enum proact_status make_unified_row(struct run_maker *m, unsigned index)
{
    const bool has_hints = pages_has_hints(m->topology);
    struct run_study *study = m->study;
    struct run_row best = {.method = m->request->methods.name[index], .equal = true};
    enum proact_status status = PROACT_OK;

    for (enum proact_unified hint = PROACT_UNIFIED_NO_HINT;
         hint <= PROACT_UNIFIED_PREFETCH && !status; hint++) {
        const struct run_case run = {
            .method = best.method, .devices = study->device_count, .unified = hint};
        struct run_outcome outcome;
        struct run_time time;

        if (!has_hints && best.hint)
            break;
        status = run_timed_often(m, &run, &best, &outcome, &time);
        best.hint_ns[hint] = has_hints ? time.ns : 0;
        if (!status && (!best.hint || time.ns < best.time.ns)) {
            best.hint = hint;
            best.time = time;
            best.statistics = outcome.statistics;
        }
        run_outcome_clear(&outcome);
    }
    if (!status)
        study->row[study->row_count++] = best;
    return status;
}

static bool is_unified(const char *method)
{
    return strcmp(method, run_unified) == 0;
}

/* The baseline, or the fastest plan of a sweep. */
static bool has_skipped_in_sweep(const struct run_study *study, const struct run_row *row)
{
    for (unsigned i = 0; i < study->row_count; i++)
        if (study->row[i].chunk_bytes && study->row[i].time.ns < row->time.ns)
            return row == study->row;
    return row == study->row || row->chunk_bytes;
}

/* E(m) of the rows. Without it a row's overhead and hidden time are undefined. */
static enum proact_status measure_skipped(struct run_maker *m)
{
    struct run_study *study = m->study;
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < study->row_count && !status; i++) {
        struct run_row *row = &study->row[i];
        struct run_case run = run_case_of(study, row);
        struct run_outcome outcome;

        if (row->hint || (m->request->methods.sweeps && !has_skipped_in_sweep(study, row)))
            continue;
        run.skips = true;
        status = run_timed_often(m, &run, NULL, &outcome, &row->skipped);
        run_outcome_clear(&outcome);
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

static enum proact_status make_rows(struct run_maker *m, struct run_trace *trace)
{
    const struct run_methods *methods = &m->request->methods;
    const struct run_case one = {.method = run_baseline,
                                 .label = "one device",
                                 .devices = 1,
                                 .executes = !m->request->sample};
    struct run_study *study = m->study;
    enum proact_status status =
        run_timed_often(m, &one, NULL, &study->one, &study->one_time);

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
    if (!status && study->emulated && study->row[0].time.runs == 1 && !methods->sweeps)
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
    struct run_maker maker = {.application = application,
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
    run_maker_close(&maker);
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

void run_study_clear(struct run_study *s)
{
    run_outcome_clear(&s->one);
}
