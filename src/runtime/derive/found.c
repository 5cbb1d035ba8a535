/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/derive/found.h"

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

/* Stores that go to peers as they happen leave what lies between them there as it is. */
static bool may_close(const struct launching *l)
{
    const struct transfer_binding *b = &l->binding->transfer;

    return l->found.set && l->found.set->is_exact && !l->found.flags &&
           b->devices->count > 1 && !(transfer_plan_mode(&b->plan) & PROACT_SHARE_STORE);
}

static bool has_crumbs(const struct cta_runs *r)
{
    for (uint32_t n = 0; n < r->row_count; n++)
        if (found_is_crumbs(&r->rows[n]))
            return true;
    return false;
}

uint32_t found_crumbs(const struct launching *l)
{
    uint32_t crumbs = 0;

    for (unsigned s = 0; s < l->kernel->slot_count && may_close(l); s++)
        if (launching_slot_array(l, s) && has_crumbs(found_runs(l, s)))
            crumbs |= 1u << s;
    return crumbs;
}
