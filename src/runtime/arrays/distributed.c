/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/arrays/distributed.h"

#include "runtime/footprint/derive.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/session/array_order.h"

/* A kernel with an unknown store pointer may write to each of its arrays. */
static bool writes(const struct launching *l, const struct proact_array *a)
{
    const struct proact_kernel *k = l->kernel;

    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].array == a &&
            (k->is_annotated ? k->may_write : derivation_may_write(l, &l->relocations[i])))
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

    for (size_t i = 0; i < l->relocation_count; i++) {
        struct proact_array *a = l->relocations[i].array;
        const bool is_one = a->part && !launching_is_again(l, i);

        for (unsigned d = 0; is_one && d < p->devices.count; d++)
            if (l->binding ? l->binding->cta_first[d] != l->binding->cta_first[d + 1] : !d)
                array_account_parts(a, d, writes(l, a), l->sequence);
    }
}
