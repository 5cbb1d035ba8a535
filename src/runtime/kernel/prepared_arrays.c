/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/prepared_arrays.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/request/launching.h"

static uint64_t prepared_digest(const struct launching *l)
{
    uint64_t digest = l->found.digest;

    if (l->found.set)
        digest = hash_bytes(l->found.cta_first, sizeof l->found.cta_first, digest);
    for (unsigned s = 0; s < l->kernel->slot_count; s++) {
        const struct proact_array *a = launching_slot_array(l, s);

        digest = hash_mix(digest + (a ? a->id : 0));
    }
    return digest;
}

void prepared_arrays_clear(struct prepared_arrays *a)
{
    free(a->digest);
    *a = (struct prepared_arrays){.digest = NULL};
}

bool prepared_arrays_have(struct prepared_arrays *a, const struct launching *l,
                          const struct transfer_plan *plan)
{
    const uint64_t digest = prepared_digest(l);

    if (a->drops != l->kernel->binding_drops)
        a->count = a->next = 0;
    for (size_t i = 0; i < a->count; i++) {
        const size_t at = (a->next + i) % a->count;

        if (a->digest[at] == digest) {
            a->next = at + 1;
            return true;
        }
    }
    if (!kernel_binding_of(l, plan))
        return false;
    a->digest = must_grow(a->digest, a->count, &a->capacity, sizeof *a->digest);
    a->digest[a->count++] = digest;
    a->next = a->count;
    a->drops = l->kernel->binding_drops;
    return true;
}
