/* SPDX-License-Identifier: Apache-2.0 */
/* An application of `proact run`. Each answer is compared with that of one device. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "check_words.h"
#include "command.h"
#include "regret.h"
#include "run/run_options.h"
#include "run/run_study.h"

struct regret_app {
    const struct run_application *application;
    struct run_request request;
    struct run_words *words;
    void *work;
    struct topology topology;
    struct run_plans *plans;
};

static void regret_app_close(void *context)
{
    struct regret_app *a = context;

    run_plans_close(a->plans);
    if (a->work)
        a->application->close(a->work);
    run_options_destroy(a->words);
    free(a);
}

static int regret_app_open(int argc, char **argv, void **context, bool *is_emulated)
{
    struct regret_app *a = must_calloc(1, sizeof *a);
    struct proact_error err = {""};
    bool help = false;
    int code =
        run_options_parse(argc, argv, &a->words, &a->application, &a->request, &help);

    *context = a;
    if (code || help)
        return code ? code : EXIT_USAGE;
    a->request.runs = 1;
    code = check_machine("run", a->request.machine, a->request.devices, &a->topology);
    if (code)
        return code;
    if (a->application->open(&a->request, &a->work, &err) ||
        run_plans_open(a->application, a->work, &a->request, &a->topology, &a->plans, &err))
        return failure_exit(&err);
    *is_emulated = run_plans_study(a->plans)->emulated;
    return EXIT_FINE;
}

static enum proact_status regret_app_run(void *context, struct regret_plan *plan,
                                         struct proact_error *err)
{
    struct regret_app *a = context;
    const struct run_plan by = {.method = plan->method, .chunk_bytes = plan->chunk_bytes};
    struct run_row row;

    a->request.seed = plan->count;
    const enum proact_status status = run_plans_time(a->plans, &by, &row, err);

    if (status)
        return status;
    if (!row.equal)
        return fail(err, PROACT_EINVAL, "%s: the answer differs from that of one device",
                    plan->name);
    snprintf(plan->text, sizeof plan->text, "%s", row.plan);
    plan->ns[plan->count++] = (double)row.time.ns;
    return PROACT_OK;
}

const struct regret_case regret_application = {NULL, regret_app_open, regret_app_run,
                                               regret_app_close, true};
