/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/program/choose_order.h"

#include <string.h>

#include "access/write_set.h"
#include "base/clock.h"
#include "plan/rules/rules.h"
#include "runtime/access_sets/found.h"
#include "runtime/access_sets/needs.h"
#include "runtime/autotune/choice.h"
#include "runtime/autotune/choice_edges.h"
#include "runtime/coherence/transfer_cost.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/launch_axis.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/program/axis_ranges.h"
#include "runtime/request/interchanged_shape.h"
#include "runtime/request/launching.h"
#include "runtime/request/need.h"
#include "runtime/validity/consumers.h"

enum {
    CHANGES_MAX = 2,
    CALM = 8, /* launches after a change, while the data still has the old distribution */
    /* Host time to evaluate an axis. Measured for 524288 CTAs: 5 ms along an axis with 512
       ranges of a device, 140 ms along one with 262144, and 52 ms for another kernel. */
    NS_A_CTA = 100,
    NS_A_RANGE = 500,
    RANGES_MAX = 1 << 15, /* of a device along an axis that is evaluated */
    ROWS_MAX =
        1 << 16 /* written ranges; above this limit the host analysis takes too long */
};

/* Ranges that are contiguous in CTA order can fall apart along another axis:
   three-dimensional tiles and fragments then have one range per CTA. */
static bool writes_few_rows(const struct launching *l)
{
    enum { FRAGMENTS_A_ROW = 16, TILES_ROWS_MAX = 4 * ROWS_MAX };
    const struct write_set *w = l->found.set;
    uint64_t count = 0, of_ctas = 0;

    for (uint32_t n = 0; w && n < w->array_count; n++) {
        const struct cta_runs *runs = &w->arrays[n].runs;
        struct cta_runs_walk walk = cta_runs_walk(runs, 0, w->cta_count);

        for (uint32_t i = 0; i < runs->count && l->grid[2] > 1; i++)
            of_ctas += (uint64_t)runs->run[i].count * runs->run[i].rows;
        for (struct rows r; count <= ROWS_MAX && cta_runs_rows(&walk, &r);)
            count += is_fragmented(&r) ? 1 + r.count / FRAGMENTS_A_ROW : 1;
    }
    return count <= ROWS_MAX && of_ctas <= TILES_ROWS_MAX;
}

/* Charges an evaluation. Emulated machines count the host time by the work of the
   analysis. */
static void order_charge(struct proact *p, uint64_t from_ns, uint64_t analysis_ns)
{
    plan_budget_spend(&p->budget,
                      p->backend->is_virtual ? analysis_ns : clock_host_ns() - from_ns);
}

/* Host time to evaluate a dimension of the original grid as partition axis; UINT64_MAX: it
   is not evaluated, as each device would write too many separate ranges. */
static uint64_t order_axis_ns(const struct launching *l, struct interchanged_shape *s,
                              unsigned dimension)
{
    uint64_t *ns = &s->evaluation_ns[dimension];

    if (!*ns) {
        const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
                       ranges = axis_ranges(l, dimension, RANGES_MAX);

        *ns = ranges > RANGES_MAX ? UINT64_MAX : NS_A_CTA * ctas + NS_A_RANGE * ranges;
    }
    return *ns;
}

static bool order_is_other(const struct interchanged_shape *s, unsigned dimension)
{
    return dimension != s->slowest && shape_may_be_slowest(s, dimension);
}

/* Whether the budget suffices to evaluate the other axes of a launch. */
static bool order_is_affordable(const struct launching *l, struct interchanged_shape *s)
{
    struct plan_budget after = l->kernel->session->budget;

    for (unsigned d = 0; d < 3 && plan_budget_permits(&after); d++)
        if (order_is_other(s, d) && order_axis_ns(l, s, d) != UINT64_MAX)
            after.spent_ns += order_axis_ns(l, s, d);
    return plan_budget_permits(&after);
}

/* Creates the launch along that dimension with its binding. Returns false if it cannot be
   split so. */
static bool try(const struct launching *l, unsigned dimension, struct launching *out)
{
    struct proact *p = l->kernel->session;
    const uint64_t from = clock_host_ns();
    bool can;

    *out = *l;
    if (!writes_few_rows(l) || !launch_axis_set(out, dimension))
        return false; /* unchanged */
    const uint64_t analysis = out->kernel->found_ns;

    p->looks = true; /* no reads are recorded for this attempt */
    can = !launch_bind(out, NULL) && out->binding &&
          out->binding->transfer.slot_count == l->binding->transfer.slot_count &&
          !out->found.flags == !l->found.flags; /* shared writes would move to the memory of
                                                   device 0 */
    for (unsigned s = 0; can && s < out->binding->transfer.slot_count; s++)
        can = out->binding->array[s] == l->binding->array[s];
    p->looks = false;
    launch_is_last(l);
    order_charge(p, from, out->kernel->found_ns - analysis);
    return can;
}

static void look_add(struct interchanged_shape *s, unsigned dimension,
                     struct transfer_copies missing)
{
    s->missing_bytes[dimension] += missing.bytes;
    s->missing_copies[dimension] += missing.copies;
}

static void look(struct launching *l, struct interchanged_shape *s,
                 struct transfer_copies missing)
{
    struct launching other;

    s->looks++;
    s->look_next = 2 * s->launches;
    look_add(s, s->slowest, missing);
    for (unsigned d = 0; d < 3; d++) {
        if (!order_is_other(s, d))
            continue;
        if (order_axis_ns(l, s, d) != UINT64_MAX && try(l, d, &other))
            look_add(s, d, launch_missing_copies(&other));
        else
            s->is_no_good[d] = true;
    }
}

/* Alternatives of the launch, with the bytes that it missed on average. The devices copy at
   the same time. */
static struct plan_axes order_axes(const struct launching *l,
                                   const struct interchanged_shape *s,
                                   const struct choice *c)
{
    const struct proact *p = l->kernel->session;
    struct plan_axes a = {
        .present = s->slowest,
        .changes = s->changes,
        .bytes_per_ns = fetch_rate(p),
        .copy_ns = 1000 * p->topology.fabric.copy_start_us / p->devices.count,
        .launch_ns = c && c->timed_split ? (double)choice_split_ns(c) : 0};

    for (unsigned d = 0; d < 3; d++)
        a.axis[d] = (struct plan_axis){
            .is_legal = shape_may_be_slowest(s, d),
            .missing_bytes = s->looks ? s->missing_bytes[d] / s->looks : 0,
            .missing_copies = s->looks ? s->missing_copies[d] / s->looks : 0};
    return a;
}

/* The axis that the planner selects. */
static unsigned order_best(const struct plan_axes *a)
{
    const struct plan_problem p = {.axes = a};
    struct plan plan = {0};

    plan_rule_axis.expand(&p, &plan, &plan, 1);
    return plan.axis - 1;
}

static uint64_t within(const struct transfer_need *need, struct span in)
{
    const struct spans *s = &need->spans;
    uint64_t bytes = need->all ? in.end - in.first : 0;

    for (size_t n = need->all ? s->count : spans_from(s, in.first);
         n < s->count && s->span[n].first < in.end; n++) {
        const struct span *one = &s->span[n];

        bytes += (one->end < in.end ? one->end : in.end) -
                 (one->first > in.first ? one->first : in.first);
    }
    return bytes;
}

/* Bytes of `in` that are read by other launches only. The launch itself would read along
   the other axis, too. */
static uint64_t within_of_others(const struct transfer_need *read,
                                 const struct transfer_need *itself, struct span in)
{
    const struct spans *s = &read->spans;
    uint64_t bytes = read->all ? in.end - in.first - within(itself, in) : 0;

    for (size_t n = read->all ? s->count : spans_from(s, in.first);
         n < s->count && s->span[n].first < in.end; n++) {
        const struct span *one = &s->span[n];
        const struct span part = {one->first > in.first ? one->first : in.first,
                                  one->end < in.end ? one->end : in.end};

        bytes += part.end - part.first - within(itself, part);
    }
    return bytes;
}

/* Sends from one device to another. Equal parts at a constant distance are one copy. */
struct order_sends {
    uint64_t bytes, copies;
    uint64_t first, part, pitch; /* of the last part */
};

static void order_sends_add(struct order_sends *s, uint64_t first, uint64_t part)
{
    const uint64_t pitch = first - s->first;

    if (!part)
        return;
    s->bytes += part;
    if (part != s->part || (s->pitch && pitch != s->pitch)) {
        s->copies++;
        s->pitch = 0;
    } else {
        s->pitch = pitch;
    }
    s->first = first;
    s->part = part;
}

/* Sends of a slot that are needed from one device to another with the partition of `b`. */
static struct order_sends sends_of(const struct launching *l,
                                   const struct kernel_binding *b, unsigned slot,
                                   unsigned from, unsigned to)
{
    const struct transfer_table *table = &b->tables[slot]->tables->table[from];
    const uint32_t number = launching_number(l, b->array[slot]);
    struct order_sends sends = {0};
    struct transfer_need read = {0};

    if (consumers_are_scattered(b, slot))
        return (struct order_sends){.bytes = table->owned_bytes,
                                    .copies = table->extent_copies};
    consumers_predicted_read(l->binding, slot, to, &read);
    for (size_t n = 0; n < table->owned.count; n++)
        order_sends_add(
            &sends, table->owned.span[n].first,
            within_of_others(&read, needs_of(l->needs, number, to), table->owned.span[n]));
    need_clear(&read);
    return sends;
}

static void order_sends_sum(const struct launching *l, const struct kernel_binding *b,
                            struct plan_axis *out)
{
    const unsigned devices = b->transfer.devices->count;

    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        for (unsigned from = 0; from < devices; from++)
            for (unsigned to = 0; to < devices; to++)
                if (from != to) {
                    const struct order_sends one = sends_of(l, b, s, from, to);

                    out->sent_bytes += one.bytes;
                    out->sent_copies += one.copies;
                }
}

/* What the readers of the output miss, with the present axis and with another. */
static void order_sends(struct launching *l, const struct launching *other,
                        struct plan_axis *now, struct plan_axis *then)
{
    if (!l->needs)
        l->needs = needs_of_launch(l);
    order_sends_sum(l, l->binding, now);
    order_sends_sum(l, other->binding, then);
}

static bool has_been_read(const struct kernel_binding *b)
{
    struct transfer_need read = {0};
    const bool is_read =
        !b->transfer.slot_count || consumers_predicted_read(b, 0, 0, &read);

    need_clear(&read);
    return is_read;
}

static void change(struct launching *l, struct interchanged_shape *s, unsigned to)
{
    launch_axis_set(l, to);
    s->slowest = to;
    s->changes++;
    l->kernel->session->orders++;
    s->looks = s->launches = s->look_next = 0;
    memset(s->missing_bytes, 0, sizeof s->missing_bytes);
    memset(s->missing_copies, 0, sizeof s->missing_copies);
}

static void order_probe(struct launching *l, struct interchanged_shape *s,
                        const struct choice *c)
{
    const bool may = s->launches >= s->look_next && order_is_affordable(l, s);
    struct plan_axes now = order_axes(l, s, c);
    struct transfer_copies missing = {0, 0};

    if (may)
        missing = launch_missing_copies(l);
    now.axis[now.present].missing_bytes = missing.bytes;
    now.axis[now.present].missing_copies = missing.copies;
    if (missing.bytes && plan_axes_matter(&now))
        look(l, s, missing);
}

/* Applies the axis of a stored decision, which is final. */
static bool order_restore(struct launching *l, struct choice *c)
{
    struct interchanged_shape *s = c->stored_axis ? launch_shape(l) : NULL;
    const unsigned wanted = c->stored_axis - 1;
    struct launching other;

    c->stored_axis = 0;
    if (!s || s->slowest == wanted || !shape_may_be_slowest(s, wanted) ||
        !try(l, wanted, &other))
        return false;
    change(l, s, wanted);
    return true;
}

bool order_change(struct launching *l, struct choice *c)
{
    if (c && c->is_stored)
        return order_restore(l, c);
    struct interchanged_shape *s =
        l->kernel->session->recording || l->kernel->session->forced_axes ? NULL
                                                                         : launch_shape(l);
    struct launching other;

    if (!s || s->changes == CHANGES_MAX)
        return false;
    s->launches++;
    if (!s->changes || s->launches > CALM)
        order_probe(l, s, c);
    struct plan_axes axes = order_axes(l, s, c);
    const unsigned best = order_best(&axes);
    bool can;

    if (best == s->slowest || !has_been_read(l->binding))
        return false;
    can = try(l, best, &other);
    if (can)
        order_sends(l, &other, &axes.axis[s->slowest], &axes.axis[best]);
    if (!can || order_best(&axes) != best) {
        s->is_no_good[best] = true;
        return false;
    }
    if (c)
        c->is_superseded = true;
    change(l, s, best);
    return true;
}
