/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/distributed.h"

#include "runtime/derive.h"

/* Where it is not known by which pointers a kernel writes, by any. */
static bool writes(const struct launching *l, const struct proact_array *a)
{
    const uint32_t *offsets;
    uint32_t count;

    if (!l->kernel->may_write)
        return false;
    if (l->kernel->is_marked || !derivation_targets(l->kernel, &offsets, &count))
        return true;
    for (size_t i = 0; i < l->place_count; i++)
        for (uint32_t n = 0; l->places[i].array == a && n < count; n++)
            if (offsets[n] == l->places[i].offset)
                return true;
    return false;
}

enum proact_status distributed_await(const struct launching *l, struct order_place at,
                                     const struct proact_array *a, struct proact_error *err)
{
    return array_await_parts(l->kernel->session, a, at, writes(l, a), err);
}

void distributed_used(const struct launching *l)
{
    const struct proact *p = l->kernel->session;

    for (size_t i = 0; i < l->place_count; i++) {
        struct proact_array *a = l->places[i].array;
        const bool is_one = a->part && !launching_is_again(l, i);

        for (unsigned d = 0; is_one && d < p->devices.count; d++)
            if (l->binding ? l->binding->cta_first[d] != l->binding->cta_first[d + 1] : !d)
                array_account_parts(a, d, writes(l, a), l->sequence);
    }
}
