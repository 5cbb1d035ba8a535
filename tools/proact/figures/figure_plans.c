/* SPDX-License-Identifier: Apache-2.0 */
/* The plans that a study sweeps, and the selection of the fastest one (PROACT III-A,
   Table II). */
#include <stdio.h>
#include <string.h>

#include "figures/figure_session.h"

enum { KB = 1 << 10, MB = 1 << 20 };

const char *const figure_kinds[FIGURE_KINDS] = {
    [FIGURE_BULK_SERIAL] = "bulk-serial", [FIGURE_BULK] = "bulk",
    [FIGURE_UNIFIED] = "unified",         [FIGURE_INLINE] = "inline",
    [FIGURE_DECOUPLED] = "decoupled",
};

/* The decoupled methods, with their names in Table II. fused is not in the paper. */
static const struct {
    const char *method, *name;
} decoupled[] = {{"polling", "Poll"}, {"dynamic", "CDP"}, {"fused", "fused"}};
enum { DECOUPLED = sizeof decoupled / sizeof *decoupled };

/* The decoupled plans. They contain those of Table II, but for 4096 threads on Pascal. The
   first ones are those of --quick, and the first two those of Figure 10. */
static const struct {
    const char *method;
    uint64_t chunk_bytes;
    unsigned threads;
} sweep[] = {
    {"polling", 128 * KB, 2048}, {"fused", 16 * KB, 0},     {"dynamic", 16 * KB, 256},
    {"dynamic", 128 * KB, 2048}, {"polling", 1 * MB, 2048},
};
enum { SWEEP_SCALING = 2, SWEEP_FEW = 3, SWEEP_ALL = sizeof sweep / sizeof *sweep };

static void plan_append(struct run_methods *methods, const char *name, uint64_t chunk_bytes,
                        unsigned threads)
{
    const unsigned i = methods->count++;

    methods->name[i] = name;
    methods->chunk_bytes[i] = chunk_bytes;
    methods->threads[i] = threads;
}

void figure_plans_add(enum figure_sweep which, struct run_methods *methods)
{
    const unsigned count = which == FIGURE_SWEEP_ALL     ? SWEEP_ALL
                           : which == FIGURE_SWEEP_QUICK ? SWEEP_FEW
                                                         : SWEEP_SCALING;

    *methods = (struct run_methods){.all = true, .sweeps = true};
    plan_append(methods, run_baseline, 0, 0);
    plan_append(methods, figure_kinds[FIGURE_BULK_SERIAL], 0, 0);
    if (which != FIGURE_SWEEP_SCALING)
        plan_append(methods, run_unified, 0, 0);
    plan_append(methods, figure_kinds[FIGURE_INLINE], 0, 0);
    for (unsigned i = 0; i < count; i++)
        plan_append(methods, sweep[i].method, sweep[i].chunk_bytes, sweep[i].threads);
}

static const char *plan_mechanism(const struct run_row *row)
{
    for (int i = 0; i < DECOUPLED; i++)
        if (strcmp(decoupled[i].method, row->method) == 0)
            return decoupled[i].name;
    return NULL;
}

const struct run_row *figure_fastest(const struct run_study *study, enum figure_kind kind)
{
    const struct run_row *best = NULL;

    for (unsigned i = 0; i < study->row_count; i++) {
        const struct run_row *row = &study->row[i];
        const bool fits = kind == FIGURE_DECOUPLED
                              ? plan_mechanism(row) != NULL
                              : strcmp(row->method, figure_kinds[kind]) == 0;

        if (fits && (!best || row->time.ns < best->time.ns))
            best = row;
    }
    return best;
}

const struct run_row *figure_best(const struct run_study *study)
{
    const struct run_row *by_store = figure_fastest(study, FIGURE_INLINE);
    const struct run_row *by_agent = figure_fastest(study, FIGURE_DECOUPLED);

    if (!by_store || !by_agent)
        return by_store ? by_store : by_agent;
    return by_store->time.ns <= by_agent->time.ns ? by_store : by_agent;
}

void figure_plan_name(const struct run_row *row, char *into, size_t size)
{
    const char *mechanism = plan_mechanism(row);
    const unsigned long long kb = row->chunk_bytes / KB;

    char size_text[24], threads[16] = "";

    snprintf(size_text, sizeof size_text, kb >= 1024 ? "%lluMB" : "%llukB",
             kb >= 1024 ? kb / 1024 : kb);
    if (row->threads)
        snprintf(threads, sizeof threads, " %u", row->threads);
    if (mechanism)
        snprintf(into, size, "D %s%s %s", size_text, threads, mechanism);
    else
        snprintf(into, size, "I");
}
