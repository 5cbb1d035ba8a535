/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/direct.h"

#include <inttypes.h>
#include <stdlib.h>

#include "access/write_set.h"
#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/launching.h"

void direct_make(struct proact_kernel *k, uint32_t *offset, uint32_t count)
{
    k->direct = must_calloc(1, sizeof *k->direct);
    k->direct->offset = offset;
    k->direct->count = count;
    k->direct->through = access_through_find(k->image->ptx, k->ptx, offset, count);
}

void direct_drop(struct proact_kernel *k)
{
    if (!k->direct)
        return;
    free(k->direct->offset);
    access_through_clear(&k->direct->through);
    free(k->direct);
    k->direct = NULL;
}

const bool *direct_accesses(const struct proact_kernel *k)
{
    return k->direct ? k->direct->through.is : NULL;
}

bool direct_is(const struct proact_kernel *k, uint32_t offset)
{
    for (uint32_t n = 0; k->direct && n < k->direct->count; n++)
        if (k->direct->offset[n] == offset)
            return true;
    return false;
}

/* Whether any CTA may read a written byte. */
static bool is_read(const struct write_set_ranges *r, const struct transfer_need *need,
                    uint32_t ctas)
{
    struct cta_runs_walk w = cta_runs_walk(&r->runs, 0, ctas);

    for (struct span s; cta_runs_span(&w, &s);) {
        const size_t at = spans_from(&need->spans, s.first);

        if (need->all || (at < need->spans.count && need->spans.span[at].first < s.end))
            return true;
    }
    return false;
}

static bool ctas_communicate(const struct kernel_direct *d)
{
    return d && d->through.reads && d->through.writes;
}

static enum proact_status refuse_communication(const struct proact_kernel *k,
                                               const struct proact_array *a,
                                               struct proact_error *err)
{
    return fail(err, PROACT_EREFUSED,
                "kernel '%s': it writes and reads array '%s', and its CTAs may "
                "synchronize through a distributed array: distribute '%s', too",
                k->name, a->name, a->name);
}

enum proact_status direct_check(const struct launching *l, const struct write_set *w,
                                struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    const struct kernel_direct *d = k->direct;

    for (size_t i = 0; d && i < l->relocation_count; i++) {
        const struct proact_array *a = l->relocations[i].array;
        const uint32_t n = launching_number(l, a);

        if (!w->arrays[n].runs.count)
            continue;
        if (a->part)
            return fail(err, PROACT_EREFUSED,
                        "kernel '%s', %s:%" PRIu32
                        ": it writes to array '%s', which is distributed, through a "
                        "pointer that may also refer to other arrays",
                        k->name, k->image->ptx->name, w->arrays[n].line, a->name);
        if (ctas_communicate(d) &&
            is_read(&w->arrays[n], needs_of(needs_find(l, NULL), n, 0), w->cta_count))
            return refuse_communication(k, a, err);
    }
    return PROACT_OK;
}

bool direct_allows_maps(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;

    if (!ctas_communicate(k->direct))
        return true;
    k->direct->refusal.text[0] = '\0';
    for (unsigned s = 0; s < k->slot_count; s++) {
        const struct proact_array *a = launching_slot_array(l, s);
        const struct transfer_need *need =
            a ? needs_of(needs_find(l, NULL), launching_number(l, a), 0) : NULL;

        if (need && (need->all || need->spans.count))
            return refuse_communication(k, a, &k->direct->refusal) == PROACT_OK;
    }
    return true;
}

const char *direct_refusal(const struct proact_kernel *k)
{
    return k->direct && k->direct->refusal.text[0] ? k->direct->refusal.text : NULL;
}
