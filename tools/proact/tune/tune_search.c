/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning of an application of `proact run`: one run for each candidate. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "check_words.h"
#include "command.h"
#include "run/run_options.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/objects/session.h"
#include "runtime/session/session_plan.h"
#include "transfer/transfer.h"
#include "tune/tune_search.h"

/* Candidates whose prediction exceeds the best one by more are not timed with the effort
   `measure`: the model's error is below it in most cases. */
static const double predictions_max = 2;
static void search_opened(void *context, struct proact *p)
{
    (void)context;
    session_profile_list_shapes(p);
}

static bool is_supported(const struct proact *p, const struct plan *plan)
{
    char method[PLAN_METHODS_BYTES];
    struct transfer_plan ignored;

    plan_print_methods(plan, method);
    return !session_plan(p,
                         &(struct proact_plan){.method = method,
                                               .chunk_bytes = plan->chunk_first,
                                               .transfer_threads = plan->threads},
                         &ignored, NULL);
}

/* Keeps the shapes of all launches, and lists the candidates. */
static void search_closing(void *context, struct proact *p)
{
    struct tune_search *s = context;
    const struct session_profile *from = p->profile;
    uint64_t bytes = 0;

    if (s->shapes) /* a repetition of the run */
        return;
    s->shapes = must_calloc(from->shape_count + 1, sizeof *s->shapes);
    s->shape_count = from->shape_count;
    for (size_t i = 0; i < from->shape_count; i++) {
        s->shapes[i] = from->shapes[i];
        bytes = s->shapes[i].bytes > bytes ? s->shapes[i].bytes : bytes;
    }
    tune_candidates_list(s->request, strcmp(s->tune->effort, "exhaustive") == 0, bytes,
                         &s->candidates);
    for (size_t i = 0; i < s->candidates.count; i++)
        if (!is_supported(p, &s->candidates.all[i].plan))
            s->candidates.all[i].reason = PROFILE_UNSUPPORTED;
}

static void search_keep_time(struct tune_search *s, struct profile_candidate *c,
                             const struct run_time *time)
{
    c->reason = PROFILE_TIMED;
    c->measured_ns = fmax(1, tune_search_share(s, (double)time->ns));
    c->spread_ns = tune_search_share(s, (double)time->spread_ns);
    c->runs = time->runs;
}

/* T(bulk) and E(bulk), with the shapes and the sent bytes. T(bulk) is also the time of the
   candidate bulk, unless predictions alone decide. */
static enum proact_status search_begin(struct tune_search *s, struct proact_error *err)
{
    struct run_plan bulk = {.method = run_baseline,
                            .opened = search_opened,
                            .closing = search_closing,
                            .context = s};
    struct run_row row, skipped;
    enum proact_status status = run_plans_time(s->plans, &bulk, &row, err);

    if (status)
        return status;
    s->differs |= !row.equal;
    if (!row.equal)
        return fail(err, PROACT_EFAULT, "%s: the answer differs from that of one device",
                    run_baseline);
    bulk = (struct run_plan){.method = run_baseline, .skips = true};
    if ((status = run_plans_time(s->plans, &bulk, &skipped, err)))
        return status;
    const unsigned iterations = run_plans_study(s->plans)->one.iterations;
    const unsigned devices = s->topology->device_count;

    s->iterations = iterations ? iterations : 1;
    s->facts =
        (struct tune_facts){.kernel_ns = tune_search_share(s, (double)skipped.time.ns),
                            .bulk_ns = tune_search_share(s, (double)row.time.ns),
                            .bytes = (uint64_t)tune_search_share(
                                s, (double)row.statistics.bytes / devices / (devices - 1))};
    tune_candidates_rank(&s->candidates, s->topology, &s->facts);
    for (size_t i = 0; i < s->candidates.count && strcmp(s->tune->effort, "estimate") != 0;
         i++)
        if (strcmp(s->candidates.all[i].plan.method, run_baseline) == 0)
            search_keep_time(s, &s->candidates.all[i], &row.time);
    return PROACT_OK;
}

/* The reason not to time a candidate; PROFILE_TIMED: none. `best_ns`: the best prediction
   of a possible one. */
static enum profile_reason search_skips(const struct tune_search *s,
                                        const struct profile_candidate *c, double best_ns)
{
    if (c->reason == PROFILE_UNSUPPORTED)
        return c->reason;
    if (strcmp(s->tune->effort, "exhaustive") != 0 && best_ns > 0 &&
        (strcmp(s->tune->effort, "estimate") == 0 ||
         c->predicted_ns > predictions_max * best_ns))
        return PROFILE_PREDICTED;
    return s->until_ns && clock_host_ns() >= s->until_ns ? PROFILE_BUDGET : PROFILE_TIMED;
}

/* The best prediction of a possible candidate; 0: unknown. */
static double search_best_prediction(const struct tune_search *s)
{
    for (size_t i = 0; i < s->candidates.count; i++)
        if (s->candidates.all[i].reason != PROFILE_UNSUPPORTED)
            return s->candidates.all[i].predicted_ns;
    return 0;
}

static enum proact_status search_time(struct tune_search *s, struct profile_candidate *c,
                                      struct proact_error *err)
{
    char method[3 * PLAN_METHOD_BYTES];
    struct run_plan plan = {
        .method = method, .chunk_bytes = c->plan.chunk_first, .threads = c->plan.threads};
    struct run_row row;

    plan_print_methods(&c->plan, method);
    const enum proact_status status = run_plans_time(s->plans, &plan, &row, err);

    if (status == PROACT_EREFUSED) {
        c->reason = PROFILE_UNSUPPORTED;
        return PROACT_OK;
    }
    if (status)
        return status;
    search_keep_time(s, c, &row.time);
    s->differs |= !row.equal;
    return row.equal ? PROACT_OK
                     : fail(err, PROACT_EFAULT,
                            "%s: the answer differs from that of one device", method);
}

static enum proact_status search_all(struct tune_search *s, struct proact_error *err)
{
    enum proact_status status = search_begin(s, err);
    const double best_ns = search_best_prediction(s);

    for (size_t i = 0; i < s->candidates.count && !status; i++) {
        struct profile_candidate *c = &s->candidates.all[i];

        if (c->measured_ns > 0)
            continue;
        c->reason = search_skips(s, c, best_ns);
        if (c->reason == PROFILE_TIMED && !(status = search_time(s, c, err)) &&
            c->reason == PROFILE_TIMED)
            status = tune_search_save(s, err);
    }
    if (!status)
        status = tune_search_refine(s, err);
    if (status)
        return status;
    return tune_search_best(s) ? tune_search_save(s, err)
                               : fail(err, PROACT_EREFUSED,
                                      "no candidate was timed: a longer --time, or another "
                                      "--effort, is necessary");
}

static void search_report(const struct tune_search *s)
{
    const struct profile_candidate *best = tune_search_best(s);
    char plan[PLAN_TEXT_BYTES];
    size_t timed = 0;

    for (size_t i = 0; i < s->candidates.count; i++)
        timed += s->candidates.all[i].measured_ns > 0;
    plan_print(&best->plan, plan);
    printf("%s: candidates timed: %zu of %zu, launch shapes: %zu\n", s->tune->path, timed,
           s->candidates.count, s->shape_count);
    printf("an iteration: %.3f us without transfers, %" PRIu64
           " bytes from each device to each other one\n",
           s->facts.kernel_ns / 1e3, s->facts.bytes);
    if (s->mixed_timed)
        printf("combinations of plans by shape timed: %u\n", s->mixed_timed);
    if (s->mixed_ns > 0)
        printf("several plans: %.3f times as fast as bulk\n",
               s->facts.bulk_ns / s->mixed_ns);
    else if (best->measured_ns > 0)
        printf("%s: %.3f times as fast as bulk\n", plan,
               s->facts.bulk_ns / best->measured_ns);
    else
        printf("%s: by its prediction\n", plan);
}

/* Options that a search has no use for would be lost silently. */
static int check_request(const struct run_request *r)
{
    const struct {
        const char *option;
        bool is_given;
    } options[] = {
        {"compare", r->compare},       {"json", r->json},     {"plot", r->plot},
        {"trace", r->trace},           {"output", r->output}, {"log", r->log},
        {"checkpoint", r->checkpoint}, {"resume", r->resume}, {"reference", r->reference}};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].is_given)
            return usage_error("tune",
                               "--%s is not for a search: run the application with it "
                               "afterwards",
                               options[i].option);
    return EXIT_FINE;
}

static int search_run(const struct tune_request *tune,
                      const struct run_application *application,
                      const struct run_request *request, const struct topology *topology)
{
    struct tune_search s = {.tune = tune, .request = request, .topology = topology};
    struct proact_error err = {""};
    void *work;
    enum proact_status status = application->open(request, &work, &err);

    if (status)
        return failure_exit(&err);
    if (tune->seconds > 0)
        s.until_ns = clock_host_ns() + (uint64_t)(tune->seconds * 1e9);
    if (application->runs_on_host && application->runs_on_host(work))
        status = fail(&err, PROACT_EREFUSED,
                      "%s runs on the host here, so there is nothing to tune",
                      application->name);
    else if (topology->device_count == 1)
        status = fail(&err, PROACT_EREFUSED,
                      "one device sends nothing, so there is nothing to tune");
    if (!status &&
        !(status = run_plans_open(application, work, request, topology, &s.plans, &err)))
        status = search_all(&s, &err);
    run_plans_close(s.plans);
    if (!status)
        search_report(&s);
    application->close(work);
    free(s.shapes);
    free(s.candidates.all);
    free(s.plans_of);
    if (!status)
        return EXIT_FINE;
    const int code = failure_exit(&err);

    return s.differs ? EXIT_DIFFERS : code;
}

int tune_application(const struct tune_request *tune, int argc, char **argv)
{
    const struct run_application *application = NULL;
    struct run_request request = {0};
    struct run_words *words;
    struct topology topology;
    bool help = false;
    int code = run_options_parse(argc, argv, &words, &application, &request, &help);

    if (!code && help)
        run_options_help(application, stdout);
    else if (!code && !(code = check_request(&request)) &&
             !(code = check_machine("tune", request.machine, request.devices, &topology)))
        code = search_run(tune, application, &request, &topology);
    run_options_destroy(words);
    return code;
}
