/* SPDX-License-Identifier: Apache-2.0 */
/* Assignment of mechanisms to pairs of devices. A pair without peer access cannot have a
   mechanism whose kernels store into the peer's memory. It gets copies instead. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "transfer/transfer.h"

static uint32_t all_peers(const struct transfer_devices *t)
{
    return (1u << (t->count - 1)) - 1;
}

static bool plan_needs_peers(const struct transfer_plan *plan)
{
    return plan->method->needs_peers || (plan->tail && plan->tail->needs_peers);
}

uint32_t transfer_reached_peers(const struct transfer_devices *t,
                                const struct transfer_plan *plan, unsigned device)
{
    uint32_t peers = 0;

    if (!plan_needs_peers(plan))
        return all_peers(t);
    for (unsigned i = 0; i + 1 < t->count; i++)
        if (t->backend->peer_access(t->set, device, transfer_peer(t, device, i)))
            peers |= 1u << i;
    return peers;
}

bool transfer_copies_pairs(const struct transfer_devices *t,
                           const struct transfer_plan *plan)
{
    bool any = false;

    for (unsigned d = 0; d < t->count; d++)
        any |= transfer_reached_peers(t, plan, d) != all_peers(t);
    return any;
}

void transfer_pairs_open(struct transfer_binding *b)
{
    const struct transfer_devices *t = b->devices;

    assert(!b->next);
    for (unsigned d = 0; d < t->count; d++)
        b->peers[d] = transfer_reached_peers(t, &b->plan, d);
    if (!transfer_copies_pairs(t, &b->plan))
        return;
    struct transfer_binding *copies = must_calloc(1, sizeof *copies);

    *copies = *b;
    copies->plan.method = b->plan.copies;
    copies->plan.tail = NULL;
    copies->is_copied = true;
    for (unsigned d = 0; d < t->count; d++)
        copies->peers[d] = all_peers(t) & ~b->peers[d];
    b->next = copies;
}

/* List of pairs, of which the first ones are named. */
struct pairs_list {
    struct text names;
    unsigned count;
};

enum { PAIRS_NAMED = 6 };

static void pairs_list_add(struct pairs_list *l, unsigned from, const char *word,
                           unsigned to)
{
    if (l->count++ < PAIRS_NAMED)
        text_print(&l->names, "%s%u %s %u", l->count > 1 ? ", " : "", from, word, to);
    else if (l->count == PAIRS_NAMED + 1)
        text_print(&l->names, ", ...");
}

static void pairs_list_print(const char *begin, struct pairs_list *l, struct text *out)
{
    if (l->count)
        text_print(out, "%s%s", begin, l->names.data);
    if (l->count > PAIRS_NAMED)
        text_print(out, " (%u pairs)", l->count);
    text_clear(&l->names);
}

bool transfer_pairs_print(unsigned count, transfer_reaches *reaches, const void *context,
                          struct text *out)
{
    struct pairs_list mutual = {0}, single = {0};

    for (unsigned a = 0; a < count; a++)
        for (unsigned b = a + 1; b < count; b++) {
            const bool there = reaches(context, a, b), back = reaches(context, b, a);

            if (!there && !back)
                pairs_list_add(&mutual, a, "and", b);
            else if (!there || !back)
                pairs_list_add(&single, there ? b : a, "to", there ? a : b);
        }
    const bool any = mutual.count + single.count, both = mutual.count && single.count;

    if (any)
        text_print(out, "copies ");
    pairs_list_print("between devices ", &mutual, out);
    pairs_list_print(both ? ", from device " : "from device ", &single, out);
    return any;
}

static bool pairs_reaches(const void *context, unsigned from, unsigned to)
{
    const struct transfer_devices *t = context;

    return t->backend->peer_access(t->set, from, to);
}

bool transfer_copies_print(const struct transfer_devices *t,
                           const struct transfer_plan *plan, struct text *out)
{
    return plan_needs_peers(plan) && transfer_pairs_print(t->count, pairs_reaches, t, out);
}
