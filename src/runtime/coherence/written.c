/* SPDX-License-Identifier: Apache-2.0 */
/* Validity maps after a launch. */
#include <stdlib.h>

#include "base/memory.h"
#include "runtime/coherence/fetch.h"
#include "runtime/footprint/derive.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/validity/array_validity.h"
#include "runtime/validity/consumers.h"
#include "runtime/validity/missing.h"
#include "runtime/validity/transition_cache.h"

/* Owner of the range and its receivers. */
static uint32_t written_valid_devices(const struct transfer_devices *t, unsigned device,
                                      uint32_t peers)
{
    uint32_t devices = 1u << device;

    for (unsigned i = 0; i + 1 < t->count; i++)
        devices |= peers >> i & 1 ? 1u << transfer_peer(t, device, i) : 0;
    return devices;
}

/* End of a group: consecutive owned spans of the extent, from `at` on, with narrow gaps
   only. */
static size_t group_end(const struct spans *owned, const struct transfer_extent *e,
                        size_t at)
{
    size_t end = at + 1;

    while (end < owned->count && owned->span[end].first < e->end &&
           owned->span[end].first - owned->span[end - 1].end <= TRANSFER_GAP_BYTES)
        end++;
    return end;
}

static struct validity_range within(const struct transfer_extent *e, uint64_t first,
                                    uint64_t end)
{
    return (struct validity_range){first > e->first ? first : e->first,
                                   end < e->end ? end : e->end};
}

enum { OTHERS_MAX = 64 };

/* Parts of an extent whose current devices differ from the new ones. */
struct others {
    const struct transfer_extent *of;
    struct validity_range range[OTHERS_MAX];
    size_t count;
};

static void written_add_other(void *context, uint64_t first, uint64_t end, uint32_t devices)
{
    struct others *o = context;

    (void)devices;
    if (end <= o->of->first || first >= o->of->end)
        return;
    if (o->count < OTHERS_MAX)
        o->range[o->count] = within(o->of, first, end);
    o->count++;
}

/* Ranges of several extents with the same new devices. One batched change costs one pass
   over the map. */
struct setting {
    struct validity_map *h;
    uint32_t devices;
    struct validity_range *range;
    size_t count, capacity;
};

static void settle(struct setting *s)
{
    validity_set_ranges(s->h, s->range, s->count, s->devices);
    s->count = 0;
}

static void set_later(struct setting *s, struct validity_range r)
{
    s->range = must_grow(s->range, s->count, &s->capacity, sizeof *s->range);
    s->range[s->count++] = r;
}

/* Changes only the parts that differ, which are usually few. Returns false without a change
   if they are many. */
static bool set_few(struct setting *s, const struct spans *owned,
                    const struct transfer_extent *e)
{
    const size_t first = spans_from(owned, e->first), end = spans_from(owned, e->end - 1);
    const struct spans here = {owned->span + first, end - first + (end < owned->count), 0};
    struct others others = {.of = e};

    validity_each_mismatch(
        s->h, &here,
        &(struct validity_query){UINT32_MAX, s->devices, written_add_other, &others});
    for (size_t n = 0; n < others.count && others.count <= OTHERS_MAX; n++)
        set_later(s, others.range[n]);
    return others.count <= OTHERS_MAX;
}

/* Whether all gaps between the owned spans `n` to `end` are current on the new devices. */
static bool written_gaps_are_valid(const struct setting *s, const struct spans *owned,
                                   size_t n, size_t end)
{
    bool valid = true;

    while (++n < end && valid)
        valid = validity_contains(s->h, owned->span[n - 1].end, owned->span[n].first,
                                  s->devices);
    return valid;
}

/* Sets the owned spans. A group whose narrow gaps are current on these devices becomes one
   range; other devices lose the gaps. */
static void set_owned(struct setting *s, const struct spans *owned,
                      const struct transfer_extent *e)
{
    for (size_t n = spans_from(owned, e->first), end;
         n < owned->count && owned->span[n].first < e->end; n = end) {
        end = group_end(owned, e, n);
        if (written_gaps_are_valid(s, owned, n, end))
            set_later(s, within(e, owned->span[n].first, owned->span[end - 1].end));
        else
            for (size_t k = n; k < end; k++)
                set_later(s, within(e, owned->span[k].first, owned->span[k].end));
    }
}

static void set_extent(struct setting *s, const struct spans *owned,
                       const struct transfer_extent *e)
{
    if (!e->has_gaps)
        set_later(s, (struct validity_range){e->first, e->end});
    else if (!set_few(s, owned, e))
        set_owned(s, owned, e);
}

/* Marks owned ranges as current on the owner and on the receivers. */
static void written_by(const struct kernel_binding *b, unsigned slot, unsigned device)
{
    const struct transfer_table *t = &b->tables[slot]->tables->table[device];
    struct setting s = {.h = &b->array[slot]->validity_map};

    for (size_t n = 0; n < t->extent_count; n++) {
        const struct transfer_extent *e = &t->extent[n];
        const uint32_t devices =
            written_valid_devices(b->transfer.devices, device, e->peers);

        if (devices != s.devices)
            settle(&s);
        s.devices = devices;
        if (!validity_is_exactly(s.h, e->first, e->end, devices))
            set_extent(&s, &t->owned, e);
    }
    settle(&s);
    free(s.range);
}

static size_t extents_of(const struct kernel_binding *b, unsigned slot)
{
    size_t count = 0;

    for (unsigned d = 0; d < b->transfer.devices->count; d++)
        count += b->tables[slot]->tables->table[d].extent_count;
    return count;
}

static void written_by_all(const struct kernel_binding *b, unsigned slot)
{
    for (unsigned d = 0; d < b->transfer.devices->count; d++)
        written_by(b, slot, d);
}

/* The same through the transition cache, for tables that may recur. */
static void written_transition(const struct kernel_binding *b, unsigned slot)
{
    struct proact_array *a = b->array[slot];
    const struct transition_key key = {b->tables[slot]->number, 0};
    struct missing_ranges none = {0};

    if (!transitions_are_worthwhile(a, extents_of(b, slot))) {
        written_by_all(b, slot);
        return;
    }
    const struct transition *known = transition_find(a, key);

    if (known) {
        transition_apply(a, known);
        return;
    }
    transition_begin(a);
    written_by_all(b, slot);
    transition_end(a, key, &none);
}

static uint64_t written(const struct kernel_binding *b, unsigned slot)
{
    uint64_t bytes = 0;

    for (unsigned d = 0; d < b->transfer.devices->count; d++)
        bytes += b->tables[slot]->tables->table[d].owned_bytes;
    return bytes;
}

/* The launch that wrote at least half of an array counts as its writer. */
static void note_writer(struct proact_array *a, const struct launching *l, uint64_t bytes)
{
    if (bytes < a->bytes / 2 && a->wrote)
        return;
    a->by_launch = false;
    a->wrote = l->choice;
}

void launch_written(const struct launching *l)
{
    struct kernel_binding *b = l->binding;
    struct proact *p = l->kernel->session;
    const uint32_t all = all_devices(p);

    for (unsigned s = 0; s < b->transfer.slot_count && p->devices.count > 1; s++) {
        struct proact_array *a = b->array[s];

        const uint64_t bytes = written(b, s);

        if (!bytes)
            continue;
        p->elides |= b->transfer.plan.elide;
        a->changes++;
        a->writer = b;
        a->writer_slot = s;
        note_writer(a, l, bytes);
        if (!consumers_push_targets(b, s) && validity_everywhere(&a->validity_map, all))
            continue;
        written_transition(b, s);
        p->device0_is_stale |= !validity_everywhere(&a->validity_map, FIRST);
    }
    if (!p->recording)
        consumers_restart(b);
}

/* Every array of the launch, except those that provably are not written. */
void launch_written_whole(const struct launching *l)
{
    for (size_t i = 0; i < l->relocation_count; i++) {
        struct proact_array *a = l->relocations[i].array;

        if (!derivation_may_write(l, &l->relocations[i]))
            continue;
        array_written(a, 0, a->bytes, FIRST);
        a->by_launch = true;
        a->wrote = l->choice;
        a->writer = NULL;
    }
}
