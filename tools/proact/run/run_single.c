/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_single.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "run/run_checkpoint.h"
#include "run/run_convergence.h"
#include "run/run_methods.h"
#include "run/run_output.h"
#include "run/run_progress.h"
#include "run/run_report.h"
#include "run/run_svg.h"
#include "run/run_trace.h"
#include "runtime/autotune/session_profile.h"

struct single {
    const struct run_application *application;
    void *work;
    const struct run_request *request;
    const struct topology *topology;
    struct proact *session;
    struct run_trace *trace;
    struct run_checkpoint *checkpoint;
    struct run_progress progress;
    struct run_convergence convergence;
    struct run_clock clock;
    struct run_series series;
    struct run_outcome outcome; /* of the run with the median time */
    struct run_time time;
    const char *method;
    char plan[RUN_PLAN_BYTES];     /* of auto; else "" */
    char copies[RUN_COPIES_BYTES]; /* pairs of devices that have copies instead, or "" */
    bool emulated;
};

static void single_step(void *context, unsigned iteration, double residual)
{
    struct single *s = context;

    run_progress_step(&s->progress, iteration, residual);
    if (run_clock_start(&s->clock))
        return;
    if (s->request->log || s->request->plot)
        run_convergence_add(&s->convergence, (struct run_point){iteration, residual,
                                                                proact_now_ns(s->session)});
}

static void host_step(void *context, unsigned iteration, double residual)
{
    struct single *s = context;

    run_progress_step(&s->progress, iteration, residual);
}

/* Counts the times of the points from the start of the iterations: the last point is at
   their end. */
static void rebase_points(struct single *s, const struct run_outcome *outcome)
{
    struct run_convergence *c = &s->convergence;
    uint64_t end_ns = c->count ? c->point[c->count - 1].time_ns : 0;

    for (size_t i = 0; i < c->count; i++) {
        uint64_t before_ns = end_ns - c->point[i].time_ns;

        c->point[i].time_ns =
            before_ns < outcome->time_ns ? outcome->time_ns - before_ns : 0;
    }
}

/* Prints the warnings about profiles, and whether stored plans were used. */
static bool single_report_profile(const struct single *s, bool is_first)
{
    const char *line;
    bool is_warning;

    for (unsigned i = 0; (line = proact_profile_report(s->session, i, &is_warning)); i++)
        if (is_warning && is_first)
            fprintf(stderr, "proact: %s\n", line);
    return session_profile_has_used(s->session);
}

/* The session of run `number`. Without a method, stored plans apply, then the plans that
   the cost model selects. */
static enum proact_status single_open(struct single *s, unsigned number,
                                      struct proact_error *err)
{
    const struct run_request *r = s->request;
    const char *method = r->method ? r->method : run_auto;
    const struct proact_plan plan = {
        .method = run_method_name(method),
        .chunk_bytes = r->chunk_bytes,
        .transfer_threads = r->threads,
        .broadcast = r->sends_all,
    };
    const struct proact_options options = {
        .machine = r->machine,
        .device_count = s->topology->device_count,
        .seed = r->seed + number,
        .check = r->check,
        .profile = r->profile,
        .plan = plan,
    };

    s->method = method;
    return proact_open(&options, &s->session, err);
}

static bool is_on_host(const struct single *s)
{
    return s->application->runs_on_host && s->application->runs_on_host(s->work);
}

/* Without a session: the options of devices and of their states have no meaning. */
static enum proact_status single_execute_on_host(struct single *s, struct run_outcome *out,
                                                 struct proact_error *err)
{
    const struct run_request *r = s->request;
    const struct run_watcher watcher = {.progress = host_step, .context = s};

    if (r->checkpoint || r->resume || r->trace || r->plot || r->log)
        return fail(err, PROACT_EREFUSED,
                    "%s runs on the host here: --checkpoint, --resume, --trace, --plot and "
                    "--log need devices",
                    s->application->name);
    s->method = "the host";
    run_progress_next(&s->progress, s->method);
    return s->application->run(s->work, NULL, &watcher, out, err);
}

static enum proact_status single_execute(struct single *s, unsigned number,
                                         struct run_outcome *out, struct proact_error *err)
{
    struct run_watcher watcher = {.progress = single_step, .context = s};
    enum proact_status status;

    if (is_on_host(s))
        return single_execute_on_host(s, out, err);
    if ((status = run_checkpoint_open(s->application, s->work, s->request, &s->checkpoint,
                                      err)) ||
        (status = single_open(s, number, err)))
        return status;
    if (s->request->trace && (status = run_trace_open(s->request->trace, &s->trace, err)))
        return status;
    if (s->trace)
        proact_trace_set_callback(s->session, run_trace_span, s->trace);
    s->emulated = proact_is_emulated(s->session);
    run_copies_note(s->session, s->copies);
    watcher.every_iteration = s->request->log || s->request->plot;
    watcher.checkpoint = run_checkpoint_callbacks(s->checkpoint);
    run_progress_next(&s->progress, s->method);
    status = s->application->run(s->work, s->session, &watcher, out, err);
    rebase_points(s, out);
    if (strcmp(s->method, run_auto) == 0)
        run_plan_note(s->session, s->plan);
    if (single_report_profile(s, number == 0))
        s->method = "stored plans";
    return status;
}

/* --runs times; the answer is that of the first run. */
static enum proact_status single_execute_all(struct single *s, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    unsigned most = 1;

    for (unsigned i = 0; i < most && !status; i++) {
        struct run_outcome outcome = {0};

        s->clock = run_clock_open();
        status = single_execute(s, i, &outcome, err);
        run_checkpoint_close(s->checkpoint);
        s->checkpoint = NULL;
        proact_close(s->session);
        s->session = NULL;
        if (status)
            break;
        run_progress_done(&s->progress, outcome.iterations);
        run_series_add(&s->series, &outcome, &s->clock);
        most = run_count(s->request->runs, s->emulated || is_on_host(s));
        s->progress.runs = most;
    }
    if (!status)
        s->outcome = run_median(&s->series, &s->time);
    else if (s->series.count)
        run_outcome_clear(&s->series.outcome[0]);
    return status;
}

/* "4 emulated devices of v100x4 (Tesla V100, NVLink)". */
static void print_machine_words(const struct single *s, FILE *to)
{
    const struct topology *t = s->topology;
    const char *fabric = t->fabric.name;

    fprintf(to, "%u %s%s of %s (%s%s%s)", t->device_count,
            s->emulated ? "emulated device" : "device", t->device_count == 1 ? "" : "s",
            t->name, t->device.name, *fabric ? ", " : "", fabric);
}

static void print_single_times(const struct single *s, FILE *to)
{
    const struct run_outcome *o = &s->outcome;
    char whole[RUN_SCALED_BYTES], each[RUN_SCALED_BYTES], sent[RUN_SCALED_BYTES];
    char spread[RUN_SCALED_BYTES];

    run_scale_time(whole, (double)o->time_ns);
    run_scale_time(each, (double)o->time_ns / (o->iterations ? o->iterations : 1));
    run_scale_bytes(sent, (double)o->statistics.bytes);
    if (is_on_host(s)) {
        fprintf(to, "\non the host: %s, %s an iteration\n", whole, each);
        return;
    }
    fprintf(to, "\n%s on ", s->method);
    print_machine_words(s, to);
    fprintf(to, ": %s%s", whole, s->emulated ? " (virtual)" : "");
    if (s->time.runs > 1) {
        run_scale_time(spread, (double)s->time.spread_ns);
        fprintf(to, " (median of %u runs, spread %s)", s->time.runs, spread);
    }
    fprintf(to, ", %s an iteration, %s sent\n", each, sent);
    if (s->plan[0])
        fprintf(to, "%s: %s\n", s->method, s->plan);
    if (s->copies[0])
        fprintf(to, "%s; %s, which have no peer access\n", s->method, s->copies);
}

static enum proact_status check_reference(const struct single *s, bool *differs,
                                          struct proact_error *err)
{
    struct run_comparison c;

    if (!s->application->compare)
        return fail(err, PROACT_EREFUSED, "%s has no reference program",
                    s->application->name);
    enum proact_status status = s->application->compare(s->work, &s->outcome, &c, err);

    if (status)
        return status;
    *differs = !(c.difference <= c.tolerance);
    printf("reference on the host: %s %.3g (at most %.3g): %s\n", c.what, c.difference,
           c.tolerance, *differs ? "DIFFERS" : "agrees");
    return PROACT_OK;
}

static enum proact_status write_single_plot(const struct single *s,
                                            struct proact_error *err)
{
    char *title = run_svg_title(s->application, s->work), *note = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&note, &bytes);

    if (!memory)
        abort();
    fprintf(memory, "%s on ", s->method);
    print_machine_words(s, memory);
    fclose(memory);
    const struct run_convergence_labels labels = {title, note, s->application->quantity};
    enum proact_status status =
        run_convergence_plot(&s->convergence, &labels, s->request->plot, err);

    free(title);
    free(note);
    return status;
}

static bool path_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), bytes = strlen(ending);

    return length >= bytes && strcmp(path + length - bytes, ending) == 0;
}

static enum proact_status write_single_answer(const struct single *s,
                                              struct proact_error *err)
{
    struct run_array arrays[RUN_ARRAYS_MAX];

    if (!s->application->list_arrays)
        return fail(err, PROACT_EREFUSED, "%s has no arrays for --output",
                    s->application->name);
    if (s->application->format_output &&
        path_ends_with(s->request->output, s->application->output_ending)) {
        size_t bytes;
        char *content = s->application->format_output(s->work, &s->outcome, &bytes);
        enum proact_status status = file_write(s->request->output, content, bytes, err);

        free(content);
        return status;
    }
    unsigned count = s->application->list_arrays(s->work, &s->outcome, arrays);

    return run_output_write(arrays, count, s->request->output, err);
}

/* The JSON of a study with one row that is compared with nothing. */
static enum proact_status write_single_json(const struct single *s,
                                            struct proact_error *err)
{
    struct run_study study = {.one = s->outcome,
                              .emulated = s->emulated,
                              .is_single = true,
                              .device_count = s->topology->device_count,
                              .row_count = 1};
    const struct run_report report = {s->application, s->work, s->request, s->topology,
                                      &study};

    study.row[0] = (struct run_row){
        .method = s->method, .time = s->time, .statistics = s->outcome.statistics};
    memcpy(study.row[0].copies, s->copies, sizeof s->copies);
    memcpy(study.row[0].plan, s->plan, sizeof s->plan);
    return run_report_write(&report, s->request->json, err);
}

static enum proact_status single_report(const struct single *s, bool *differs,
                                        struct proact_error *err)
{
    const struct run_request *r = s->request;
    enum proact_status status = PROACT_OK;

    s->application->print_input(s->work, stdout);
    s->application->print_answer(s->work, &s->outcome, stdout);
    print_single_times(s, stdout);
    if (r->output)
        status = write_single_answer(s, err);
    if (!status && r->log)
        status =
            run_convergence_log(&s->convergence, s->application->quantity, r->log, err);
    if (!status && r->plot)
        status = write_single_plot(s, err);
    if (!status && r->json)
        status = write_single_json(s, err);
    if (!status && r->reference)
        status = check_reference(s, differs, err);
    return status;
}

enum proact_status run_single(const struct run_application *application, void *work,
                              const struct run_request *request,
                              const struct topology *topology, bool *differs,
                              struct proact_error *err)
{
    struct single s = {
        .application = application, .work = work, .request = request, .topology = topology};

    run_progress_init(&s.progress, 1);
    enum proact_status status = single_execute_all(&s, err);

    run_progress_clear(&s.progress);
    if (s.trace && status)
        run_trace_discard(s.trace);
    else if (s.trace)
        status = run_trace_finish(s.trace, err);
    if (!status)
        status = single_report(&s, differs, err);
    run_outcome_clear(&s.outcome);
    run_convergence_clear(&s.convergence);
    return status;
}
