/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_timed.h"

#include <string.h>

#include "run/run_methods.h"

static void timed_ignore_span(void *context, const struct proact_trace_span *span)
{
    (void)context;
    (void)span;
}

/* A run whose data is wrong. It repeats the launches of the run on one device. */
static bool timed_replays(const struct run_maker *m, const struct run_case *run)
{
    return m->quanta && !run->executes;
}

static void timed_step(void *context, unsigned iteration, double residual)
{
    struct run_maker *m = context;

    run_clock_start(&m->clock);
    run_progress_step(&m->progress, iteration, residual);
}

static enum proact_status timed_run_in(struct run_maker *m, struct proact *p,
                                       const struct run_case *run, struct run_outcome *out)
{
    const struct run_watcher watcher = {
        .progress = timed_step,
        .context = m,
        .schedule = run->skips || timed_replays(m, run) ? m->schedule : NULL};

    m->study->emulated = proact_is_emulated(p);
    run_copies_note(p, m->copies);
    if (run->trace)
        proact_trace_set_callback(p, run_trace_span, run->trace);
    else if (run->watched)
        proact_trace_set_callback(p, timed_ignore_span, NULL);
    enum proact_status status = m->application->run(m->work, p, &watcher, out, m->err);

    run_plan_note(p, m->plan);
    return status;
}

/* The last session to close releases the contexts, which take 0.1 s a GPU to open. */
static void timed_keep_open(struct run_maker *m, const struct proact *p)
{
    const struct proact_options options = {.machine = m->request->machine,
                                           .plan = {.method = run_baseline}};

    if (!proact_is_emulated(p) && !m->gpus)
        proact_open(&options, &m->gpus, NULL);
}

void run_maker_close(struct run_maker *m)
{
    proact_close(m->gpus);
    m->gpus = NULL;
    proact_quanta_destroy(m->quanta);
    m->quanta = NULL;
}

enum proact_status run_timed_once(struct run_maker *m, const struct run_case *run,
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
        .quanta = timed_replays(m, run) ? m->quanta : NULL,
    };
    struct proact *p;

    run_progress_next(&m->progress, run->label          ? run->label
                                    : run->devices == 1 ? "one device"
                                    : run->method       ? run->method
                                                        : "several plans");
    m->clock = run_clock_open();
    enum proact_status status = proact_open(&options, &p, m->err);

    m->has_opened = !status;
    if (status)
        return status;
    timed_keep_open(m, p);
    if (run->hooks && run->hooks->opened)
        run->hooks->opened(run->hooks->context, p);
    status = timed_run_in(m, p, run, out);
    if (run->hooks && run->hooks->closing)
        run->hooks->closing(run->hooks->context, p);
    proact_close(p);
    if (!status)
        run_progress_done(&m->progress, out->iterations);
    return status;
}

/* Compares the answer with that of one device. */
static void timed_compare(const struct run_study *study, const struct run_outcome *outcome,
                          struct run_row *row)
{
    const unsigned char *want = study->one.answer, *got = outcome->answer;

    if (row->equal && memcmp(want, got, study->one.answer_bytes) != 0) {
        row->equal = false;
        while (want[row->differs_at] == got[row->differs_at])
            row->differs_at++;
    }
    if (outcome->iterations != study->one.iterations)
        row->equal = false;
}

enum proact_status run_timed_often(struct run_maker *m, const struct run_case *run,
                                   struct run_row *row, struct run_outcome *out,
                                   struct run_time *time)
{
    struct run_series series = {.count = 0};
    enum proact_status status = PROACT_OK;
    unsigned most = 1;

    *out = (struct run_outcome){0};
    *time = (struct run_time){0};
    for (unsigned i = 0; i < most && !status; i++) {
        struct run_case one = *run;
        struct run_outcome outcome;

        one.seed_offset += i;
        if ((status = run_timed_once(m, &one, &outcome)))
            break;
        if (row && !m->quanta)
            timed_compare(m->study, &outcome, row);
        run_series_add(&series, &outcome, &m->clock);
        most = run->trace ? 1 : run_count(m->request->runs, m->study->emulated);
        m->progress.runs += i == 0 ? most - 1 : 0;
    }
    if (!status)
        *out = run_median(&series, time);
    else if (series.count)
        run_outcome_clear(&series.outcome[0]);
    return status;
}

struct run_case run_case_of(const struct run_study *study, const struct run_row *row)
{
    return (struct run_case){.method = row->method,
                             .chunk_bytes = row->chunk_bytes,
                             .threads = row->threads,
                             .devices = study->device_count};
}
