/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/coherence/fetch.h"

#include "runtime/access_sets/needs.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/partition/launch_divide.h"
#include "runtime/request/need.h"
#include "runtime/session/array_order.h"
#include "runtime/session/recording.h"
#include "runtime/validity/array_validity.h"
#include "runtime/validity/consumers.h"
#include "runtime/validity/missing.h"
#include "runtime/validity/transition_cache.h"
#include "transfer/methods/stretches.h"

enum { PIECES_MAX = 1 << 18 }; /* entries of a validity map */

static const struct transfer_need everything = {.all = true};

static enum proact_status send_to(struct proact_array *a, unsigned from, unsigned to,
                                  const struct missing_ranges *l, struct proact_error *err)
{
    const struct stretches s = {.backend = a->session->backend,
                                .stream =
                                    a->session->devices.device[from].lane[TRANSFER_SIDE],
                                .to = a->base[to],
                                .from = a->base[from]};
    enum proact_status status = PROACT_OK;
    uint64_t bytes = 0;

    if (a->session->constraint.elide)
        return PROACT_OK;
    for (size_t n = 0; n < l->count && !status; n++) {
        const struct missing_copy *copy = &l->copy[n];

        if (copy->from != from || copy->to != to)
            continue;
        status = stretches_copy_rows(&s, &copy->rows, err);
        bytes += copy->rows.bytes * copy->rows.count;
    }
    array_account(a, from, bytes, 0);
    return status;
}

/* Sends from the transfer stream of the sender, like a launch: after the sender's own work,
   after transfers into its replica, and after the peers' uses of their replicas. */
static enum proact_status send_from(struct proact_array *a, unsigned from,
                                    const struct missing_ranges *l, uint64_t sequence,
                                    struct proact_error *err)
{
    struct proact *p = a->session;
    const struct order_place side = {from, TRANSFER_SIDE};
    const uint32_t receivers = l->receivers[from];
    /* protocol: fetch-wait (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status = array_await_peers(p, a, side, receivers, err);

    for (unsigned to = 0; to < p->devices.count && !status; to++)
        if (receivers >> to & 1)
            status = send_to(a, from, to, l, err);
    /* protocol: fetch-done (else: return status;) */
    return status ? status : order_record(&p->order, side, sequence, err);
}

static enum proact_status send(struct proact_array *a, const struct missing_ranges *l,
                               struct proact_error *err)
{
    struct proact *p = a->session;
    const uint64_t sequence = l->count ? ++p->sequence : 0;
    enum proact_status status = PROACT_OK;

    if (!sequence)
        return PROACT_OK;
    p->elides |= p->constraint.elide;
    for (unsigned from = 0; from < p->devices.count && !status; from++)
        if (l->receivers[from])
            status = send_from(a, from, l, sequence, err);
    for (unsigned from = 0; from < p->devices.count; from++)
        /* protocol: fetch-sent */
        array_account_sent(a, from, l->receivers[from], TRANSFER_SIDE, sequence, NULL);
    return status;
}

static enum proact_status fetch_missing(struct proact_array *a,
                                        const struct transfer_need *const *needs,
                                        struct proact_error *err)
{
    struct missing_ranges l = {0};

    missing_find(a, needs, &l);
    enum proact_status status = send(a, &l, err);

    if (!status)
        missing_record(a, &l);
    missing_clear(&l);
    return status;
}

static size_t spans_of(const struct proact *p, const struct transfer_need *const *needs)
{
    size_t count = 0;

    for (unsigned d = 0; d < p->devices.count; d++)
        count += needs[d] ? needs[d]->spans.count : 0;
    return count;
}

/* The same through the transition cache, for needs that may recur. */
static enum proact_status fetch_transition(struct proact_array *a,
                                           const struct transfer_need *const *needs,
                                           struct transition_key key,
                                           struct proact_error *err)
{
    const struct transition *known;
    enum proact_status status;
    struct missing_ranges l = {0};

    if (!transitions_are_worthwhile(a, spans_of(a->session, needs)))
        return fetch_missing(a, needs, err);
    if ((known = transition_find(a, key))) {
        status = send(a, transition_missing(known), err);
        if (!status)
            transition_apply(a, known);
        return status;
    }
    transition_begin(a);
    missing_find(a, needs, &l);
    status = send(a, &l, err);
    if (!status) {
        missing_record(a, &l);
        transition_end(a, key, &l);
    }
    missing_clear(&l);
    return status;
}

/* For a map of so many entries, fetches from the first byte of a need to its last. */
static enum proact_status fetch_bounds(struct proact_array *a,
                                       const struct transfer_need *const *needs,
                                       struct proact_error *err)
{
    struct transfer_need hull[PROACT_DEVICES_MAX] = {0};
    const struct transfer_need *all[PROACT_DEVICES_MAX] = {0};

    for (unsigned d = 0; d < a->session->devices.count; d++) {
        const struct spans *s = needs[d] ? &needs[d]->spans : NULL;

        all[d] = needs[d] && needs[d]->all ? &everything : &hull[d];
        if (s && s->count)
            spans_add(&hull[d].spans, s->span[0].first, s->span[s->count - 1].end);
    }
    enum proact_status status = fetch_missing(a, all, err);

    for (unsigned d = 0; d < a->session->devices.count; d++)
        need_clear(&hull[d]);
    return status;
}

/* `read`: the part of the needs that is read. `key`: transition key of recurring needs;
   NULL: none. */
static enum proact_status fetch_needs(struct proact_array *a,
                                      const struct transfer_need *const *needs,
                                      const struct transfer_need *const *read,
                                      const struct transition_key *key,
                                      struct proact_error *err)
{
    struct proact *p = a->session;

    if (p->devices.count == 1)
        return PROACT_OK;
    array_catch_up(a);
    for (unsigned d = 0; d < p->devices.count; d++)
        if (read[d])
            consumers_note_read(a, d, read[d]);
    if (p->recording)
        recording_add_array(p, a);
    if (validity_everywhere(&a->validity_map, all_devices(p)))
        return PROACT_OK;
    if (a->validity_map.count > PIECES_MAX)
        return fetch_bounds(a, needs, err);
    return key ? fetch_transition(a, needs, *key, err) : fetch_missing(a, needs, err);
}

enum proact_status array_fetch(struct proact_array *a,
                               const struct transfer_need *const *needs,
                               struct proact_error *err)
{
    return fetch_needs(a, needs, needs, NULL, err);
}

enum proact_status array_fetch_device0(struct proact_array *a, uint64_t first, uint64_t end,
                                       struct proact_error *err)
{
    struct transfer_need need = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {&need};

    if (a->session->devices.count == 1)
        return PROACT_OK;
    spans_add(&need.spans, first, end);
    enum proact_status status = array_fetch(a, needs, err);

    need_clear(&need);
    return status;
}

enum proact_status device0_fetch_all(struct proact *p, struct proact_error *err)
{
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {&everything};
    enum proact_status status = PROACT_OK;

    for (struct proact_array *a = p->arrays; p->device0_is_stale && a && !status;
         a = a->next)
        status = array_fetch(a, needs, err);
    p->device0_is_stale &= status != PROACT_OK;
    return status;
}

enum proact_status array_fetch_identical(struct proact_array *a,
                                         const struct validity_map *h,
                                         struct proact_error *err)
{
    struct transfer_need need[PROACT_DEVICES_MAX] = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX];
    enum proact_status status;

    array_catch_up(a);
    for (unsigned d = 0; d < a->session->devices.count; d++) {
        needs[d] = &need[d];
        for (size_t n = 0; n < h->count; n++)
            if (h->piece[n].devices >> d & 1)
                spans_add(&need[d].spans, n ? h->piece[n - 1].end : 0, h->piece[n].end);
    }
    status = fetch_missing(a, needs, err);
    for (unsigned d = 0; d < a->session->devices.count; d++)
        need_clear(&need[d]);
    return status;
}

/* Needs of the launch for one array, by device, and the part of them that is read. */
static void needs_for(const struct launching *l, uint32_t array,
                      const struct transfer_need **needs, const struct transfer_need **read)
{
    const struct proact *p = l->kernel->session;

    for (unsigned d = 0; d < p->devices.count; d++) {
        needs[d] = l->binding ? needs_of(l->needs, array, d) : d ? NULL : &everything;
        read[d] = l->binding ? needs_read(l->needs, array, d) : needs[d];
    }
}

/* An array with too many written ranges must be current everywhere before the launch, and
   is then sent to every device. */
static bool is_scattered(const struct kernel_binding *b, const struct proact_array *a)
{
    for (unsigned s = 0; b && s < b->transfer.slot_count; s++)
        if (b->array[s] == a && consumers_are_scattered(b, s))
            return true;
    return false;
}

static enum proact_status fetch_argument(const struct launching *l, size_t relocation,
                                         struct proact_error *err)
{
    const struct proact *p = l->kernel->session;
    struct proact_array *a = l->relocations[relocation].array;
    const struct transfer_need *needs[PROACT_DEVICES_MAX], *read[PROACT_DEVICES_MAX];
    const uint32_t number = launching_number(l, a);
    const bool all = is_scattered(l->binding, a);

    if (a->is_shared && l->binding) {
        array_written(a, 0, a->bytes, FIRST);
        a->by_launch = false;
    }
    needs_for(l, number, needs, read);
    for (unsigned d = 0; d < p->devices.count && all; d++)
        needs[d] = read[d] = &everything;
    const struct transition_key key = {l->binding ? l->needs->number : 0, number};

    return fetch_needs(a, needs, read, l->binding && !all ? &key : NULL, err);
}

/* Adds the gaps between the ranges that one device writes, if these are many and the gaps
   are at most half of the extent. */
static void add_gaps(const struct transfer_table *t, struct transfer_need *out)
{
    enum { ROWS_MIN = 64, PART = 2 };
    const struct spans *owned = &t->owned;

    for (size_t n = 0; n < t->extent_count; n++) {
        const struct transfer_extent *e = &t->extent[n];
        const size_t first = spans_from(owned, e->first),
                     last = spans_from(owned, e->end - 1);
        uint64_t bytes = 0;

        for (size_t i = first + 1; i <= last; i++)
            bytes += owned->span[i].first - owned->span[i - 1].end;
        if (!e->has_gaps || e->has_wide_gaps || last - first < ROWS_MIN ||
            bytes > (e->end - e->first) / PART)
            continue;
        for (size_t i = first + 1; i <= last; i++)
            spans_add(&out->spans, owned->span[i - 1].end, owned->span[i].first);
    }
}

/* Fetches the gaps between written ranges to their writer, before its first launch in a
   program. The validity map then has one range per extent instead of one per row. */
static enum proact_status fetch_gaps(const struct launching *l, struct proact_error *err)
{
    struct kernel_binding *b = l->binding;
    enum proact_status status = PROACT_OK;

    if (!b || !l->is_program || b->has_gaps || l->kernel->session->recording)
        return PROACT_OK;
    for (unsigned s = 0; s < b->transfer.slot_count && !status; s++) {
        struct transfer_need need[PROACT_DEVICES_MAX] = {0};
        const struct transfer_need *needs[PROACT_DEVICES_MAX];

        for (unsigned d = 0; d < b->transfer.devices->count; d++) {
            needs[d] = &need[d];
            add_gaps(&b->tables[s]->tables->table[d], &need[d]);
        }
        array_catch_up(b->array[s]);
        status = fetch_missing(b->array[s], needs, err);
        for (unsigned d = 0; d < b->transfer.devices->count; d++)
            need_clear(&need[d]);
    }
    b->has_gaps = !status;
    return status;
}

enum proact_status launch_fetch(struct launching *l, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (l->is_ready || l->kernel->session->devices.count == 1)
        return PROACT_OK;
    if (l->binding && !l->needs)
        l->needs = needs_of_launch(l);
    for (size_t i = 0; i < l->relocation_count && !status; i++)
        if (!launching_is_again(l, i))
            status = fetch_argument(l, i, err);
    status = status ? status : fetch_gaps(l, err);
    l->is_ready = !status;
    if (!status)
        launch_divide(l);
    return status;
}

void launch_record_reads(struct launching *l)
{
    l->needs = needs_of_launch(l);
    for (size_t i = 0; i < l->relocation_count; i++)
        for (unsigned d = 0; d < l->needs->devices && !launching_is_again(l, i); d++) {
            const struct proact_array *a = l->relocations[i].array;

            consumers_note_read(a, d, needs_read(l->needs, launching_number(l, a), d));
        }
}
