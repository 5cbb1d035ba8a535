/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/held/bring.h"

#include <stdlib.h>

#include "base/memory.h"
#include "runtime/derive/derive.h"
#include "runtime/held/wants.h"
#include "runtime/record/recording.h"
#include "runtime/share/launch_divide.h"
#include "transfer/methods/stretches.h"

enum { PIECES_MAX = 16384 }; /* of an array's holdings, then all is brought to all */
enum { ALONG_MAX = 4096 };   /* bytes */

struct copy {
    unsigned from, to;
    uint64_t first, end;
};
struct copies {
    struct copy *copy;
    size_t count, capacity;
    uint32_t senders, receivers; /* a bit each */
    bool takes_along;
};

static const struct transfer_need everything = {.all = true};

/* Of the devices that hold it the first behind the one that does not: so they take turns.
 */
static unsigned source_for(const struct proact *p, uint32_t devices, unsigned to)
{
    unsigned from = to;

    do
        from = (from + 1) % p->devices.count;
    while (!(devices >> from & 1) && from != to);
    return from;
}

/* Whether all of these hold all of that. */
static bool is_held(const struct holdings *h, uint64_t first, uint64_t end,
                    uint32_t devices)
{
    for (size_t n = holdings_find(h, first); n < h->count; n++) {
        if ((h->piece[n].devices & devices) != devices)
            return false;
        if (h->piece[n].end >= end)
            break;
    }
    return true;
}

/* Nearby bytes that the sender holds may go along: a copy costs more than they do. */
static void add_copy(const struct holdings *h, struct copies *c, struct copy more)
{
    struct copy *last = c->count ? &c->copy[c->count - 1] : NULL;
    bool follows =
        last && last->from == more.from && last->to == more.to && more.first >= last->end;

    if (follows && more.first - last->end <= (c->takes_along ? ALONG_MAX : 0) &&
        is_held(h, last->end, more.first, 1u << more.from)) {
        last->end = more.end;
        return;
    }
    c->copy = must_grow(c->copy, c->count, &c->capacity, sizeof *c->copy);
    c->copy[c->count++] = more;
    c->senders |= 1u << more.from;
    c->receivers |= 1u << more.to;
}

static void find_missing(const struct proact_array *a, unsigned device, uint64_t first,
                         uint64_t end, struct copies *out)
{
    const struct holdings *h = &a->holdings;

    for (size_t n = holdings_find(h, first); first < end; n++) {
        uint64_t stop = h->piece[n].end < end ? h->piece[n].end : end;

        if (!(h->piece[n].devices >> device & 1))
            add_copy(h, out,
                     (struct copy){source_for(a->session, h->piece[n].devices, device),
                                   device, first, stop});
        first = stop;
    }
}

static void find_all_missing(const struct proact_array *a,
                             const struct transfer_need *const *needs, struct copies *out)
{
    for (unsigned d = 0; d < a->session->devices.count; d++) {
        const struct transfer_need *need = needs[d];

        if (need && need->all)
            find_missing(a, d, 0, a->bytes, out);
        for (size_t n = 0; need && !need->all && n < need->spans.count; n++)
            find_missing(a, d, need->spans.span[n].first, need->spans.span[n].end, out);
    }
}

/* Who receives bytes along with others must not be sending them at that time. */
static void find_needed(const struct proact_array *a,
                        const struct transfer_need *const *needs, struct copies *out)
{
    out->takes_along = true;
    find_all_missing(a, needs, out);
    if (!(out->senders & out->receivers))
        return;
    out->takes_along = false;
    out->count = 0;
    find_all_missing(a, needs, out);
}

static enum proact_status send_to(struct proact_array *a, unsigned from, unsigned to,
                                  const struct copies *c, struct proact_error *err)
{
    struct stretches s = {.backend = a->session->backend,
                          .stream = a->session->devices.device[from].lane[TRANSFER_SIDE],
                          .to = a->base[to],
                          .from = a->base[from]};

    for (size_t n = 0; n < c->count; n++) {
        const struct copy *copy = &c->copy[n];

        if (copy->from != from || copy->to != to)
            continue;
        stretches_add(&s, copy->first, copy->end - copy->first);
        array_account(a, from, copy->end - copy->first, 0);
    }
    return stretches_copy(&s, err);
}

static uint32_t receivers_of(const struct copies *c, unsigned from)
{
    uint32_t receivers = 0;

    for (size_t n = 0; n < c->count; n++)
        receivers |= c->copy[n].from == from ? 1u << c->copy[n].to : 0;
    return receivers;
}

/* From lane SIDE of the sender, as what a launch sends: behind its own work, what others
   send it, and what the peers still do with theirs. */
static enum proact_status send_from(struct proact_array *a, unsigned from,
                                    const struct copies *c, uint64_t sequence,
                                    struct proact_error *err)
{
    struct proact *p = a->session;
    const struct order_place side = {from, TRANSFER_SIDE};
    const uint32_t receivers = receivers_of(c, from);
    /* protocol: bring-await (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status = array_await_peers(p, a, side, receivers, err);

    for (unsigned to = 0; to < p->devices.count && !status; to++)
        status = send_to(a, from, to, c, err);
    /* protocol: bring-done (else: return status;) */
    return status ? status : order_record(&p->order, side, sequence, err);
}

static enum proact_status send(struct proact_array *a, const struct copies *c,
                               struct proact_error *err)
{
    struct proact *p = a->session;
    const uint64_t sequence = ++p->sequence;
    enum proact_status status = PROACT_OK;

    for (unsigned from = 0; from < p->devices.count && !status; from++)
        if (receivers_of(c, from))
            status = send_from(a, from, c, sequence, err);
    for (unsigned from = 0; from < p->devices.count; from++)
        /* protocol: bring-sent */
        array_account_sent(a, from, receivers_of(c, from), TRANSFER_SIDE, sequence, NULL);
    return status;
}

/* Overlapping needs of a device are one: spans are apart, and its copies in order. */
static void note_copies(struct proact_array *a, const struct copies *c)
{
    struct holdings_range *range = must_calloc(c->count, sizeof *range);

    for (unsigned to = 0; to < a->session->devices.count; to++) {
        size_t count = 0;

        for (size_t n = 0; c->receivers >> to & 1 && n < c->count; n++)
            if (c->copy[n].to == to)
                range[count++] = (struct holdings_range){c->copy[n].first, c->copy[n].end};
        if (count)
            holdings_add_each(&a->holdings, range, count, 1u << to);
    }
    free(range);
}

static enum proact_status bring(struct proact_array *a,
                                const struct transfer_need *const *needs,
                                struct proact_error *err)
{
    struct copies c = {0};
    enum proact_status status = PROACT_OK;

    find_needed(a, needs, &c);
    if (c.count && a->session->plan.elide)
        a->session->elides = true;
    else if (c.count)
        status = send(a, &c, err);
    if (c.count && !status)
        note_copies(a, &c);
    free(c.copy);
    return status;
}

enum proact_status array_bring(struct proact_array *a,
                               const struct transfer_need *const *needs,
                               struct proact_error *err)
{
    struct proact *p = a->session;
    const struct transfer_need *all[PROACT_DEVICES_MAX];

    if (p->devices.count == 1)
        return PROACT_OK;
    array_catch_up(a);
    for (unsigned d = 0; d < p->devices.count; d++) {
        all[d] = &everything;
        if (needs[d])
            wants_see(a, d, needs[d]);
    }
    if (p->recording)
        recording_add_array(p, a);
    if (holdings_whole(&a->holdings, all_devices(p)))
        return PROACT_OK;
    return bring(a, a->holdings.count > PIECES_MAX ? all : needs, err);
}

enum proact_status array_bring_first(struct proact_array *a, uint64_t first, uint64_t end,
                                     struct proact_error *err)
{
    struct transfer_need need = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {&need};

    if (a->session->devices.count == 1)
        return PROACT_OK;
    spans_add(&need.spans, first, end);
    enum proact_status status = array_bring(a, needs, err);

    need_clear(&need);
    return status;
}

enum proact_status first_bring_all(struct proact *p, struct proact_error *err)
{
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {&everything};
    enum proact_status status = PROACT_OK;

    for (struct proact_array *a = p->arrays; p->first_behind && a && !status; a = a->next)
        status = array_bring(a, needs, err);
    p->first_behind &= status != PROACT_OK;
    return status;
}

enum proact_status array_bring_alike(struct proact_array *a, const struct holdings *h,
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
    status = bring(a, needs, err);
    for (unsigned d = 0; d < a->session->devices.count; d++)
        need_clear(&need[d]);
    return status;
}

/* What an array needs for the launch. */
static void needs_for(const struct launching *l, uint32_t array,
                      const struct transfer_need **out)
{
    const struct proact *p = l->kernel->session;

    for (unsigned d = 0; d < p->devices.count; d++)
        out[d] = l->binding ? needs_of(l->needs, array, d) : d ? NULL : &everything;
}

/* Of an array that it writes in too many places for their holders to be kept apart, all
   must be everywhere before, and is then sent everywhere. */
static bool is_scattered(const struct kernel_binding *b, const struct proact_array *a)
{
    for (unsigned s = 0; b && s < b->transfer.slot_count; s++)
        if (b->array[s] == a && wants_is_scattered(b, s))
            return true;
    return false;
}

static enum proact_status bring_place(const struct launching *l, size_t place,
                                      struct proact_error *err)
{
    const struct proact *p = l->kernel->session;
    struct proact_array *a = l->places[place].array;
    const struct transfer_need *needs[PROACT_DEVICES_MAX];

    if (a->is_shared && l->binding) {
        array_written(a, 0, a->bytes, FIRST);
        a->by_launch = false;
    }
    needs_for(l, launching_number(l, a), needs);
    for (unsigned d = 0; d < p->devices.count && is_scattered(l->binding, a); d++)
        needs[d] = &everything;
    return array_bring(a, needs, err);
}

enum proact_status launch_bring(struct launching *l, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (l->is_ready || l->kernel->session->devices.count == 1)
        return PROACT_OK;
    if (l->binding && !l->needs)
        l->needs = needs_of_launch(l);
    for (size_t i = 0; i < l->place_count && !status; i++)
        if (!launching_is_again(l, i))
            status = bring_place(l, i, err);
    l->is_ready = !status;
    if (!status)
        launch_divide(l);
    return status;
}

void launch_see(struct launching *l)
{
    l->needs = needs_of_launch(l);
    for (size_t i = 0; i < l->place_count; i++)
        for (unsigned d = 0; d < l->needs->devices && !launching_is_again(l, i); d++) {
            const struct proact_array *a = l->places[i].array;

            wants_see(a, d, needs_of(l->needs, launching_number(l, a), d));
        }
}

/* The owner and those to whom it is sent. */
static uint32_t holders_of(const struct transfer_devices *t, unsigned device,
                           uint32_t peers)
{
    uint32_t devices = 1u << device;

    for (unsigned i = 0; i + 1 < t->count; i++)
        devices |= peers >> i & 1 ? 1u << transfer_peer(t, device, i) : 0;
    return devices;
}

/* Owned spans from `at` on, of the extent, between which all gaps are narrow: their end. */
static size_t group_end(const struct spans *owned, const struct transfer_extent *e,
                        size_t at)
{
    size_t end = at + 1;

    while (end < owned->count && owned->span[end].first < e->end &&
           owned->span[end].first - owned->span[end - 1].end <= TRANSFER_GAP_BYTES)
        end++;
    return end;
}

static struct holdings_range within(const struct transfer_extent *e, uint64_t first,
                                    uint64_t end)
{
    return (struct holdings_range){first > e->first ? first : e->first,
                                   end < e->end ? end : e->end};
}

/* What is written, with narrow gaps that these devices hold: who else does is forgotten.
   How many pieces. */
static size_t set_owned(struct holdings *h, const struct spans *owned,
                        const struct transfer_extent *e, uint32_t devices)
{
    const size_t first = spans_from(owned, e->first), most = spans_from(owned, e->end - 1);
    struct holdings_range *range = must_calloc(most - first + 1, sizeof *range);
    size_t count = 0;

    for (size_t n = first, end; n < owned->count && owned->span[n].first < e->end;
         n = end) {
        end = group_end(owned, e, n);
        range[count] = within(e, owned->span[n].first, owned->span[end - 1].end);
        if (is_held(h, range[count].first, range[count].end, devices))
            count++;
        else
            for (size_t k = n; k < end; k++)
                range[count++] = within(e, owned->span[k].first, owned->span[k].end);
    }
    holdings_set_each(h, range, count, devices);
    free(range);
    return count;
}

/* What a device owns it holds, and so do those to whom it was sent. */
static void written_by(const struct kernel_binding *b, unsigned slot, unsigned device)
{
    const struct transfer_table *t = &b->tables[slot]->tables->table[device];
    struct holdings *h = &b->array[slot]->holdings;

    for (size_t n = 0; n < t->extent_count; n++) {
        const struct transfer_extent *e = &t->extent[n];
        uint32_t devices = holders_of(b->transfer.devices, device, e->peers);

        if (holdings_are(h, e->first, e->end, devices))
            continue;
        if (!e->has_gaps || (!e->has_wide_gaps && is_held(h, e->first, e->end, devices))) {
            holdings_set(h, e->first, e->end, devices);
        } else {
            const size_t pieces = set_owned(h, &t->owned, e, devices);

            wants_note_pieces(b, slot, e->has_wide_gaps ? pieces : 0);
        }
    }
}

static uint64_t written(const struct kernel_binding *b, unsigned slot)
{
    uint64_t bytes = 0;

    for (unsigned d = 0; d < b->transfer.devices->count; d++)
        bytes += b->tables[slot]->tables->table[d].owned_bytes;
    return bytes;
}

/* Who wrote most of it is who wrote it. */
static void note_writer(struct proact_array *a, const struct launching *l, uint64_t bytes)
{
    if (bytes < a->bytes / 2 && a->wrote)
        return;
    a->by_launch = false;
    a->wrote = l->choice;
}

void launch_written(const struct launching *l)
{
    struct kernel_binding *b = l->binding;
    struct proact *p = l->kernel->session;
    const uint32_t all = all_devices(p);

    for (unsigned s = 0; s < b->transfer.slot_count && p->devices.count > 1; s++) {
        struct proact_array *a = b->array[s];

        const uint64_t bytes = written(b, s);

        if (!bytes)
            continue;
        p->elides |= b->transfer.plan.elide;
        a->changes++;
        a->writer = b;
        a->writer_slot = s;
        note_writer(a, l, bytes);
        if (!wants_told(b, s) && holdings_whole(&a->holdings, all))
            continue;
        for (unsigned d = 0; d < p->devices.count; d++)
            written_by(b, s, d);
        p->first_behind |= !holdings_whole(&a->holdings, FIRST);
    }
    if (!p->recording)
        wants_restart(b);
}

/* All its arrays, unless it is known through which pointers it writes. */
void launch_written_whole(const struct launching *l)
{
    for (size_t i = 0; i < l->place_count; i++) {
        struct proact_array *a = l->places[i].array;

        if (!derivation_may_write(l, &l->places[i]))
            continue;
        array_written(a, 0, a->bytes, FIRST);
        a->by_launch = true;
        a->wrote = l->choice;
        a->writer = NULL;
    }
}
