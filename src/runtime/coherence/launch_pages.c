/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/coherence/launch_pages.h"

#include "base/fail.h"
#include "model/pages.h"
#include "runtime/access_sets/needs.h"
#include "runtime/footprint/derive.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/session/unified.h"

static void read_pages(struct pages *pages, unsigned device, const struct proact_array *a,
                       const struct transfer_need *need)
{
    if (need->all)
        pages_read(pages, device, a->unified, 0, a->bytes);
    for (size_t n = 0; !need->all && n < need->spans.count; n++)
        pages_read(pages, device, a->unified, need->spans.span[n].first,
                   need->spans.span[n].end);
}

static void write_pages(struct pages *pages, unsigned device, const struct proact_array *a,
                        const struct spans *owned)
{
    for (size_t n = 0; n < owned->count; n++)
        pages_write(pages, device, a->unified, owned->span[n].first, owned->span[n].end);
}

static bool has_ctas(const struct kernel_binding *b, unsigned device)
{
    return b->cta_first[device] != b->cta_first[device + 1];
}

/* All reads of the launch precede its writes. */
static void split_pages(const struct launching *l, struct pages *pages)
{
    const struct kernel_binding *b = l->binding;
    const unsigned devices = l->kernel->session->devices.count;

    for (size_t i = 0; i < l->relocation_count; i++)
        for (unsigned d = 0; d < devices && !launching_is_again(l, i); d++) {
            const struct proact_array *a = l->relocations[i].array;

            if (has_ctas(b, d))
                read_pages(pages, d, a, needs_read(l->needs, launching_number(l, a), d));
        }
    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        for (unsigned d = 0; d < devices; d++)
            if (has_ctas(b, d))
                write_pages(pages, d, b->array[s], &b->tables[s]->tables->table[d].owned);
}

/* Device 0 accesses entire arrays. */
static void whole_pages(const struct launching *l, struct pages *pages)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        pages_read(pages, 0, l->relocations[i].array->unified, 0,
                   l->relocations[i].array->bytes);
    for (size_t i = 0; i < l->relocation_count; i++)
        if (derivation_may_write(l, &l->relocations[i]))
            pages_write(pages, 0, l->relocations[i].array->unified, 0,
                        l->relocations[i].array->bytes);
}

enum proact_status launch_pages(struct launching *l, struct proact_error *err)
{
    struct unified *u = l->kernel->session->unified;

    if (!u)
        return PROACT_OK;
    if (l->binding && l->found.flags)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': unified memory is not modelled where several devices "
                    "write the same bytes",
                    l->kernel->name);
    if (l->binding && !l->needs)
        l->needs = needs_of_launch(l);
    for (size_t i = 0; i < l->relocation_count; i++)
        pages_use(u->pages, l->relocations[i].array->unified);
    if (l->binding)
        split_pages(l, u->pages);
    else
        whole_pages(l, u->pages);
    pages_launch_end(u->pages, u->wait_ns);
    return PROACT_OK;
}
