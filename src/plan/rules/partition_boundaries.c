/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/rules/partition_boundaries.h"

enum {
    SIZE_PART = 32, /* tolerance: sizes may differ by 1/32 */
    LARGER = 2      /* minimum ratio of steps for a change of boundaries */
};

static bool boundaries_are_about(uint64_t a, uint64_t b, uint64_t size)
{
    return (a > b ? a - b : b - a) <= size / SIZE_PART;
}

static bool boundaries_enclose(const struct plan_boundaries *b,
                               const struct plan_written *w)
{
    const uint64_t size = b->end - b->first;

    return b->devices == w->devices && boundaries_are_about(b->bytes, w->bytes, b->bytes) &&
           w->first + size / SIZE_PART >= b->first && w->end <= b->end + size / SIZE_PART;
}

struct plan_boundaries_view plan_boundaries_view(const struct plan_written *w,
                                                 const struct plan_boundaries *const *all,
                                                 unsigned count)
{
    struct plan_boundaries_view v = {NULL, false, false};

    for (unsigned i = 0; i < count; i++)
        if (boundaries_enclose(all[i], w) &&
            (!v.around || all[i]->end - all[i]->first < v.around->end - v.around->first))
            v.around = all[i];
    if (!v.around)
        return v;
    const uint64_t size = w->end - w->first;

    v.is_own = boundaries_are_about(v.around->end - v.around->first, size, size);
    v.is_outgrown = v.is_own && w->has_repeated && w->step / LARGER >= v.around->step;
    return v;
}

unsigned plan_boundaries_expand(const struct plan_written *w,
                                const struct plan_boundaries_view *v,
                                enum plan_partition out[PLAN_PARTITIONS])
{
    unsigned count = 0;

    if (v->around && !v->is_outgrown)
        out[count++] = PLAN_PARTITION_FOLLOWS;
    if (w->step && (!v->is_own || v->is_outgrown))
        out[count++] = v->is_own ? PLAN_PARTITION_CHANGES : PLAN_PARTITION_SETS;
    out[count++] = PLAN_PARTITION_EQUAL;
    return count;
}
