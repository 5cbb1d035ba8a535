/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning of an application of `proact run`: one run for each candidate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "check_words.h"
#include "command.h"
#include "run/run_options.h"
#include "run/run_study.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/objects/session.h"
#include "tune/tune.h"
#include "tune/tune_candidates.h"

/* Candidates whose prediction exceeds the best one by more are not timed with the effort
   `measure`: the model's error is below it in most cases. */
static const double predictions_max = 2;
/* Without measurements, the session's default stays if its prediction is that close to the
   best one. */
static const double predictions_close = 1.25;

struct search {
    const struct tune_request *tune;
    const struct run_request *request;
    const struct topology *topology;
    struct run_plans *plans;
    struct profile_key *shapes;
    size_t shape_count;
    struct tune_candidates candidates;
    struct tune_facts facts;
    unsigned iterations;
    uint64_t until_ns; /* 0: no limit */
    bool differs;
    /* Plans of the shapes, if they are not all the best one. */
    const struct profile_candidate **plans_of; /* by shape; NULL: not refined */
    double mixed_ns, mixed_spread_ns;          /* of an iteration with them */
    unsigned mixed_runs, mixed_timed;
};

static void search_opened(void *context, struct proact *p)
{
    (void)context;
    session_profile_list_shapes(p);
}

/* Keeps the shapes of all launches. */
static void search_closing(void *context, struct proact *p)
{
    struct search *s = context;
    const struct session_profile *from = p->profile;

    free(s->shapes);
    s->shapes = must_calloc(from->shape_count + 1, sizeof *s->shapes);
    s->shape_count = from->shape_count;
    if (from->shape_count)
        memcpy(s->shapes, from->shapes, from->shape_count * sizeof *s->shapes);
}

static double per_iteration(const struct search *s, double total)
{
    return floor(total / s->iterations + 0.5);
}

/* T(bulk) and E(bulk), with the shapes and the sent bytes. */
static enum proact_status search_begin(struct search *s, struct proact_error *err)
{
    struct run_plan bulk = {.method = run_baseline,
                            .opened = search_opened,
                            .closing = search_closing,
                            .context = s};
    struct run_row row, skipped;
    uint64_t bytes = 0;
    enum proact_status status = run_plans_time(s->plans, &bulk, &row, err);

    if (status)
        return status;
    bulk = (struct run_plan){.method = run_baseline, .skips = true};
    if ((status = run_plans_time(s->plans, &bulk, &skipped, err)))
        return status;
    const unsigned iterations = run_plans_study(s->plans)->one.iterations;

    s->iterations = iterations ? iterations : 1;
    s->facts = (struct tune_facts){.kernel_ns = per_iteration(s, (double)skipped.time.ns),
                                   .bulk_ns = per_iteration(s, (double)row.time.ns),
                                   .bytes = (double)row.statistics.bytes / s->iterations /
                                            s->topology->device_count};
    for (size_t i = 0; i < s->shape_count; i++)
        bytes = s->shapes[i].bytes > bytes ? s->shapes[i].bytes : bytes;
    tune_candidates_list(s->request, strcmp(s->tune->effort, "exhaustive") == 0, bytes,
                         &s->candidates);
    tune_candidates_rank(&s->candidates, s->topology, &s->facts);
    return PROACT_OK;
}

/* The reason not to time a candidate; PROFILE_TIMED: none. */
static enum profile_reason search_skips(const struct search *s,
                                        const struct profile_candidate *c)
{
    const double best_ns = s->candidates.all[0].predicted_ns;

    if (strcmp(s->tune->effort, "exhaustive") != 0 && best_ns > 0 &&
        (strcmp(s->tune->effort, "estimate") == 0 ||
         c->predicted_ns > predictions_max * best_ns))
        return PROFILE_PREDICTED;
    return s->until_ns && clock_host_ns() >= s->until_ns ? PROFILE_BUDGET : PROFILE_TIMED;
}

static enum proact_status search_time(struct search *s, struct profile_candidate *c,
                                      struct proact_error *err)
{
    char method[3 * PLAN_METHOD_BYTES];
    struct run_plan plan = {
        .method = method, .chunk_bytes = c->plan.chunk_first, .threads = c->plan.threads};
    struct run_row row;

    snprintf(method, sizeof method, *c->plan.tail ? "%s+%s:%llu" : "%s", c->plan.method,
             c->plan.tail, (unsigned long long)c->plan.tail_bytes);
    const enum proact_status status = run_plans_time(s->plans, &plan, &row, err);

    if (status == PROACT_EREFUSED) {
        c->reason = PROFILE_UNSUPPORTED;
        return PROACT_OK;
    }
    if (status)
        return status;
    c->reason = PROFILE_TIMED;
    c->measured_ns = fmax(1, per_iteration(s, (double)row.time.ns));
    c->spread_ns = per_iteration(s, (double)row.time.spread_ns);
    c->runs = row.time.runs;
    s->differs |= !row.equal;
    return row.equal ? PROACT_OK
                     : fail(err, PROACT_EFAULT,
                            "%s: the answer differs from that of one device", method);
}

/* The best prediction, or the default if it is close. */
static const struct profile_candidate *search_predicted(const struct search *s)
{
    const struct profile_candidate *best = NULL;

    for (size_t i = 0; i < s->candidates.count; i++) {
        const struct profile_candidate *c = &s->candidates.all[i];

        if (!(c->predicted_ns > 0) || c->reason == PROFILE_UNSUPPORTED)
            continue;
        if (!best)
            best = c;
        if (strcmp(c->plan.method, "fused") == 0 &&
            c->predicted_ns <= predictions_close * best->predicted_ns)
            return c;
    }
    return best;
}

/* The fastest timed candidate, else the best predicted one that is possible. */
static const struct profile_candidate *search_best(const struct search *s)
{
    const struct profile_candidate *best = NULL;

    for (size_t i = 0; i < s->candidates.count; i++) {
        const struct profile_candidate *c = &s->candidates.all[i];

        if (c->measured_ns > 0 && (!best || c->measured_ns < best->measured_ns))
            best = c;
    }
    return best ? best : search_predicted(s);
}

/* Writes the best plan so far for each shape: a search that is killed keeps what it
   measured. */
static enum proact_status search_save(const struct search *s, struct proact_error *err)
{
    const struct profile_candidate *best = search_best(s);
    const time_t now = time(NULL);
    struct tm utc;

    if (!best)
        return PROACT_OK;
    struct profile *p = profile_create();
    const bool is_mixed = s->mixed_ns > 0;
    struct profile_entry e = {.plan = best->plan,
                              .predicted_ns = best->predicted_ns,
                              .measured_ns = is_mixed ? s->mixed_ns : best->measured_ns,
                              .spread_ns = is_mixed ? s->mixed_spread_ns : best->spread_ns,
                              .runs = is_mixed ? s->mixed_runs : best->runs,
                              .candidates = s->candidates.all,
                              .candidate_count = s->candidates.count};

    strftime(e.date, sizeof e.date, "%Y-%m-%d", gmtime_r(&now, &utc));
    for (size_t i = 0; i < s->shape_count; i++) {
        e.key = s->shapes[i];
        if (is_mixed) {
            e.plan = s->plans_of[i]->plan;
            e.predicted_ns = s->plans_of[i]->predicted_ns;
        }
        profile_put(p, &e);
    }
    const enum proact_status status = profile_save(p, s->tune->path, err);

    profile_free(p);
    return status;
}

/* Gives the session the plans of the shapes. */
static void search_opened_mixed(void *context, struct proact *p)
{
    const struct search *s = context;

    for (size_t i = 0; i < s->shape_count; i++)
        session_profile_put(p, &(struct profile_entry){.key = s->shapes[i],
                                                       .plan = s->plans_of[i]->plan,
                                                       .is_pinned = true});
}

/* Tries another plan for one shape, and keeps it if the run is faster. */
static enum proact_status search_try(struct search *s, size_t shape,
                                     const struct profile_candidate *c,
                                     struct proact_error *err)
{
    const struct profile_candidate *before = s->plans_of[shape];
    const struct run_plan mixed = {.opened = search_opened_mixed, .context = s};
    struct run_row row;

    s->plans_of[shape] = c;
    const enum proact_status status = run_plans_time(s->plans, &mixed, &row, err);
    const double ns = status ? 0 : per_iteration(s, (double)row.time.ns);
    const double best_ns = s->mixed_ns > 0 ? s->mixed_ns : search_best(s)->measured_ns;

    s->mixed_timed += !status;
    if (status || !row.equal || ns >= best_ns) {
        s->plans_of[shape] = before;
        s->differs |= !status && !row.equal;
        return status || row.equal
                   ? status
                   : fail(err, PROACT_EFAULT,
                          "several plans: the answer differs from that of one device");
    }
    s->mixed_ns = ns;
    s->mixed_spread_ns = per_iteration(s, (double)row.time.spread_ns);
    s->mixed_runs = row.time.runs;
    return search_save(s, err);
}

/* The fastest candidate with another method than those of `seen`; NULL: none. */
static const struct profile_candidate *search_next_method(const struct search *s,
                                                          const char *const *seen,
                                                          unsigned count)
{
    const struct profile_candidate *best = NULL;

    for (size_t i = 0; i < s->candidates.count; i++) {
        const struct profile_candidate *c = &s->candidates.all[i];
        bool is_seen = !(c->measured_ns > 0);

        for (unsigned n = 0; n < count; n++)
            is_seen |= strcmp(seen[n], c->plan.method) == 0;
        if (!is_seen && (!best || c->measured_ns < best->measured_ns))
            best = c;
    }
    return best;
}

/* One step of a coordinate search: each shape in turn tries the best plan of other methods,
   while the other shapes keep theirs. */
static enum proact_status search_refine(struct search *s, struct proact_error *err)
{
    enum { METHODS = 3 };
    const struct profile_candidate *best = search_best(s);
    const bool is_fixed = s->request->chunk_bytes || s->request->threads;
    enum proact_status status = PROACT_OK;

    if (!best || !(best->measured_ns > 0) || s->shape_count < 2 || is_fixed)
        return PROACT_OK;
    s->plans_of = must_calloc(s->shape_count, sizeof *s->plans_of);
    for (size_t i = 0; i < s->shape_count; i++)
        s->plans_of[i] = best;
    for (size_t i = 0; i < s->shape_count; i++) {
        const char *seen[METHODS] = {best->plan.method};

        for (unsigned n = 1; n < METHODS && !status; n++) {
            const struct profile_candidate *c = search_next_method(s, seen, n);

            if (!c || (s->until_ns && clock_host_ns() >= s->until_ns))
                break;
            seen[n] = c->plan.method;
            status = search_try(s, i, c, err);
        }
    }
    return status;
}

static enum proact_status search_all(struct search *s, struct proact_error *err)
{
    enum proact_status status = search_begin(s, err);

    for (size_t i = 0; i < s->candidates.count && !status; i++) {
        struct profile_candidate *c = &s->candidates.all[i];

        c->reason = search_skips(s, c);
        if (c->reason == PROFILE_TIMED && !(status = search_time(s, c, err)) &&
            c->reason == PROFILE_TIMED)
            status = search_save(s, err);
    }
    if (!status)
        status = search_refine(s, err);
    if (status)
        return status;
    return search_best(s) ? search_save(s, err)
                          : fail(err, PROACT_EREFUSED,
                                 "no candidate was timed: a longer --time, or another "
                                 "--effort, is necessary");
}

static void search_report(const struct search *s)
{
    const struct profile_candidate *best = search_best(s);
    char plan[PLAN_TEXT_BYTES];
    size_t timed = 0;

    for (size_t i = 0; i < s->candidates.count; i++)
        timed += s->candidates.all[i].measured_ns > 0;
    plan_print(&best->plan, plan);
    printf("%s: %zu of %zu candidates timed, %zu launch shapes\n", s->tune->path, timed,
           s->candidates.count, s->shape_count);
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
    struct search s = {.tune = tune, .request = request, .topology = topology};
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
