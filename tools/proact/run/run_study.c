/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_progress.h"
#include "run/run_trace.h"

struct maker {
    const struct run_application *application;
    void *work;
    const struct run_request *request;
    struct run_progress progress;
    struct run_study *study;
    struct proact_error *err;
};

struct one_run {
    const char *method;
    unsigned devices;
    bool instant; /* transfers take no time */
    bool watched; /* with time stamps, which cost time on hardware */
    struct run_trace *trace;
};

static void study_ignore_span(void *context, const struct proact_trace_span *span)
{
    (void)context;
    (void)span;
}

static enum proact_status run_in(struct maker *m, struct proact *p,
                                 const struct one_run *run, struct run_outcome *out)
{
    const struct run_watcher watcher = {.progress = run_progress_step,
                                        .context = &m->progress};

    m->study->emulated = proact_is_emulated(p);
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
        .seed = r->seed,
        .check = r->check,
        .infinite_bandwidth = run->instant,
        .plan = {.method = run->method,
                 .chunk_bytes = r->chunk_bytes,
                 .transfer_threads = r->threads},
    };
    struct proact *p;

    run_progress_next(&m->progress, run->devices == 1 ? "one device" : run->method);
    enum proact_status status = proact_open(&options, &p, m->err);

    if (status)
        return status;
    status = run_in(m, p, run, out);
    proact_close(p);
    if (!status)
        run_progress_done(&m->progress, out->iterations);
    return status;
}

/* Compares the answer with that of one device, and frees it. */
static void compare(const struct run_study *study, struct run_outcome *outcome,
                    struct run_row *row)
{
    const unsigned char *want = study->one.answer, *got = outcome->answer;

    row->equal = true;
    for (size_t i = 0; row->equal && i < study->one.answer_bytes; i++)
        if (want[i] != got[i]) {
            row->equal = false;
            row->differs_at = i;
        }
    if (outcome->iterations != study->one.iterations)
        row->equal = false;
    free(outcome->answer);
    outcome->answer = NULL;
}

/* The time without transfers. An emulated machine runs without them. On hardware, only for
   bulk, the result is the time minus the copies that no kernel hides. */
static enum proact_status limit(struct maker *m, const struct one_run *run,
                                struct run_row *row)
{
    struct one_run again = {.method = run->method, .devices = run->devices};
    bool is_baseline = strcmp(run->method, run_baseline) == 0;
    struct run_outcome outcome = {0};

    again.instant = m->study->emulated;
    again.watched = !m->study->emulated;
    if (!again.instant && !is_baseline)
        return PROACT_OK;
    enum proact_status status = run_once(m, &again, &outcome);

    if (status)
        return status;
    free(outcome.answer);
    row->instant_ns = outcome.time_ns;
    if (again.watched) {
        double shown_ns = outcome.statistics.transfer_ns - outcome.statistics.overlap_ns;

        row->instant_ns =
            shown_ns < (double)row->time_ns ? row->time_ns - (uint64_t)shown_ns : 0;
    }
    return PROACT_OK;
}

static enum proact_status make_row(struct maker *m, const char *method,
                                   struct run_trace *trace)
{
    struct run_study *study = m->study;
    struct run_row row = {.method = method};
    struct one_run run = {.method = method, .devices = study->device_count, .trace = trace};
    struct run_outcome outcome = {0};
    enum proact_status status = run_once(m, &run, &outcome);

    if (status)
        return status;
    compare(study, &outcome, &row);
    row.time_ns = outcome.time_ns;
    row.statistics = outcome.statistics;
    if ((status = limit(m, &run, &row)))
        return status;
    study->row[study->row_count++] = row;
    return PROACT_OK;
}

/* The figures that need several runs; docs/measuring.md defines them. */
static void derive(struct run_study *study)
{
    const struct run_row *bulk = &study->row[0];
    double copies_ns = (double)bulk->time_ns - (double)bulk->instant_ns;

    study->ideal_ns = bulk->instant_ns;
    for (unsigned i = 0; i < study->row_count; i++) {
        struct run_row *row = &study->row[i];
        double time_ns = (double)row->time_ns;

        row->speedup = (double)study->one.time_ns / time_ns;
        row->captured = study->ideal_ns ? (double)study->ideal_ns / time_ns : NAN;
        row->hidden = row->instant_ns && copies_ns > 0 && bulk->statistics.bytes
                          ? 1 - (time_ns - (double)row->instant_ns) / copies_ns
                          : NAN;
    }
}

static enum proact_status make_rows(struct maker *m, struct run_trace *trace)
{
    const struct run_methods *methods = &m->request->methods;
    const struct one_run one = {.method = run_baseline, .devices = 1};
    enum proact_status status = run_once(m, &one, &m->study->one);

    for (unsigned i = 0; i < methods->count && !status; i++) {
        /* The baseline is traced if no other method is named. */
        bool is_traced = i > 0 || methods->count == 1;

        status = make_row(m, methods->name[i], is_traced ? trace : NULL);
        if (status == PROACT_EREFUSED && methods->all && i > 0)
            status = PROACT_OK; /* this machine has no such method */
    }
    if (!status)
        derive(m->study);
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
                          .study = &study,
                          .err = err};
    struct run_trace *trace = NULL;
    enum proact_status status = PROACT_OK;

    if (request->trace)
        status = run_trace_open(request->trace, &trace, err);
    run_progress_init(&maker.progress, 1 + 2 * request->methods.count);
    if (!status)
        status = make_rows(&maker, trace);
    run_progress_clear(&maker.progress);
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

bool run_study_differs(const struct run_study *s)
{
    for (unsigned i = 0; i < s->row_count; i++)
        if (!s->row[i].equal)
            return true;
    return false;
}

void run_study_clear(struct run_study *s)
{
    free(s->one.answer);
    s->one.answer = NULL;
}
