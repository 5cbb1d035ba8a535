/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/found.h"

#include "access/write_set.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/request/launching.h"

const struct cta_runs *found_runs(const struct launching *l, uint32_t slot)
{
    static const struct cta_runs none;
    const struct proact_kernel *k = l->kernel;
    const struct proact_array *a = launching_array(l, k->slot[slot].offset);
    bool is_first = a != NULL;

    for (uint32_t s = 0; s < slot && is_first; s++)
        is_first = launching_array(l, k->slot[s].offset) != a;
    return is_first ? &l->found.set->arrays[launching_number(l, a)].runs : &none;
}

/* Stores that go to peers individually do not send the gaps. */
static bool may_close(const struct launching *l)
{
    const struct transfer_binding *b = &l->binding->transfer;

    return l->found.set && l->found.set->is_exact && !l->found.flags &&
           b->devices->count > 1 && !(transfer_plan_mode(&b->plan) & PROACT_MODE_STORE);
}

static bool found_has_fragments(const struct cta_runs *r)
{
    struct rows before = {0};

    for (uint32_t n = 0; n < r->row_count; n++) {
        if (is_fragmented(&r->rows[n]) ||
            (before.bytes < FRAGMENT_BYTES && r->rows[n].bytes < FRAGMENT_BYTES &&
             rows_bridge(&before, &r->rows[n], ROWS_GAP_NARROW)))
            return true;
        before = r->rows[n];
    }
    return false;
}

/* Whether the written ranges of the devices, from first to last byte, are disjoint. No
   device then writes into another's gaps. */
static bool is_apart(const struct launching *l, const struct cta_runs *r)
{
    const struct kernel_binding *b = l->binding;
    const unsigned devices = b->transfer.devices->count;
    struct span all[PROACT_DEVICES_MAX];

    for (unsigned d = 0; d < devices; d++) {
        struct cta_runs_walk w = cta_runs_walk(r, b->cta_first[d], b->cta_first[d + 1]);

        all[d] = (struct span){UINT64_MAX, 0};
        for (struct rows rows; cta_runs_rows(&w, &rows);) {
            all[d].first = rows.first < all[d].first ? rows.first : all[d].first;
            all[d].end = rows_end(&rows) > all[d].end ? rows_end(&rows) : all[d].end;
        }
        for (unsigned k = 0; k < d; k++)
            if (all[k].first < all[d].end && all[d].first < all[k].end)
                return false;
    }
    return true;
}

uint32_t fragments_detect(const struct launching *l)
{
    uint32_t fragmented_slots = 0;

    for (unsigned s = 0; s < l->kernel->slot_count && may_close(l); s++)
        if (launching_slot_array(l, s) && found_has_fragments(found_runs(l, s)) &&
            is_apart(l, found_runs(l, s)))
            fragmented_slots |= 1u << s;
    return fragmented_slots;
}
