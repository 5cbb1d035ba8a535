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

static const struct {
    unsigned chunks, counts;
    uint64_t chunk_bytes[4];
    unsigned threads[2];
} sweeps[] = {
    {4, 2, {16 * KB, 128 * KB, 1 * MB, 4 * MB}, {256, 2048}}, /* the paper's size */
    {2, 1, {16 * KB, 128 * KB}, {2048}},                      /* --quick */
};

static void plan_append(struct run_methods *methods, const char *name, uint64_t chunk_bytes,
                        unsigned threads)
{
    const unsigned i = methods->count++;

    methods->name[i] = name;
    methods->chunk_bytes[i] = chunk_bytes;
    methods->threads[i] = threads;
}

void figure_plans_add(bool quick, struct run_methods *methods)
{
    *methods = (struct run_methods){.all = true, .sweeps = true};
    plan_append(methods, run_baseline, 0, 0);
    plan_append(methods, figure_kinds[FIGURE_BULK_SERIAL], 0, 0);
    plan_append(methods, run_unified, 0, 0);
    plan_append(methods, figure_kinds[FIGURE_INLINE], 0, 0);
    for (int i = 0; i < DECOUPLED; i++)
        for (unsigned c = 0; c < sweeps[quick].chunks; c++)
            for (unsigned t = 0; t < sweeps[quick].counts; t++)
                plan_append(methods, decoupled[i].method, sweeps[quick].chunk_bytes[c],
                            sweeps[quick].threads[t]);
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
