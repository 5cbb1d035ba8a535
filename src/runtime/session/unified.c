/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/unified.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/pages.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"

_Static_assert((int)PROACT_UNIFIED_NO_HINT == (int)PAGES_NO_HINT + 1 &&
                   (int)PROACT_UNIFIED_PREFETCH == (int)PAGES_PREFETCH + 1,
               "one order of hints");

enum proact_status unified_open(struct proact *p, enum proact_unified hint,
                                struct proact_error *err)
{
    if (hint == PROACT_UNIFIED_OFF)
        return PROACT_OK;
    if (hint < PROACT_UNIFIED_NO_HINT || hint > PROACT_UNIFIED_PREFETCH)
        return fail(err, PROACT_EINVAL, "unified memory with hint %d: 1 to %d is possible",
                    (int)hint, (int)PROACT_UNIFIED_PREFETCH);
    if (!p->backend->is_virtual)
        return fail(err, PROACT_EREFUSED,
                    "unified memory: only an emulated machine supports it");
    if (!pages_has_machine(&p->topology))
        return fail(err, PROACT_EREFUSED,
                    "unified memory: machine '%s' has no fault_us and fault_batch",
                    p->topology.name);
    p->unified = must_calloc(1, sizeof *p->unified);
    p->unified->pages = pages_create(&p->topology, (enum pages_hint)(hint - 1));
    return PROACT_OK;
}

void unified_close(struct proact *p)
{
    if (p->unified)
        pages_destroy(p->unified->pages);
    free(p->unified);
}

enum proact_status unified_check_plan(struct transfer_plan *plan, struct proact_error *err)
{
    if (plan->is_open)
        plan->method = transfer_method_whole();
    plan->is_open = false;
    if (plan->method == transfer_method_whole() && !plan->tail)
        return PROACT_OK;
    return fail(err, PROACT_EINVAL,
                "unified memory replaces transfers: a plan with method '%s' has no use",
                plan->method->name);
}

void unified_array_add(struct proact_array *a)
{
    if (a->session->unified)
        a->unified = pages_array_add(a->session->unified->pages, a->bytes);
}

void unified_host_access(const struct proact_array *a, uint64_t first, uint64_t end)
{
    if (a->session->unified)
        pages_host_access(a->session->unified->pages, a->unified, first, end);
}

void unified_statistics_reset(struct proact *p)
{
    if (p->unified)
        pages_counts_reset(p->unified->pages);
}

void unified_statistics(const struct proact *p, struct proact_statistics *s)
{
    const struct pages_counts counts = pages_counts(p->unified->pages);

    s->bytes = counts.migrated_bytes + counts.remote_bytes;
    s->wire_bytes = s->packets = 0;
    s->chunks = counts.migrated_pages;
    s->faults = counts.faults;
}
