/* SPDX-License-Identifier: Apache-2.0 */
/* Table II by the cost model of the planner: the plan with the least modelled time of a
   sweep, for the paper's input sizes, and the estimated keys that change it (PROACT V-B).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "figures/figure.h"
#include "model/predict.h"

enum { PLANS_MAX = 128, KB = 1 << 10, MB = 1 << 20 };

/* Two plans within this share of each other count as equal. */
static const double planner_tie = 0.001;

static const char *const planner_machines[] = {"h200x4", "v100x4", "p100x4", "k40x4", NULL};

/* A launch of an application with the paper's input (figure_inputs.c), of all devices
   together: bytes that it writes, and that every device receives; consecutive bytes of the
   stores of a warp, as the paper's kernels store; bytes that it loads from memory. */
static const struct planner_launch {
    const char *application;
    double written, touched;
    uint64_t run_bytes;
} launches[] = {
    /* a rank of 8 bytes for each vertex; an index and a sector of ranks for each edge */
    {"pagerank", 8 * 3566907., (4 + 32) * 45030389., 8},
    /* a distance of 4 bytes for each unknown; an index and a weight for each entry */
    {"sssp", 4 * 2016000., (4 + 4) * 369498808., 4},
    /* an unknown of 8 bytes for each row; 257 entries of a row */
    {"band", 8 * 4194304., 8 * 257 * 4194304., 256},
    /* 16 factors of 4 bytes for each user; two rows of factors for each rating */
    {"als", 4 * 16 * 480189., (8 + 2 * 64) * 100e6, 64},
    /* a pixel of 4 bytes; a value of each of the 41 views of a subset */
    {"ct", 4 * 512 * 512., 4 * 41 * 512 * 512., 128},
};
enum { LAUNCHES = sizeof launches / sizeof *launches };

struct planner_plan {
    struct model_plan plan;
    double ns;
};

struct planner_sweep {
    struct planner_plan plan[PLANS_MAX];
    unsigned count;
};

static void sweep_add(struct planner_sweep *s, const struct topology *t,
                      const struct model_problem *p, struct model_plan plan)
{
    if (s->count == PLANS_MAX || !model_sender_exists(t, plan.who))
        return;
    const struct model_candidate c = model_candidate_of(t, p, &plan);

    s->plan[s->count++] = (struct planner_plan){plan, model_candidate_time(&c).ns};
}

/* Inline, and the decoupled methods with chunks of 16 kB to 16 MB and 32 to 8192 threads.
   Chunks larger than the bytes of a sender are equal to the largest. */
static void sweep_fill(struct planner_sweep *s, const struct topology *t,
                       const struct model_problem *p)
{
    static const unsigned threads[] = {32, 256, 2048, 8192};

    s->count = 0;
    sweep_add(s, t, p, (struct model_plan){.who = MODEL_SEND_STORE});
    for (uint64_t chunk = 16 * KB; chunk <= 16 * MB; chunk *= 4) {
        const struct model_schedule chunks = {chunk, 0};

        if (chunk > 16 * KB && chunk >= 4 * p->bytes)
            break;
        sweep_add(s, t, p, (struct model_plan){MODEL_SEND_FUSED, chunks, 0});
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            sweep_add(s, t, p, (struct model_plan){MODEL_SEND_AGENT, chunks, threads[i]});
            sweep_add(s, t, p, (struct model_plan){MODEL_SEND_CHILD, chunks, threads[i]});
        }
    }
}

/* Equal plans have equal numbers in each sweep of a problem. */
static unsigned sweep_best(const struct planner_sweep *s)
{
    unsigned best = 0;

    for (unsigned i = 1; i < s->count; i++)
        if (s->plan[i].ns < s->plan[best].ns)
            best = i;
    return best;
}

static void planner_name(const struct model_plan *plan, char *into, size_t size)
{
    const struct run_row row = {.method = model_method_name(plan->who),
                                .chunk_bytes = plan->chunks.first_bytes,
                                .threads = plan->threads};

    figure_plan_name(&row, into, size);
}

/* The kernel takes the time of its loads from memory. */
static struct model_problem planner_problem(const struct topology *t,
                                            const struct planner_launch *l)
{
    enum { CTA_BYTES = 2048 };
    const double devices = t->device_count;
    struct model_problem p = {
        .run_bytes = l->run_bytes, .is_kernel_only = true, .is_queued = true};

    p.bytes = (uint64_t)(l->written / devices);
    p.kernel_ns = l->touched / devices / t->device.memory_gbps;
    p.ctas = (p.bytes + CTA_BYTES - 1) / CTA_BYTES;
    return p;
}

/* Adds a row for a key that changes the plan, with the plan that is then the best. Returns
   whether it does. */
static bool planner_flip(const struct topology *t, const struct planner_launch *l,
                         unsigned best, const char *key, double factor,
                         const struct figure_row *choice, struct figure_rows *out)
{
    struct topology *changed = must_calloc(1, sizeof *changed);
    struct planner_sweep s;
    struct figure_row row = *choice;
    char name[FIGURE_WORD_BYTES];

    *changed = *t;
    topology_scale(changed, key, factor);
    const struct model_problem p = planner_problem(changed, l);

    sweep_fill(&s, changed, &p);
    free(changed);
    const unsigned other = sweep_best(&s);

    if (s.plan[other].ns * (1 + planner_tie) >= s.plan[best].ns)
        return false;
    planner_name(&s.plan[other].plan, name, sizeof name);
    snprintf(row.panel, sizeof row.panel, "changes");
    snprintf(row.note, sizeof row.note, "%.24s x %g: %.20s", key, factor, name);
    figure_rows_add(out, &row);
    return true;
}

static void planner_add(const struct topology *t, const struct planner_launch *l,
                        struct figure_rows *out)
{
    const struct model_problem p = planner_problem(t, l);
    const size_t at = out->count;
    struct figure_row row = {.panel = "plans"};
    struct planner_sweep s;
    char name[FIGURE_WORD_BYTES];
    bool changes = false;

    sweep_fill(&s, t, &p);
    const unsigned best = sweep_best(&s);

    snprintf(row.machine, sizeof row.machine, "%.40s", t->name);
    snprintf(row.at, sizeof row.at, "%s", row.machine);
    snprintf(row.series, sizeof row.series, "%s", l->application);
    planner_name(&s.plan[best].plan, name, sizeof name);
    snprintf(row.note, sizeof row.note, "%s", name);
    row.value = s.plan[best].ns;
    figure_rows_add(out, &row);
    for (unsigned i = 0; i < t->estimate_count; i++)
        for (int half = 0; half < 2; half++)
            changes |= planner_flip(t, l, best, t->estimates[i], half ? 0.5 : 2, &row, out);
    if (changes)
        snprintf(out->row[at].note, sizeof out->row[at].note, "%.40s *", name);
}

static enum proact_status planner_run(struct figure_session *s, struct figure_rows *out,
                                      struct proact_error *err)
{
    struct topology *t = must_calloc(1, sizeof *t);
    enum proact_status status = PROACT_OK;
    const char *machine;

    for (unsigned l = 0; l < LAUNCHES && !status; l++)
        for (unsigned i = 0; !status && (machine = figure_machine(s, planner_machines, i));
             i++)
            if (!(status = topology_load(machine, t, err)))
                planner_add(t, &launches[l], out);
    free(t);
    return status;
}

const struct figure figure_table2_planner = {
    .name = "table2-planner",
    .file = "table2-planner",
    .title = "Table II: the plan of the cost model",
    .unit = "scheme, chunk, threads and mechanism",
    .across = "machine",
    .down = "application",
    .chart = FIGURE_NOTES,
    .run = planner_run,
};
