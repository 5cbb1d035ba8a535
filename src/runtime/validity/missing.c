/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/validity/missing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "transfer/methods/stretches.h"

enum { GAP_BYTES_MAX = 4096 }; /* longest gap that a copy may include */

/* Next device after `to` that has the bytes. Receivers thus use different senders. */
static unsigned source_for(const struct proact *p, uint32_t devices, unsigned to)
{
    unsigned from = to;

    do
        from = (from + 1) % p->devices.count;
    while (!(devices >> from & 1) && from != to);
    return from;
}

static void add_stretch(struct missing_ranges *l, struct missing_range more)
{
    struct missing_range *last =
        l->stretch_count ? &l->stretch[l->stretch_count - 1] : NULL;

    l->bytes += more.end - more.first;
    l->receivers[more.from] |= 1u << more.to;
    if (last && last->from == more.from && last->to == more.to && more.first == last->end) {
        last->end = more.end;
        return;
    }
    l->stretch =
        must_grow(l->stretch, l->stretch_count, &l->stretch_capacity, sizeof *l->stretch);
    l->stretch[l->stretch_count++] = more;
}

struct finder {
    const struct proact *session;
    unsigned device;
    struct missing_ranges *out;
};

static void missing_add(void *context, uint64_t first, uint64_t end, uint32_t devices)
{
    const struct finder *f = context;

    add_stretch(f->out, (struct missing_range){source_for(f->session, devices, f->device),
                                               f->device, first, end});
}

static void find_missing(const struct proact_array *a,
                         const struct transfer_need *const *needs,
                         struct missing_ranges *out)
{
    struct span whole = {0, a->bytes};
    const struct spans all = {&whole, 1, 1};

    for (unsigned d = 0; d < a->session->devices.count; d++) {
        struct finder f = {a->session, d, out};
        const struct validity_query missing = {1u << d, 1u << d, missing_add, &f};

        if (needs[d])
            validity_each_mismatch(&a->validity_map,
                                   needs[d]->all ? &all : &needs[d]->spans, &missing);
    }
}

/* Number of consecutive ranges with the same sender and receiver. */
static size_t pair_from(const struct missing_ranges *l, size_t first)
{
    const struct missing_range *s = l->stretch;
    size_t n = first + 1;

    while (n < l->stretch_count && s[n].from == s[first].from && s[n].to == s[first].to)
        n++;
    return n - first;
}

/* Number of ranges, from `n` on, that form one strided copy; 0: none. Gaps of a strided
   copy may exceed its payload. Rows that are too dense form no strided copy, and neither do
   the rows after the first; the caller asks again at `*next`. */
static size_t rows_at(const struct stretch *at, size_t n, size_t count, size_t *next)
{
    enum { ROWS_MIN = 8, SMALL_BYTES = 2 * GAP_BYTES_MAX };
    size_t period;
    uint64_t bytes = 0;
    const size_t rows = stretches_rows(&at[n], count - n, &period);
    const struct stretch *last = &at[n + rows * period - 1];
    const uint64_t all = last->first + last->bytes - at[n].first;

    for (size_t i = n; i < n + period; i++)
        bytes += rows * at[i].bytes;
    *next = rows < ROWS_MIN ? n + 1 : n + rows * period;
    return rows < ROWS_MIN || all < SMALL_BYTES || bytes > all / 2 ? 0 : rows * period;
}

static bool missing_may_bridge(const struct validity_map *h,
                               const struct missing_range *last,
                               const struct missing_range *next)
{
    return next->first - last->end <= GAP_BYTES_MAX &&
           validity_contains(h, last->end, next->first, 1u << next->from);
}

/* Joins ranges of one pair across small gaps that are current on the sender: an additional
   copy costs more than the gap. Reads the ranges from `first` on and writes the result from
   `to` on. Returns the end of the result. */
static size_t missing_bridge_gaps(const struct validity_map *h, struct missing_ranges *l,
                                  size_t first, size_t count, size_t to)
{
    struct stretch *at = must_calloc(count, sizeof *at);
    bool may = false; /* whether the last range may be extended */

    for (size_t n = 0; n < count; n++) {
        const struct missing_range *s = &l->stretch[first + n];

        at[n] = (struct stretch){s->first, s->end - s->first};
    }
    for (size_t n = 0, next = 0, rows; n < count; n++) {
        const struct missing_range *s = &l->stretch[first + n];

        rows = n < next ? 0 : rows_at(at, n, count, &next);
        if (may && !rows && missing_may_bridge(h, &l->stretch[to - 1], s)) {
            l->stretch[to - 1].end = s->end;
            continue;
        }
        may = !rows;
        memmove(&l->stretch[to], s, (rows ? rows : 1) * sizeof *s);
        to += rows ? rows : 1;
        n += rows ? rows - 1 : 0;
    }
    free(at);
    return to;
}

/* Bridging requires disjoint senders and receivers: a device that receives a gap must not
   send it at the same time. */
static void missing_bridge_all(const struct proact_array *a, struct missing_ranges *l)
{
    uint32_t senders = 0, receivers = 0;
    size_t to = 0;

    for (unsigned d = 0; d < a->session->devices.count; d++) {
        senders |= l->receivers[d] ? 1u << d : 0;
        receivers |= l->receivers[d];
    }
    if (senders & receivers)
        return;
    for (size_t n = 0, count; n < l->stretch_count; n += count) {
        count = pair_from(l, n);
        to = missing_bridge_gaps(&a->validity_map, l, n, count, to);
    }
    l->stretch_count = to;
}

static void gather_pair(struct missing_ranges *l, unsigned from, unsigned to,
                        struct stretch *at)
{
    struct rows_list rows = {0};
    size_t count = 0;

    for (size_t n = 0; n < l->stretch_count; n++) {
        const struct missing_range *s = &l->stretch[n];

        if (s->from == from && s->to == to)
            at[count++] = (struct stretch){s->first, s->end - s->first};
    }
    stretches_gather(at, count, &rows);
    for (size_t n = 0; n < rows.count; n++) {
        l->copy = must_grow(l->copy, l->count, &l->capacity, sizeof *l->copy);
        l->copy[l->count++] = (struct missing_copy){from, to, rows.rows[n]};
    }
    free(rows.rows);
}

void missing_find(const struct proact_array *a, const struct transfer_need *const *needs,
                  struct missing_ranges *out)
{
    const unsigned devices = a->session->devices.count;

    find_missing(a, needs, out);
    if (!out->stretch_count)
        return;
    missing_bridge_all(a, out);
    struct stretch *at = must_calloc(out->stretch_count, sizeof *at);

    for (unsigned from = 0; from < devices; from++)
        for (unsigned to = 0; to < devices; to++)
            if (out->receivers[from] >> to & 1)
                gather_pair(out, from, to, at);
    free(at);
}

/* The ranges of one device are disjoint and ascending, because overlapping needs were
   joined. */
void missing_record(struct proact_array *a, struct missing_ranges *l)
{
    struct validity_range *range = must_calloc(l->stretch_count + 1, sizeof *range);

    for (size_t n = 0, count; n < l->stretch_count; n += count) {
        const struct missing_range *s = &l->stretch[n];

        for (count = 0; n + count < l->stretch_count && s[count].to == s->to; count++)
            range[count] = (struct validity_range){s[count].first, s[count].end};
        validity_add_ranges(&a->validity_map, range, count, 1u << s->to);
    }
    free(range);
    free(l->stretch);
    l->stretch = NULL;
    l->stretch_count = l->stretch_capacity = 0;
}

void missing_clear(struct missing_ranges *l)
{
    free(l->stretch);
    free(l->copy);
    *l = (struct missing_ranges){0};
}
