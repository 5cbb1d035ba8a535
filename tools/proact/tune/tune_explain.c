/* SPDX-License-Identifier: Apache-2.0 */
/* `proact tune explain`: the plans, and the candidates with the reasons against them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "check_words.h"
#include "command.h"
#include "figures/figure_picture.h"
#include "figures/figure_text.h"
#include "run/run_report.h"
#include "run/run_values.h"
#include "tune/tune.h"
#include "tune/tune_options.h"

/* Chunk size by threads of the agent (PROACT, Figure 4). */
static const struct figure explain_figure = {
    .name = "plans",
    .file = "plans",
    .title = "Time of each plan, relative to the fastest one",
    .unit = "times the fastest",
    .across = "chunk",
    .down = "method, threads",
    .chart = FIGURE_HEAT,
};

static void time_text(double ns, char out[RUN_SCALED_BYTES])
{
    if (ns > 0)
        run_scale_time(out, ns);
    else
        snprintf(out, RUN_SCALED_BYTES, "-");
}

static bool same_plans(const struct plan *a, const struct plan *b)
{
    char left[PLAN_TEXT_BYTES], right[PLAN_TEXT_BYTES];

    plan_print(a, left);
    plan_print(b, right);
    return strcmp(left, right) == 0;
}

/* Why the candidate is not the plan. */
static void print_reason(const struct profile_entry *e, const struct profile_candidate *c,
                         double best_predicted_ns)
{
    if (same_plans(&c->plan, &e->plan))
        printf("  chosen%s", c->reason == PROFILE_TIMED ? "" : ", not timed");
    else if (c->reason == PROFILE_TIMED && e->measured_ns > 0)
        printf("  %.2f times the chosen one", c->measured_ns / e->measured_ns);
    else if (c->reason == PROFILE_PREDICTED)
        printf("  not timed: its prediction is %.2f times the best one",
               c->predicted_ns / best_predicted_ns);
    else if (c->reason == PROFILE_BUDGET)
        printf("  not timed: the time of the search was used up");
    else if (c->reason == PROFILE_UNSUPPORTED)
        printf("  not timed: the machine or the kernel does not support it");
    else if (c->reason == PROFILE_UNDECIDED)
        printf("  not timed: too few launches");
    printf("\n");
}

static void print_candidates(const struct profile_entry *e)
{
    double best_ns = INFINITY;

    if (!e->candidate_count)
        return;
    for (size_t i = 0; i < e->candidate_count; i++)
        if (e->candidates[i].predicted_ns > 0 &&
            e->candidates[i].reason != PROFILE_UNSUPPORTED)
            best_ns = fmin(best_ns, e->candidates[i].predicted_ns);
    printf("  %-46s %10s %10s %10s\n", "candidate", "predicted", "measured", "spread");
    for (size_t i = 0; i < e->candidate_count; i++) {
        const struct profile_candidate *c = &e->candidates[i];
        char plan[PLAN_TEXT_BYTES], predicted[RUN_SCALED_BYTES], measured[RUN_SCALED_BYTES],
            spread[RUN_SCALED_BYTES];

        plan_print(&c->plan, plan);
        time_text(c->predicted_ns, predicted);
        time_text(c->measured_ns, measured);
        time_text(c->spread_ns, spread);
        printf("  %-46s %10s %10s %10s", plan, predicted, measured,
               c->measured_ns > 0 && !(c->spread_ns > 0) ? "0" : spread);
        print_reason(e, c, best_ns);
    }
}

static void explain_entry(const struct profile_entry *e)
{
    char name[TUNE_SHAPE_BYTES], plan[PLAN_TEXT_BYTES], text[RUN_SCALED_BYTES];
    const struct profile_key *k = &e->key;

    tune_shape(k, name);
    plan_print(&e->plan, plan);
    printf("%s on %u devices of %s (%s), proact %s\n", name, k->device_count, k->machine,
           k->driver, k->version);
    if (!profile_is_decided(e)) {
        printf(
            "  undecided after %u launches: too few to time them, or the budget was used "
            "up\n",
            e->runs);
        return;
    }
    printf("  plan: %s%s\n", plan, e->is_pinned ? " (pinned)" : "");
    if (e->predicted_ns > 0) {
        run_scale_time(text, e->predicted_ns);
        printf("  predicted: %s\n", text);
    }
    if (e->measured_ns > 0) {
        run_scale_time(text, e->measured_ns);
        printf("  measured: %s", text);
        run_scale_time(text, e->spread_ns);
        printf(", spread %s, %u runs, %s\n", e->spread_ns > 0 ? text : "0", e->runs,
               e->date);
    }
    print_candidates(e);
}

static void explain_add_rows(const struct profile_entry *e, struct figure_rows *rows)
{
    double best_ns = INFINITY;

    for (size_t i = 0; i < e->candidate_count; i++)
        if (e->candidates[i].measured_ns > 0)
            best_ns = fmin(best_ns, e->candidates[i].measured_ns);
    for (size_t i = 0; i < e->candidate_count; i++) {
        const struct profile_candidate *c = &e->candidates[i];
        struct figure_row row = {.x = (double)c->plan.chunk_first};

        if (!(c->measured_ns > 0) || !*c->plan.method)
            continue;
        row.value = c->measured_ns / best_ns;
        snprintf(row.panel, sizeof row.panel, "%.32s/%u,%u,%u", e->key.kernel,
                 e->key.grid[0], e->key.grid[1], e->key.grid[2]);
        snprintf(row.machine, sizeof row.machine, "%.40s", e->key.machine);
        snprintf(row.series, sizeof row.series, c->plan.threads ? "%s, %u" : "%s",
                 c->plan.method, c->plan.threads);
        if (c->plan.chunk_first)
            snprintf(row.at, sizeof row.at, "%llu kB",
                     (unsigned long long)c->plan.chunk_first >> 10);
        else
            snprintf(row.at, sizeof row.at, "default");
        figure_rows_add(rows, &row);
    }
}

static bool is_explained(const struct tune_options *o, const struct profile_key *key)
{
    for (int i = 0; i < o->count; i++)
        if (tune_shape_fits(o->words[i], key))
            return true;
    return !o->count;
}

static int explain_figures(const struct tune_options *o, const struct figure_rows *rows)
{
    struct proact_error err = {""};
    struct text table = {0}, svg = {0};
    enum proact_status status = PROACT_OK;

    figure_text_print(&explain_figure, rows, &table);
    if (rows->count)
        printf("\n%s", table.data);
    if (o->svg && !rows->count)
        status = fail(&err, PROACT_EREFUSED, "--svg: no candidate with a method was timed");
    figure_picture_draw(&explain_figure, rows, &svg);
    if (o->svg && !status)
        status = file_write(o->svg, svg.data, svg.length, &err);
    text_clear(&table);
    text_clear(&svg);
    return status ? failure_exit(&err) : EXIT_FINE;
}

static int explain_all(const struct tune_options *o)
{
    struct figure_rows rows = {0};
    struct profile *p;
    int code = tune_read(o->path, &p);

    for (int i = 0; i < o->count && !code; i++) {
        size_t n = 0;

        while (n < profile_count(p) &&
               !tune_shape_fits(o->words[i], &profile_at(p, n)->key))
            n++;
        if (n == profile_count(p))
            code = tune_shape_missing(o->words[i], o->path, p);
    }
    for (size_t i = 0; i < profile_count(p) && !code; i++) {
        const struct profile_entry *e = profile_at(p, i);

        if (!is_explained(o, &e->key))
            continue;
        explain_entry(e);
        explain_add_rows(e, &rows);
    }
    if (!code && !profile_count(p))
        printf("%s: no entries\n", o->path);
    if (!code)
        code = explain_figures(o, &rows);
    figure_rows_clear(&rows);
    profile_free(p);
    return code;
}

int tune_explain(int argc, char **argv)
{
    struct tune_options o;
    bool is_done;
    int code = tune_options_parse(argc, argv, "svg", &o, &is_done);

    if (!code && !is_done)
        code = explain_all(&o);
    tune_options_clear(&o);
    return code;
}
