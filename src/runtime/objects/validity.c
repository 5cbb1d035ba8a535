/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/objects/validity.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Prepares a map for new contents; shared entries stay with their interned map. */
static void leave_value(struct validity_map *h)
{
    if (h->value)
        *h = (struct validity_map){0};
    h->count = 0;
}

void validity_init(struct validity_map *h, uint64_t bytes, uint32_t devices)
{
    leave_value(h);
    h->piece = must_grow(h->piece, h->count, &h->capacity, sizeof *h->piece);
    h->piece[h->count++] = (struct validity_entry){bytes, devices};
}

void validity_clear(struct validity_map *h)
{
    if (!h->value)
        free(h->piece);
    *h = (struct validity_map){0};
}

void validity_copy(struct validity_map *to, const struct validity_map *from)
{
    leave_value(to);
    for (size_t n = 0; n < from->count; n++) {
        to->piece = must_grow(to->piece, to->count, &to->capacity, sizeof *to->piece);
        to->piece[to->count++] = from->piece[n];
    }
}

/* Copies shared entries before a change. */
static void own(struct validity_map *h)
{
    struct validity_map copy = {0};

    if (!h->value)
        return;
    validity_copy(&copy, h);
    *h = copy;
}

size_t validity_find(const struct validity_map *h, uint64_t byte)
{
    size_t low = 0, high = h->count - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (h->piece[middle].end <= byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Ensures that an entry begins at `byte`, and returns it. `byte` is inside the array. */
static size_t validity_split(struct validity_map *h, uint64_t byte)
{
    size_t at = validity_find(h, byte);

    if (byte == (at ? h->piece[at - 1].end : 0))
        return at;
    h->piece = must_grow(h->piece, h->count, &h->capacity, sizeof *h->piece);
    memmove(&h->piece[at + 1], &h->piece[at], (h->count - at) * sizeof *h->piece);
    h->count++;
    h->piece[at].end = byte;
    return at + 1;
}

/* Joins equal neighbours among the entries `at` - 1 to `end`. */
static void join(struct validity_map *h, size_t at, size_t end)
{
    size_t first = at ? at - 1 : 0, to = first;

    end = end < h->count - 1 ? end : h->count - 1;
    for (size_t n = first + 1; n <= end; n++)
        if (h->piece[n].devices == h->piece[to].devices)
            h->piece[to].end = h->piece[n].end;
        else
            h->piece[++to] = h->piece[n];
    memmove(&h->piece[to + 1], &h->piece[end + 1], (h->count - end - 1) * sizeof *h->piece);
    h->count -= end - to;
}

/* Whether a change has no effect, the common case of repeated launches. */
static bool is_so(const struct validity_map *h, uint64_t first, uint64_t end, uint32_t keep,
                  uint32_t devices)
{
    const struct validity_entry *p = &h->piece[validity_find(h, first)];

    return p->end >= end && p->devices == ((p->devices & keep) | devices);
}

static void change(struct validity_map *h, uint64_t first, uint64_t end, uint32_t keep,
                   uint32_t devices)
{
    if (first >= end || is_so(h, first, end, keep, devices))
        return;
    own(h);
    size_t at = validity_split(h, first);
    size_t behind = end < h->piece[h->count - 1].end ? validity_split(h, end) : h->count;

    for (size_t n = at; n < behind; n++)
        h->piece[n].devices = (h->piece[n].devices & keep) | devices;
    join(h, at, behind);
}

void validity_set(struct validity_map *h, uint64_t first, uint64_t end, uint32_t devices)
{
    const uint64_t all = h->piece[h->count - 1].end;

    if (!first && end == all)
        validity_init(h, all, devices);
    else
        change(h, first, end, 0, devices);
}

void validity_add(struct validity_map *h, uint64_t first, uint64_t end, uint32_t devices)
{
    change(h, first, end, UINT32_MAX, devices);
}

static bool is_unlike(const struct validity_entry *p, const struct validity_query *u)
{
    return (p->devices & u->mask) != u->devices;
}

/* Entry that contains the byte, searched from entry `n` on, since it is usually near. */
static size_t find_from(const struct validity_map *h, size_t n, uint64_t byte)
{
    enum { NEAR = 8 };

    for (int i = 0; i < NEAR && h->piece[n].end <= byte; i++)
        n++;
    return h->piece[n].end > byte ? n : validity_find(h, byte);
}

/* Visits by span: for few spans and many entries. */
static void validity_visit_ranges(const struct validity_map *h, size_t n,
                                  const struct spans *spans, const struct validity_query *u)
{
    for (size_t i = 0; i < spans->count; i++) {
        struct span s = spans->span[i];

        for (n = find_from(h, n, s.first); s.first < s.end; n++) {
            const struct validity_entry *p = &h->piece[n];
            const uint64_t stop = p->end < s.end ? p->end : s.end;

            if (is_unlike(p, u))
                u->visit(u->context, s.first, stop, p->devices);
            s.first = stop;
        }
        n--; /* the next span may begin in the same entry */
    }
}

/* Visits the spans in one entry. */
static void validity_visit_piece(const struct spans *spans, uint64_t first,
                                 const struct validity_entry *p,
                                 const struct validity_query *u)
{
    for (size_t n = spans_from(spans, first);
         n < spans->count && spans->span[n].first < p->end; n++) {
        const struct span *s = &spans->span[n];

        u->visit(u->context, s->first > first ? s->first : first,
                 s->end < p->end ? s->end : p->end, p->devices);
    }
}

void validity_each_mismatch(const struct validity_map *h, const struct spans *spans,
                            const struct validity_query *u)
{
    if (!spans->count)
        return;
    const size_t from = validity_find(h, spans->span[0].first),
                 end = validity_find(h, spans->span[spans->count - 1].end - 1) + 1;

    if (spans->count < end - from)
        validity_visit_ranges(h, from, spans, u);
    for (size_t n = from; n < end && spans->count >= end - from; n++)
        if (is_unlike(&h->piece[n], u))
            validity_visit_piece(spans, n ? h->piece[n - 1].end : 0, &h->piece[n], u);
}

static void put(struct validity_map *h, uint64_t end, uint32_t devices)
{
    struct validity_entry *last = h->count ? &h->piece[h->count - 1] : NULL;

    if (last && last->devices == devices) {
        last->end = end;
        return;
    }
    h->piece = must_grow(h->piece, h->count, &h->capacity, sizeof *h->piece);
    h->piece[h->count++] = (struct validity_entry){end, devices};
}

static void change_each(struct validity_map *h, const struct validity_range *range,
                        size_t count, uint32_t keep, uint32_t devices)
{
    enum { FEW = 8 };
    struct validity_map made = {0};
    uint64_t at = 0;
    size_t r = 0;

    for (size_t n = 0; n < count && count <= FEW; n++)
        change(h, range[n].first, range[n].end, keep, devices);
    if (count <= FEW)
        return;
    for (size_t n = 0; n < h->count; n++) {
        const struct validity_entry *p = &h->piece[n];

        while (at < p->end) {
            const bool inside = r < count && range[r].first <= at;
            uint64_t stop = r == count ? p->end : inside ? range[r].end : range[r].first;

            stop = stop < p->end ? stop : p->end;
            if (stop > at)
                put(&made, stop, inside ? (p->devices & keep) | devices : p->devices);
            at = stop;
            if (inside && at >= range[r].end)
                r++;
        }
    }
    validity_clear(h);
    *h = made;
}

void validity_add_ranges(struct validity_map *h, const struct validity_range *range,
                         size_t count, uint32_t devices)
{
    change_each(h, range, count, UINT32_MAX, devices);
}

void validity_set_ranges(struct validity_map *h, const struct validity_range *range,
                         size_t count, uint32_t devices)
{
    change_each(h, range, count, 0, devices);
}

bool validity_is_exactly(const struct validity_map *h, uint64_t first, uint64_t end,
                         uint32_t devices)
{
    return is_so(h, first, end, 0, devices);
}

bool validity_everywhere(const struct validity_map *h, uint32_t devices)
{
    if (h->value)
        return (h->value->whole & devices) == devices;
    for (size_t n = 0; n < h->count; n++)
        if ((h->piece[n].devices & devices) != devices)
            return false;
    return true;
}

bool validity_contains(const struct validity_map *h, uint64_t first, uint64_t end,
                       uint32_t devices)
{
    for (size_t n = validity_find(h, first); n < h->count; n++) {
        if ((h->piece[n].devices & devices) != devices)
            return false;
        if (h->piece[n].end >= end)
            break;
    }
    return true;
}

void validity_take_interned(struct validity_map *h, const struct interned_map *v)
{
    validity_clear(h);
    *h = (struct validity_map){.piece = v->piece, .count = v->count, .value = v};
}

void validity_intern(struct validity_map *h, uint64_t digest, struct interned_map *out)
{
    own(h);
    *out = (struct interned_map){h->piece, h->count, digest, UINT32_MAX};
    for (size_t n = 0; n < h->count; n++)
        out->whole &= h->piece[n].devices;
    h->capacity = 0;
    h->value = out;
}

bool validity_equals_interned(const struct validity_map *h, const struct interned_map *v)
{
    bool are = h->count == v->count;

    for (size_t n = 0; are && n < h->count; n++)
        are = h->piece[n].end == v->piece[n].end &&
              h->piece[n].devices == v->piece[n].devices;
    return are;
}

/* One multiplication per entry. Equal digests require a comparison. */
uint64_t validity_digest(const struct validity_map *h)
{
    uint64_t digest = h->count;

    for (size_t n = 0; n < h->count; n++)
        digest = (digest ^ (h->piece[n].end + ((uint64_t)h->piece[n].devices << 32))) *
                 0x9e3779b97f4a7c15u;
    return digest;
}
