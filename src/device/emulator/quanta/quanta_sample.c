/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: a few CTAs of a launch are executed before it starts, without time, and all
   replay their quanta. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/short_name.h"
#include "device/emulator/kernel/cluster_launch.h"
#include "device/emulator/quanta/quanta_run.h"

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
    uint32_t mask = 1;

    while (mask <= 2 * s->cta_count)
        mask *= 2;
    struct sample_class *table = must_calloc(mask, sizeof *table);
    bool *kept = must_calloc(s->cta_count, sizeof *kept);

    for (uint32_t c = 0; c < s->cta_count; c++) {
        const uint32_t number = class_next(table, mask - 1, ctas[c].kind);

        kept[c] = number == 0 || number % sample == s->book->first % sample;
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

/* Lines that the CTAs between two executed ones would replace in the L2. */
static void replace_for_others(struct emulated *d, uint64_t replaced)
{
    const uint64_t count = replaced * (d->quanta_sample - 1);

    for (uint64_t i = 0; i < count; i++)
        d->l2_lines[random_next(&d->replaced) & d->l2_mask] = 0;
}

static void execute_sample(struct emulated *d, struct resident *r, struct shape_cta *c,
                           quanta_execute *execute)
{
    enum execute_stop stop = EXECUTE_BUDGET;
    uint64_t replaced = 0;

    r->recorded = quanta_add_occurrence(c);
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
    replace_for_others(d, replaced);
}

void quanta_sample_run(struct emulated *d, struct kernel_run *run, quanta_execute *execute)
{
    struct device_shape *s = run->quanta->use->shape;
    const uint32_t *grid = run->launch.grid;

    d->quanta_sample = s->book->sample;
    for (uint32_t n = 0; n < run->total && !d->fault_status; n++) {
        struct resident r = {.run = run, .sm = n % d->set->topology->device.sm_count};

        cluster_place(run, n, r.id);
        r.number = r.id[0] + grid[0] * (r.id[1] + grid[1] * r.id[2]);
        execute_cta_name(&run->launch, r.number, r.named);
        const uint32_t cta = quanta_cta(&r);
        struct shape_cta *c = &s->cta[cta];

        if (c->executed == cta + 1 && c->count < DEVICE_QUANTA_RECORDED &&
            c->count == run->quanta->use->seen[cta])
            execute_sample(d, &r, c, execute);
    }
    run->quanta->replays = true;
}
