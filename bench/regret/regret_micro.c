/* SPDX-License-Identifier: Apache-2.0 */
/* The microbenchmark. The first run of a plan is the median of up to 25 launches, each
   further run the median of five. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bench/bench_options.h"
#include "check_words.h"
#include "command.h"
#include "micro_run.h"
#include "regret.h"

enum { TURN_LAUNCHES = 5 };

struct regret_turns {
    char name[REGRET_NAME_BYTES];
    struct micro_turns *turns;
};

struct regret_bench {
    struct bench_options options;
    struct bench_words *words;
    struct bench_report report;
    struct micro *micro;
    struct micro_launch what;
    double bulk_ns;
    struct regret_turns plans[REGRET_PLANS];
};

static void regret_bench_close(void *context)
{
    struct regret_bench *b = context;

    for (unsigned i = 0; i < REGRET_PLANS; i++)
        micro_turns_close(b->plans[i].turns);
    if (b->micro)
        micro_close(b->micro);
    bench_options_destroy(b->words);
    free(b);
}

static int regret_bench_open(int argc, char **argv, void **context, bool *is_emulated)
{
    struct regret_bench *b = must_calloc(1, sizeof *b);
    char name[] = "bench", *words[REGRET_PLANS] = {name};
    struct topology t;

    *context = b;
    for (int i = 1; i < argc && i < REGRET_PLANS; i++)
        words[i] = argv[i];
    int code = bench_options_read(argc, words, &b->words, &b->options);
    const struct bench_request *q = &b->options.request;

    if (!code && (!q->pattern || q->ratio <= 0))
        code = usage_error("bench", "micro needs --pattern and --ratio here");
    if (!code)
        code = check_machine("bench", q->machine, q->devices, &t);
    if (code)
        return code;
    b->micro = micro_open(q, &b->report);
    b->what.kernel = micro_stores(b->micro);
    b->what.devices = *q->pattern == 'o'   ? 1
                      : *q->pattern == 't' ? 2
                                           : micro_devices(b->micro);
    const struct micro_bulk bulk =
        micro_tune(b->micro, b->what.devices, q->ratio, q->sleeps);

    b->what.work = bulk.work;
    b->bulk_ns = bulk.terms.bulk;
    *is_emulated = b->report.is_virtual;
    return EXIT_FINE;
}

static int compare_turns(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static struct proact_plan regret_bench_plan(const struct regret_bench *b,
                                            const struct regret_plan *plan)
{
    return (struct proact_plan){.method =
                                    strcmp(plan->method, BENCH_AUTO) ? plan->method : NULL,
                                .broadcast = true,
                                .chunk_bytes = plan->chunk_bytes,
                                .compute_to_copy_ratio = b->options.request.ratio};
}

/* The launches of a plan, opened at first use. */
static struct micro_turns *regret_bench_turns(struct regret_bench *b,
                                              const struct regret_plan *plan)
{
    struct regret_turns *t = b->plans;
    const struct proact_plan by = regret_bench_plan(b, plan);

    while (t->turns && strcmp(t->name, plan->name) != 0)
        t++;
    if (!t->turns) {
        memcpy(t->name, plan->name, sizeof t->name);
        t->turns = micro_turns_open(b->micro, &by, &b->what);
    }
    return t->turns;
}

static enum proact_status regret_bench_first(struct regret_bench *b,
                                             struct regret_plan *plan, double *ns,
                                             struct proact_error *err)
{
    const struct proact_plan by = regret_bench_plan(b, plan);
    struct bench_sample s = {.median = b->bulk_ns};
    enum proact_status status = PROACT_OK;

    if (!by.method) {
        struct micro_turns *t = regret_bench_turns(b, plan);

        s = micro_turns_run(t);
        const char *text = micro_turns_plan(t);

        snprintf(plan->text, sizeof plan->text, "%.*s", text ? (int)strcspn(text, ":") : 0,
                 text ? text : "");
    } else if (strcmp(by.method, "bulk") != 0) {
        status = micro_run(b->micro, &by, &b->what, &s, err);
    }
    *ns = s.median;
    return status;
}

static enum proact_status regret_bench_run(void *context, struct regret_plan *plan,
                                           struct proact_error *err)
{
    struct regret_bench *b = context;
    double ns[TURN_LAUNCHES];

    if (!plan->count) {
        const enum proact_status status = regret_bench_first(b, plan, ns, err);

        plan->ns[plan->count] = ns[0];
        plan->count += status == PROACT_OK;
        return status;
    }
    for (int i = 0; i < TURN_LAUNCHES; i++)
        ns[i] = micro_turns_once(regret_bench_turns(b, plan));
    qsort(ns, TURN_LAUNCHES, sizeof *ns, compare_turns);
    plan->ns[plan->count++] = ns[TURN_LAUNCHES / 2];
    return PROACT_OK;
}

const struct regret_case regret_micro = {"micro", regret_bench_open, regret_bench_run,
                                         regret_bench_close, false};
