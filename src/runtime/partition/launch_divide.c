/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/partition/launch_divide.h"

#include "plan/rules/rules.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

/* A distributed array requires a wait for all its writers. */
static bool uses_distributed(const struct launching *l)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].array->part)
            return true;
    return false;
}

static bool is_possible(const struct launching *l)
{
    const struct proact *p = l->kernel->session;

    return !p->unified && !uses_distributed(l) && l->binding &&
           l->binding->transfer.slot_count && p->devices.count > 1 && !l->found.flags &&
           transfer_divides(&l->binding->transfer);
}

/* The host queues boundaries and copies for one device after another, and a long interior
   hides that. A replay queues them at once; mechanisms without copies are serial there. */
static bool divide_is_serial(const struct launching *l)
{
    const bool is_copied = l->binding->transfer.plan.method->lane == TRANSFER_SIDE;

    return is_copied == !l->kernel->session->recording;
}

/* Whether the planner makes an interior of that many CTAs a kernel of its own. */
static bool divide_pays(const struct launching *l, unsigned device, uint32_t inside,
                        bool is_serial)
{
    const struct proact *session = l->kernel->session;
    const uint32_t *first = &l->binding->cta_first[device];
    const struct plan_interior interior = {first[1] - first[0], inside, is_serial};
    const struct plan_problem p = {.topology = &session->topology,
                                   .device_count = session->devices.count,
                                   .cta_threads =
                                       l->threads[0] * l->threads[1] * l->threads[2],
                                   .interior = &interior};
    struct plan plan = {0};

    plan_rule_interior.expand(&p, &plan, &plan, 1);
    return plan.interior;
}

static bool is_worth_it(const struct launching *l, unsigned device, uint32_t inside)
{
    return divide_pays(l, device, inside, divide_is_serial(l));
}

uint32_t grid_plane_ctas(const struct launching *l)
{
    if (l->grid[2] > 1)
        return l->grid[0] * l->grid[1];
    return l->grid[1] > 1 ? l->grid[0] : 1;
}

/* Rounds the interior to entire grid planes if it stays long enough. */
static struct cta_part aligned(const struct launching *l, unsigned device,
                               struct cta_part inside)
{
    const uint32_t slice = grid_plane_ctas(l), before = l->binding->cta_first[device];
    const uint64_t first = before + (uint64_t)inside.first, end = first + inside.count;
    const uint64_t from = (first + slice - 1) / slice * slice, to = end / slice * slice;

    if (from >= to || !is_worth_it(l, device, (uint32_t)(to - from)))
        return inside;
    return (struct cta_part){(uint32_t)(from - before), (uint32_t)(to - from)};
}

static bool needs_meet(const struct transfer_need *a, const struct transfer_need *b)
{
    const bool a_any = a->all || a->spans.count, b_any = b->all || b->spans.count;

    return a_any && b_any && (a->all || b->all || spans_meet(&a->spans, &b->spans));
}

/* Whether the partition may write unconsumed ranges, which were sent to this device. */
static bool writes_fresh(const struct launching *l, const struct proact_array *a,
                         unsigned device)
{
    const struct kernel_binding *b = l->binding;
    const struct transfer_need *fresh = &a->fresh[device];
    bool may = false;

    for (unsigned s = 0; s < b->transfer.slot_count; s++) {
        const struct spans *owned = &b->tables[s]->tables->table[device].owned;

        if (b->array[s] == a && owned->count)
            may |= fresh->all || spans_meet(owned, &fresh->spans);
    }
    return may;
}

/* Whether the interior touches an unconsumed range. */
static bool meets_fresh(const struct launching *l, const struct launch_needs *inside,
                        unsigned device)
{
    bool meets = false;

    for (size_t i = 0; i < l->relocation_count && !meets; i++) {
        const struct proact_array *a = l->relocations[i].array;

        if (!launching_is_again(l, i))
            /* protocol: interior-disjoint (else: meets = false;) */
            meets = needs_meet(needs_of(inside, launching_number(l, a), device),
                               &a->fresh[device]) ||
                    writes_fresh(l, a, device);
    }
    return meets;
}

/* CTAs between those that send. Count 0 if no CTA sends, since no device waits then. */
static struct cta_part divide_silent_part(const struct launching *l, unsigned device)
{
    const uint32_t *first = &l->binding->cta_first[device];
    struct cta_part q;

    transfer_silent_range(&l->binding->transfer, device, &q.first, &q.count);
    return q.count < first[1] - first[0] ? q : (struct cta_part){0, 0};
}

/* Shrinks an interior, because CTAs that read incoming ranges may be next to senders. */
static struct cta_part trimmed(struct cta_part inside)
{
    enum { TRIMMED = 16 };
    const uint32_t by = inside.count / TRIMMED + 1;

    if (inside.count < 2 * by)
        return (struct cta_part){0, 0};
    return (struct cta_part){inside.first + by, inside.count - 2 * by};
}

/* Selects per device the widest interior without incoming transfers, and retries once with
   a smaller one. */
static void find_insides(struct launching *l)
{
    const unsigned devices = l->kernel->session->devices.count;
    struct cta_part tried[PROACT_DEVICES_MAX];

    for (unsigned d = 0; d < devices; d++)
        tried[d] = aligned(l, d, divide_silent_part(l, d));
    for (unsigned part_index = 0; part_index < NEEDS_PARTS; part_index++) {
        const struct launch_needs *needs = NULL;

        for (unsigned d = 0; d < devices; d++) {
            if (l->inside[d].count || !is_worth_it(l, d, tried[d].count))
                continue;
            needs = needs ? needs : needs_of_part(l, tried, part_index);
            if (meets_fresh(l, needs, d))
                continue;
            l->inside[d] = tried[d];
            l->is_divided = true;
        }
        for (unsigned d = 0; d < devices; d++)
            tried[d] = aligned(l, d, trimmed(tried[d]));
    }
}

bool launch_may_divide(const struct launching *l)
{
    bool may = false;

    for (unsigned d = 0; is_possible(l) && d < l->kernel->session->devices.count; d++)
        may |= divide_pays(l, d, divide_silent_part(l, d).count, false);
    return may;
}

void launch_divide(struct launching *l)
{
    if (is_possible(l) && !l->is_short && l->needs &&
        l->needs->devices == l->kernel->session->devices.count)
        find_insides(l);
}
