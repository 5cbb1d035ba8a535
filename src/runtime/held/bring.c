/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/held/bring.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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

static void add_copy(struct copies *c, struct copy more)
{
    struct copy *last = c->count ? &c->copy[c->count - 1] : NULL;

    if (last && last->from == more.from && last->to == more.to && more.first == last->end) {
        last->end = more.end;
        return;
    }
    c->copy = must_grow(c->copy, c->count, &c->capacity, sizeof *c->copy);
    c->copy[c->count++] = more;
    c->senders |= 1u << more.from;
    c->receivers |= 1u << more.to;
}

struct finder {
    const struct proact *session;
    unsigned device;
    struct copies *out;
};

static void see_missing(void *context, uint64_t first, uint64_t end, uint32_t devices)
{
    const struct finder *f = context;

    add_copy(f->out, (struct copy){source_for(f->session, devices, f->device), f->device,
                                   first, end});
}

static void find_missing(const struct proact_array *a,
                         const struct transfer_need *const *needs, struct copies *out)
{
    struct span whole = {0, a->bytes};
    const struct spans all = {&whole, 1, 1};

    for (unsigned d = 0; d < a->session->devices.count; d++) {
        struct finder f = {a->session, d, out};
        const struct holdings_unlike missing = {1u << d, 1u << d, see_missing, &f};

        if (needs[d])
            holdings_each_unlike(&a->holdings, needs[d]->all ? &all : &needs[d]->spans,
                                 &missing);
    }
}

/* From the same device to the same. */
static size_t pair_from(const struct copies *c, size_t first)
{
    size_t n = first + 1;

    while (n < c->count && c->copy[n].from == c->copy[first].from &&
           c->copy[n].to == c->copy[first].to)
        n++;
    return n - first;
}

/* Many rows are one copy, and what is between them may be much, and more than they are. */
static size_t rows_at(const struct stretch *at, size_t n, size_t count)
{
    enum { ROWS_MIN = 8, LITTLE = 2 * ALONG_MAX };
    size_t period;
    uint64_t bytes = 0;
    const size_t rows = stretches_rows(&at[n], count - n, &period);
    const struct stretch *last = &at[n + rows * period - 1];
    const uint64_t all = last->first + last->bytes - at[n].first;

    for (size_t i = n; i < n + period; i++)
        bytes += rows * at[i].bytes;
    return rows < ROWS_MIN || all < LITTLE || bytes > all / 2 ? 0 : rows * period;
}

static bool goes_along(const struct holdings *h, const struct copy *last,
                       const struct copy *next)
{
    return next->first - last->end <= ALONG_MAX &&
           holdings_hold(h, last->end, next->first, 1u << next->from);
}

/* Nearby bytes that the sender holds may go along: a copy costs more than they do. Those of
   one pair, from `first` on, become those from `to` on; returns where these end. */
static size_t take_along(const struct holdings *h, struct copies *c, size_t first,
                         size_t count, size_t to)
{
    struct stretch *at = must_calloc(count, sizeof *at);
    bool may = false; /* go along with the last */

    for (size_t n = 0; n < count; n++) {
        const struct copy *copy = &c->copy[first + n];

        at[n] = (struct stretch){copy->first, copy->end - copy->first};
    }
    for (size_t n = 0, rows; n < count; n++) {
        const struct copy *copy = &c->copy[first + n];

        rows = rows_at(at, n, count);
        if (may && !rows && goes_along(h, &c->copy[to - 1], copy)) {
            c->copy[to - 1].end = copy->end;
            continue;
        }
        may = !rows;
        memmove(&c->copy[to], copy, (rows ? rows : 1) * sizeof *copy);
        to += rows ? rows : 1;
        n += rows ? rows - 1 : 0;
    }
    free(at);
    return to;
}

/* Who receives bytes along with others must not be sending them at that time. */
static void find_needed(const struct proact_array *a,
                        const struct transfer_need *const *needs, struct copies *out)
{
    size_t to = 0;

    find_missing(a, needs, out);
    if (out->senders & out->receivers)
        return;
    for (size_t n = 0, count; n < out->count; n += count) {
        count = pair_from(out, n);
        to = take_along(&a->holdings, out, n, count, to);
    }
    out->count = to;
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

/* Between rows that one device writes; where they are many, and this is little. */
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

/* What lies between the rows that a program's launch writes is brought to their writer,
   too, before its first launch: then stretches are held by that one, and not each row. */
static enum proact_status bring_gaps(const struct launching *l, struct proact_error *err)
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
        status = bring(b->array[s], needs, err);
        for (unsigned d = 0; d < b->transfer.devices->count; d++)
            need_clear(&need[d]);
    }
    b->has_gaps = !status;
    return status;
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
    status = status ? status : bring_gaps(l, err);
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
