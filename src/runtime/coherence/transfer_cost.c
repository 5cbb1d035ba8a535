/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/coherence/transfer_cost.h"

#include "runtime/access_sets/needs.h"
#include "runtime/coherence/launch_partial.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/request/need.h"
#include "runtime/validity/array_validity.h"
#include "runtime/validity/missing.h"

static void transfer_cost_add(void *context, uint64_t first, uint64_t end, uint32_t devices)
{
    (void)devices;
    *(uint64_t *)context += end - first;
}

static uint64_t transfer_cost_device(const struct proact_array *a, unsigned device,
                                     const struct transfer_need *need)
{
    uint64_t bytes = 0;
    struct span whole = {0, a->bytes};
    const struct spans all = {&whole, 1, 1};
    const struct validity_query missing_query = {1u << device, 1u << device,
                                                 transfer_cost_add, &bytes};

    if (need)
        validity_each_mismatch(&a->validity_map, need->all ? &all : &need->spans,
                               &missing_query);
    return bytes;
}

/* Adds the gaps between many written ranges: a partial launch fetches them as well
   (launch_partial.h). Several of the ranges may be one range there. */
static void need_between(const struct kernel_binding *b, const struct proact_array *a,
                         struct transfer_need *out)
{
    struct span all = {UINT64_MAX, 0};
    size_t count = 0;

    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        for (unsigned d = 0; b->array[s] == a && d < b->transfer.devices->count; d++) {
            const struct spans *owned = &b->tables[s]->tables->table[d].owned;

            if (!owned->count)
                continue;
            const uint64_t end = owned->span[owned->count - 1].end;

            count += owned->count;
            all.first = owned->span[0].first < all.first ? owned->span[0].first : all.first;
            all.end = end > all.end ? end : all.end;
        }
    if (count > PARTIAL_RANGES_MAX / 2 && !out->all)
        spans_add(&out->spans, all.first, all.end);
}

static uint64_t transfer_cost_single(const struct launching *l,
                                     const struct proact_array *a)
{
    const uint32_t number = launching_number(l, a);
    struct transfer_need all = {0};

    for (unsigned d = 0; d < l->needs->devices; d++)
        if (needs_of(l->needs, number, d))
            need_join(&all, needs_of(l->needs, number, d));
    need_between(l->binding, a, &all);
    const uint64_t bytes = transfer_cost_device(a, 0, &all);

    need_clear(&all);
    return bytes;
}

uint64_t array_missing_bytes(struct proact_array *a,
                             const struct transfer_need *const *needs,
                             struct transition_key key)
{
    const struct transition *known = transition_find(a, key);
    uint64_t bytes = 0;

    for (unsigned d = 0; d < a->session->devices.count && !known; d++)
        bytes += transfer_cost_device(a, d, needs[d]);
    return known ? transition_missing(known)->bytes : bytes;
}

static uint64_t transfer_cost_split(const struct launching *l, struct proact_array *a)
{
    const uint32_t number = launching_number(l, a);
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {0};

    for (unsigned d = 0; d < l->needs->devices; d++)
        needs[d] = needs_of(l->needs, number, d);
    return array_missing_bytes(a, needs, (struct transition_key){l->needs->number, number});
}

struct transfer_cost launch_missing_bytes(struct launching *l, bool is_whole,
                                          missing_visitor *visit, void *context)
{
    struct transfer_cost s = {0, 0, 0};

    if (!l->needs)
        l->needs = needs_of_launch(l);
    for (size_t i = 0; i < l->relocation_count; i++) {
        struct proact_array *a = l->relocations[i].array;

        if (launching_is_again(l, i))
            continue;
        if (a->is_shared)
            array_written(a, 0, a->bytes, FIRST);
        array_catch_up(a);
        const uint64_t bytes =
            is_whole ? transfer_cost_single(l, a) : transfer_cost_split(l, a);

        s.bytes += bytes;
        s.of_split += a->writer && !a->by_launch ? bytes : 0;
        if (!bytes || !a->wrote || a->by_launch == is_whole)
            continue;
        s.by_launches += bytes;
        if (visit)
            visit(context, a->wrote, bytes);
    }
    return s;
}

struct transfer_copies launch_missing_copies(struct launching *l)
{
    struct transfer_copies sum = {0, 0};

    if (!l->needs)
        l->needs = needs_of_launch(l);
    for (size_t i = 0; i < l->relocation_count; i++) {
        struct proact_array *a = l->relocations[i].array;
        const struct transfer_need *needs[PROACT_DEVICES_MAX] = {0};
        struct missing_ranges missing = {0};

        if (launching_is_again(l, i))
            continue;
        if (a->is_shared)
            array_written(a, 0, a->bytes, FIRST);
        if (!a->writer || a->by_launch)
            continue;
        for (unsigned d = 0; d < l->needs->devices; d++)
            needs[d] = needs_of(l->needs, launching_number(l, a), d);
        array_catch_up(a);
        missing_find(a, needs, &missing);
        sum.bytes += missing.bytes;
        sum.copies += missing.count;
        missing_clear(&missing);
    }
    return sum;
}

bool launch_device0_is_current(const struct launching *l)
{
    static const struct transfer_need everything = {.all = true};

    for (size_t i = 0; i < l->relocation_count; i++) {
        struct proact_array *a = l->relocations[i].array;

        if (a->part || a->is_shared)
            return false;
        array_catch_up(a);
        if (transfer_cost_device(a, 0, &everything))
            return false;
    }
    return true;
}
