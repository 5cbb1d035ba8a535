/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/annotated_stores.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"

enum { NO_SLOT = -1 };

/* Stores to arguments. */
struct annotated_stores {
    uint32_t count;
    struct annotated_store {
        const struct access_record *record;
        unsigned arg;
        int64_t slot; /* of a store to a peer; NO_SLOT: of a store to this device */
    } store[];
};

/* Slot from which a store to a peer takes the peer's offset. That offset is a member of the
   partition, selected by the number of the peer. */
static int64_t slot_of_member(const struct proact_kernel *k,
                              const struct access_analysis *a,
                              const struct access_symbol *member)
{
    const int64_t first = offsetof(struct proact_partition, slot);
    int64_t at = 0;
    bool is_partition = false;

    for (uint32_t n = 0; n < member->left->count; n++) {
        const struct access_term *t = &member->left->terms[n];
        const struct access_symbol *s = t->degree == 1 ? &a->symbols[t->symbols[0]] : NULL;

        if (!t->degree)
            at = t->factor;
        if (s && s->kind == ACCESS_BLOCK && t->factor == 1)
            is_partition = k->ptx->symbols[s->variable].offset == k->partition_offset;
    }
    const int64_t slot = (at - first) / (int64_t)sizeof(struct proact_slot),
                  byte = (at - first) % (int64_t)sizeof(struct proact_slot);

    return is_partition && at >= first && slot < PROACT_SLOTS_MAX &&
                   byte >= (int64_t)offsetof(struct proact_slot, peer_offset) &&
                   byte < (int64_t)offsetof(struct proact_slot, device0_offset)
               ? slot
               : NO_SLOT;
}

static int64_t slot_of_record(const struct proact_kernel *k,
                              const struct access_analysis *a,
                              const struct access_record *r)
{
    for (uint32_t n = 0; r->form && n < r->form->count; n++) {
        const struct access_term *t = &r->form->terms[n];
        const struct access_symbol *s = t->degree == 1 ? &a->symbols[t->symbols[0]] : NULL;

        if (s && s->kind == ACCESS_MEMBER && t->factor == 1)
            return slot_of_member(k, a, s);
    }
    return NO_SLOT;
}

static const struct annotated_stores *stores_find(struct proact_kernel *k)
{
    if (k->stores)
        return k->stores;
    const struct access_analysis *a = needs_analysis(k);

    k->stores =
        must_calloc(1, sizeof *k->stores + a->record_count * sizeof *k->stores->store);
    for (uint32_t i = 0; i < a->record_count; i++) {
        const struct access_record *r = &a->records[i];

        if (r->kind == ACCESS_READ || r->base != ACCESS_BASE_PARAMETER)
            continue;
        const uint32_t offset = a->symbols[r->base_symbol].offset;

        for (unsigned arg = 0; arg < k->parameter_count; arg++)
            if (k->parameter[arg].offset == offset)
                k->stores->store[k->stores->count++] =
                    (struct annotated_store){r, arg, slot_of_record(k, a, r)};
    }
    return k->stores;
}

void annotated_stores_drop(struct proact_kernel *k)
{
    free(k->stores);
    k->stores = NULL;
}

static unsigned slot_of_arg(const struct proact_kernel *k, unsigned arg)
{
    unsigned slot = 0;

    while (slot < k->slot_count && k->slot[slot].arg != arg)
        slot++;
    return slot;
}

/* Slot by which the kernel stores to the argument, as far as known, else the next one. */
static long long slot_stored_by(const struct proact_kernel *k, unsigned arg)
{
    for (uint32_t n = 0; n < k->stores->count; n++)
        if (k->stores->store[n].arg == arg && k->stores->store[n].slot != NO_SLOT)
            return k->stores->store[n].slot;
    return k->slot_count;
}

/* Whether the launch may execute the store, on any device. */
static bool store_is_reached(const struct launching *l, const struct access_record *r)
{
    const struct access_analysis *a = needs_analysis(l->kernel);
    const uint32_t offset = l->kernel->partition_offset,
                   words[] = {0, l->grid[0], l->grid[1], l->grid[2]};
    unsigned char *block = needs_block(l);
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);
    struct access_launch at = {.ntid = {l->threads[0], l->threads[1], l->threads[2]},
                               .nctaid = {l->grid[0] * l->grid[1] * l->grid[2], 1, 1},
                               .parameters = block,
                               .parameter_bytes =
                                   offset + offsetof(struct proact_partition, mode)};
    struct access_span spans[ACCESS_SPANS_MAX];
    uint32_t count;

    memcpy(block + offset + offsetof(struct proact_partition, cta_first), words,
           sizeof words);
    access_trips(a, &at, trips);
    const bool is_reached = !access_extent(a, r, &at, trips, spans, &count) || count;

    free(trips);
    free(block);
    return is_reached;
}

static enum proact_status check_store(const struct launching *l,
                                      const struct annotated_store *s,
                                      struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    const struct proact_array *a = launching_array(l, k->parameter[s->arg].offset);
    const unsigned slot = slot_of_arg(k, s->arg);
    const bool has_map = slot < k->slot_count;

    /* Next to maps, a plain store to an array without one is the author's choice: a flag
       that every device sets. */
    const bool is_allowed = has_map ? s->slot == NO_SLOT || s->slot == slot
                                    : s->slot == NO_SLOT && k->slot_count;

    if (!a || a->part || is_allowed || !store_is_reached(l, s->record))
        return PROACT_OK;
    if (has_map)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': it stores to argument %u by slot %lld, but the map of "
                    "the argument defines slot %u: call proact_kernel_map() in the order "
                    "of the slots",
                    k->name, s->arg, (long long)s->slot, slot);
    return fail(err, PROACT_EINVAL,
                "kernel '%s': it stores to argument %u, array '%s', which has no map: "
                "proact_kernel_map() is missing, for slot %lld",
                k->name, s->arg, a->name, slot_stored_by(k, s->arg));
}

enum proact_status launch_check_slots(const struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    enum proact_status status = PROACT_OK;

    for (unsigned s = 0; k->has_maps && s < k->slot_count; s++)
        if (!launching_array(l, k->slot[s].offset))
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': argument %u has a map and must be an array", k->name,
                        k->slot[s].arg);
    if (!k->is_annotated || k->session->devices.count == 1)
        return PROACT_OK;
    const struct annotated_stores *all = stores_find(k);

    for (uint32_t n = 0; n < all->count && !status; n++)
        status = check_store(l, &all->store[n], err);
    return status;
}
