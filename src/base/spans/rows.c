/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spans/rows.h"

#include <string.h>

#include "base/memory.h"

static void set(struct rows *r, uint64_t first, uint64_t bytes, uint64_t pitch,
                uint64_t count)
{
    const bool is_one = bytes == pitch;

    *r = (struct rows){first, is_one ? bytes * count : bytes, is_one ? 0 : pitch,
                       is_one ? 1 : (uint32_t)count};
    if (count == 1)
        r->pitch = 0;
}

/* True if `r` follows `a` in every row, like the next tile of a matrix. */
static bool is_beside(const struct rows *a, const struct rows *r)
{
    return a->count == r->count && a->pitch == r->pitch &&
           a->first + a->bytes == r->first &&
           (a->count == 1 || a->bytes + r->bytes <= a->pitch);
}

static bool is_below(const struct rows *a, const struct rows *r)
{
    const uint64_t pitch = a->count > 1 ? a->pitch : r->count > 1 ? r->pitch : 0;

    return pitch && a->bytes == r->bytes && (r->count == 1 || r->pitch == pitch) &&
           r->first == a->first + a->count * pitch &&
           (uint64_t)a->count + r->count <= UINT32_MAX;
}

static bool go_on(struct rows *a, const struct rows *r)
{
    if (is_beside(a, r)) {
        set(a, a->first, a->bytes + r->bytes, a->pitch, a->count);
        return true;
    }
    if (is_below(a, r)) {
        set(a, a->first, a->bytes, a->count > 1 ? a->pitch : r->pitch,
            (uint64_t)a->count + r->count);
        return true;
    }
    return a->count == 1 && r->count == 1 && r->first > rows_end(a) &&
           rows_go_on(a, r->first, r->bytes);
}

void rows_append(struct rows_list *l, struct rows r)
{
    struct rows *last = l->count ? &l->rows[l->count - 1] : NULL;

    if (last && rows_go_on(last, r.first, r.bytes)) {
        if (r.count == 1)
            return;
        if (last->pitch == r.pitch && (uint64_t)last->count + r.count - 1 <= UINT32_MAX) {
            last->count += r.count - 1;
            return;
        }
        set(&r, r.first + r.pitch, r.bytes, r.pitch, r.count - 1u);
    }
    l->rows = must_grow(l->rows, l->count, &l->capacity, sizeof *l->rows);
    l->rows[l->count++] = r;
}

void rows_gathered(struct rows_list *l)
{
    while (l->count > 1 && go_on(&l->rows[l->count - 2], &l->rows[l->count - 1]))
        l->count--;
}

void rows_gather(struct rows_list *l, const struct rows *r)
{
    if (l->count && go_on(&l->rows[l->count - 1], r))
        return;
    rows_gathered(l);
    l->rows = must_grow(l->rows, l->count, &l->capacity, sizeof *l->rows);
    l->rows[l->count++] = *r;
}

/* Necessary condition of go_on(). */
static bool may_go_on(const struct rows *a, const struct rows *r)
{
    const uint64_t by = r->first - a->first;

    return by == a->bytes || by == a->count * (a->count > 1 ? a->pitch : r->pitch) ||
           (a->count == 1 && r->count == 1);
}

static bool goes_on_at(struct rows_list *l, size_t at, const struct rows *r)
{
    if (at >= l->count || !may_go_on(&l->rows[at], r) || !go_on(&l->rows[at], r))
        return false;
    l->turn = at + 1;
    return true;
}

/* Extends a range for input that arrives in turns. The first turn adds its ranges. Each
   range of a later turn extends the one after the last extended, starting again from the
   first. Other ranges may come between; they start a new first turn. Returns whether it
   extended one. */
static bool goes_on_in_turn(struct rows_list *l, const struct rows *r)
{
    if (goes_on_at(l, l->turn, r) || goes_on_at(l, l->begun, r))
        return true;
    if (l->turn > l->begun)
        l->begun = l->count;
    return false;
}

void rows_gather_turns(struct rows_list *l, const struct rows *r)
{
    enum { TURNS = 8 };
    size_t at = l->count;

    if (goes_on_in_turn(l, r)) {
        at = l->turn - 1;
        if (l->count - at > TURNS)
            return;
    } else {
        l->rows = must_grow(l->rows, l->count, &l->capacity, sizeof *l->rows);
        l->rows[l->count++] = *r;
    }
    for (size_t n = at; n-- > 0 && at - n <= TURNS;) {
        if (!may_go_on(&l->rows[n], &l->rows[at]) || !go_on(&l->rows[n], &l->rows[at]))
            continue;
        l->count--;
        memmove(&l->rows[at], &l->rows[at + 1], (l->count - at) * sizeof *l->rows);
        at = n; /* may now extend an earlier one */
    }
}

bool rows_join(const struct rows *one, uint32_t count, uint64_t step, struct rows *out)
{
    struct rows r = *one;
    const uint64_t others = count - 1;

    if (count > 1 && step >> 63) { /* negative step: the last one is first */
        r.first += others * step;
        step = -step;
    }
    if (count == 1 || step == 0) {
        *out = r;
    } else if (r.count == 1 && step > r.bytes) {
        set(out, r.first, r.bytes, step, count);
    } else if (step <= r.bytes && (r.count == 1 || others * step + r.bytes <= r.pitch)) {
        set(out, r.first, others * step + r.bytes, r.pitch, r.count);
    } else if (r.count > 1 && step == r.count * r.pitch &&
               (uint64_t)r.count * count <= UINT32_MAX) {
        set(out, r.first, r.bytes, r.pitch, (uint64_t)r.count * count);
    } else {
        return false;
    }
    return true;
}
