/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: a few CTAs of a launch are executed before it starts, without time, and all
   replay their quanta. Samples have an L2 of their own. A line that many CTAs read is found
   there as often as in the complete launch, since CTAs that read it and CTAs that replace
   it are equally rare. Lines of one CTA would stay for the next launch, so the lines that
   other CTAs replace are dropped first. Further CTAs then load the common lines again. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/short_name.h"
#include "device/emulator/kernel/cluster_launch.h"
#include "device/emulator/quanta/quanta_run.h"

/* Consecutive CTAs of a class that are executed, since neighbours share lines: at most
   RUN_MAX, and so few that a grid has RUNS_MIN runs. */
enum { RUN_MAX = 4, RUNS_MIN = 64 };
/* Size of the L2 that the common lines are loaded for, in replaced lines. */
enum { WARM_LINES = 2 };

/* The executed CTA of the class that is nearest to `cta`. `kept`: the executed ones. */
static uint32_t find_nearest(const struct device_shape *s,
                             const struct device_sample_cta *ctas, const bool *kept,
                             uint32_t cta)
{
    for (uint32_t distance = 1; distance < s->cta_count; distance++) {
        const uint32_t below = cta - distance, above = cta + distance;

        if (distance <= cta && kept[below] && ctas[below].kind == ctas[cta].kind)
            return below;
        if (above < s->cta_count && kept[above] && ctas[above].kind == ctas[cta].kind)
            return above;
    }
    return cta;
}

/* Number of each CTA in its class, and the size of the class, by an open hash table. */
struct sample_class {
    uint64_t kind;
    uint32_t count; /* CTAs so far */
};

static uint32_t class_next(struct sample_class *table, uint32_t mask, uint64_t kind)
{
    uint32_t at = (uint32_t)(kind ^ kind >> 32) & mask;

    while (table[at].count && table[at].kind != kind)
        at = (at + 1) & mask;
    table[at].kind = kind;
    return table[at].count++;
}

void device_shape_sample(struct device_shape *s, const struct device_sample_cta *ctas)
{
    const uint32_t sample = s->book->sample;
    const uint32_t runs = s->cta_count / (sample * RUNS_MIN), run = runs < 1 ? 1
                                                                    : runs < RUN_MAX
                                                                        ? runs
                                                                        : RUN_MAX;
    uint32_t mask = 1;

    while (mask <= 2 * s->cta_count)
        mask *= 2;
    struct sample_class *table = must_calloc(mask, sizeof *table);
    bool *kept = must_calloc(s->cta_count, sizeof *kept);

    for (uint32_t c = 0; c < s->cta_count; c++) {
        const uint32_t number = class_next(table, mask - 1, ctas[c].kind);

        kept[c] = number == 0 || number / run % sample == s->book->first % sample;
    }
    for (uint32_t c = 0; c < s->cta_count; c++) {
        const uint32_t executed = kept[c] ? c : find_nearest(s, ctas, kept, c);

        s->cta[c].executed = executed + 1;
        for (unsigned slot = 0; slot < PROACT_SLOTS_MAX; slot++)
            s->cta[c].shift[slot] =
                (int64_t)(ctas[c].first[slot] - ctas[executed].first[slot]);
    }
    free(kept);
    free(table);
    s->is_sampled = true;
}

bool device_shape_is_sampled(const struct device_shape *s)
{
    return s->is_sampled || s->book->sample == 1;
}

/* Drops the lines that the CTAs that were not executed have replaced since. Returns how
   many lines the common ones have to be loaded for. */
static uint64_t sample_drop_lines(struct emulated *d, unsigned sample)
{
    const uint64_t lines = d->l2_mask + 1, most = WARM_LINES * lines;
    const uint64_t count = d->sample_replaced * (sample - 1);

    d->sample_replaced = 0;
    if (count >= most)
        memset(d->l2_lines, 0, lines * sizeof *d->l2_lines);
    for (uint64_t i = 0; i < count && count < most; i++)
        d->l2_lines[random_next(&d->replaced) & d->l2_mask] = 0;
    return count < most ? count : most;
}

static void sample_swap_lines(struct emulated *d)
{
    uint32_t *lines = d->sample_lines;

    d->sample_lines = d->l2_lines;
    d->l2_lines = lines;
}

/* Place of the CTA with number `n` in the order of the launch. */
static struct resident sample_place(struct emulated *d, struct kernel_run *run, uint32_t n)
{
    const uint32_t *grid = run->launch.grid;
    struct resident r = {.run = run, .sm = n % d->set->topology->device.sm_count};

    cluster_place(run, n, r.id);
    r.number = r.id[0] + grid[0] * (r.id[1] + grid[1] * r.id[2]);
    execute_cta_name(&run->launch, r.number, r.named);
    return r;
}

/* Executes a CTA; returns the lines that it replaced. */
static uint64_t sample_execute(struct emulated *d, struct resident *r,
                               quanta_execute *execute)
{
    enum execute_stop stop = EXECUTE_BUDGET;
    uint64_t replaced = 0;

    d->current = r;
    while (stop == EXECUTE_BUDGET) {
        d->usage = (struct usage){0};
        stop = execute(d, r);
        replaced += d->usage.replaced;
    }
    d->current = NULL;
    if (stop == EXECUTE_TRAPPED)
        device_fault(d, PROACT_EFAULT, "device %u: %s", d->number, r->cta->fault);
    else if (stop != EXECUTE_EXITED)
        device_fault(d, PROACT_EREFUSED,
                     "kernel '%s': CTA %u waits for others or has atomics, fences or clock "
                     "reads, so it cannot be executed alone for a sample",
                     name_shorten(r->run->name).text, r->number);
    execute_cta_destroy(r->cta);
    return replaced;
}

/* Whether the launch executes the CTA of this number for its recording. */
static bool sample_has(const struct kernel_run *run, uint32_t cta)
{
    const struct shape_cta *c = &run->quanta->use->shape->cta[cta];

    return c->executed == cta + 1 && c->count < DEVICE_QUANTA_RECORDED &&
           c->count == run->quanta->use->seen[cta];
}

/* Executes the CTA after each run of executed ones, until they replaced `lines`. */
static void sample_warm(struct emulated *d, struct kernel_run *run, uint64_t lines,
                        quanta_execute *execute)
{
    uint64_t replaced = 0;
    bool follows = false;

    for (uint32_t n = 0; n < run->total && replaced < lines && !d->fault_status; n++) {
        struct resident r = sample_place(d, run, n);
        const bool is_kept = sample_has(run, quanta_cta(&r));

        if (follows && !is_kept)
            replaced += sample_execute(d, &r, execute);
        follows = is_kept;
    }
}

static void sample_record(struct emulated *d, struct kernel_run *run,
                          quanta_execute *execute)
{
    for (uint32_t n = 0; n < run->total && !d->fault_status; n++) {
        struct resident r = sample_place(d, run, n);
        const uint32_t cta = quanta_cta(&r);

        if (!sample_has(run, cta))
            continue;
        r.recorded = quanta_add_occurrence(&run->quanta->use->shape->cta[cta]);
        d->sample_replaced += sample_execute(d, &r, execute);
    }
}

void quanta_sample_run(struct emulated *d, struct kernel_run *run, quanta_execute *execute)
{
    const unsigned sample = run->quanta->use->shape->book->sample;
    const bool is_first = !d->sample_lines;

    if (is_first)
        d->sample_lines = must_calloc(d->l2_mask + 1, sizeof *d->sample_lines);
    sample_swap_lines(d);
    const uint64_t dropped = sample_drop_lines(d, sample);

    sample_warm(d, run, is_first ? WARM_LINES * (d->l2_mask + 1) : dropped, execute);
    sample_record(d, run, execute);
    sample_swap_lines(d);
    run->quanta->replays = true;
}
