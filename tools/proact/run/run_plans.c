/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/run_timed.h"

struct run_plans {
    struct run_maker maker;
    struct run_study study;
};

enum proact_status run_plans_open(const struct run_application *application, void *work,
                                  const struct run_request *request,
                                  const struct topology *topology, struct run_plans **out,
                                  struct proact_error *err)
{
    const struct run_case one = {.method = run_baseline, .devices = 1};
    struct run_plans *s = must_calloc(1, sizeof *s);

    s->study.device_count = topology->device_count;
    s->maker = (struct run_maker){.application = application,
                                  .work = work,
                                  .request = request,
                                  .study = &s->study,
                                  .schedule = &s->study.one.schedule,
                                  .err = err};
    run_progress_init(&s->maker.progress, 1);
    *out = s;
    return run_timed_often(&s->maker, &one, NULL, &s->study.one, &s->study.one_time);
}

enum proact_status run_plans_time(struct run_plans *plans, const struct run_plan *plan,
                                  struct run_row *out, struct proact_error *err)
{
    struct run_row row = {.method = plan->method,
                          .chunk_bytes = plan->chunk_bytes,
                          .threads = plan->threads,
                          .equal = true};
    struct run_case run = run_case_of(&plans->study, &row);
    struct run_outcome outcome;

    plans->maker.err = err;
    plans->maker.progress.runs++;
    run.skips = plan->skips;
    run.hooks = plan;
    const enum proact_status status = run_timed_often(
        &plans->maker, &run, plan->skips ? NULL : &row, &outcome, &row.time);

    row.statistics = outcome.statistics;
    if (row.method && strcmp(row.method, run_auto) == 0)
        memcpy(row.plan, plans->maker.plan, sizeof row.plan);
    run_outcome_clear(&outcome);
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
    run_maker_close(&plans->maker);
    run_study_clear(&plans->study);
    free(plans);
}
