/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of a launch's write set with the user's maps. */
#include "runtime/access_sets/derive_slots.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/fail.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/runtime_map.h"
#include "runtime/request/launching.h"

/* Whether the ranges of the map, which are disjoint and not adjacent, contain the range. */
static bool holds(const struct map_ranges *in, const struct span *range, uint64_t *missing)
{
    size_t low = 0, high = in->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (in->range[middle].first_byte <= range->first)
            low = middle + 1;
        else
            high = middle;
    }
    const struct proact_range *last = low ? &in->range[low - 1] : NULL;
    const uint64_t end = last ? last->first_byte + last->bytes : 0;

    *missing = end > range->first ? end : range->first;
    return *missing >= range->end;
}

static enum proact_status check_slot(const struct launching *l, const struct write_set *w,
                                     unsigned slot, struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    const struct proact_array *a = launching_array(l, k->slot[slot].offset);
    const struct write_set_ranges *r = &w->arrays[launching_number(l, a)];
    const struct map_use use = {&k->slot[slot].map, l->grid, a->bytes};
    struct map_ranges in = {0};
    enum proact_status status = PROACT_OK;
    uint64_t byte;

    for (uint32_t cta = 0; r->runs.count && cta < w->cta_count && !status; cta++) {
        struct cta_runs_walk walk = cta_runs_walk(&r->runs, cta, cta + 1);

        map_list(&use, cta, &in);
        for (struct span s; !status && cta_runs_span(&walk, &s);)
            if (!holds(&in, &s, &byte))
                status = fail(err, PROACT_EINVAL,
                              "kernel '%s': CTA %" PRIu32 " writes byte %" PRIu64
                              " of array '%s', which is not in the map of argument %u",
                              k->name, cta, byte, a->name, k->slot[slot].arg);
    }
    free(in.range);
    return status;
}

enum proact_status derive_check_slots(const struct launching *l, const struct write_set *w,
                                      struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned s = 0; s < l->kernel->slot_count && !status; s++)
        if (launching_array(l, l->kernel->slot[s].offset))
            status = check_slot(l, w, s, err);
    return status;
}
