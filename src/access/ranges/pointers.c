/* SPDX-License-Identifier: Apache-2.0 */
/* Pointer parameters that an access may use. */
#include "access/bounds/extent.h"
#include "base/common_step.h"

enum { POINTER_BYTES = 8, STEP_MAX = 1 << 20 };

/* Greatest common divisor of the differences between values of the form and `first`. No
   part may wrap. */
static uint64_t step_of(const struct access_form *f, uint64_t *first)
{
    uint64_t step = 0;

    *first = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const int64_t factor = f->terms[i].factor;

        if (f->terms[i].degree)
            step = common_step(step, factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor);
        else
            *first = (uint64_t)factor;
    }
    return step && step <= STEP_MAX ? step : 1;
}

static bool place_range(const struct access_analysis *a, const struct access_record *r,
                        const struct access_launch *l, const int64_t *trips,
                        struct range *out)
{
    struct access_record place = *r;
    struct arena arena = {0};
    struct extent e;
    uint32_t next = 0;
    int64_t bounds[2];
    bool known;

    place.ranges = r->member_ranges;
    place.range_count = r->member_range_count;
    extent_open(&e, &arena, a, r, l, trips);
    known = !extent_wraps(&e, &place, &next, bounds, &known) &&
            extent_of(&e, a->symbols[r->member].left, out);
    arena_clear(&arena);
    return known;
}

/* Distance from `from` to the next position that differs from `to` by a multiple of the
   step. */
static uint64_t ahead(int64_t from, int64_t to, uint64_t step)
{
    const int64_t away = (to - from) % (int64_t)step;

    return (uint64_t)(away < 0 ? away + (int64_t)step : away);
}

/* Positions of a selected pointer: its parameter if nothing more is known. Words are
   aligned to their size. */
static void member_pointers(const struct access_analysis *a, const struct access_record *r,
                            const struct access_launch *l, const int64_t *trips,
                            struct access_pointers *out)
{
    const struct access_symbol *y = &a->symbols[r->member];
    struct range at = {0, (int64_t)y->bytes}, known;
    uint64_t step = POINTER_BYTES, of, start;
    int64_t first = -(int64_t)(y->offset % POINTER_BYTES);

    if (place_range(a, r, l, trips, &known)) {
        at.low = known.low > 0 ? known.low : 0;
        at.high = known.high < at.high ? known.high : at.high;
        of = step_of(y->left, &start);
        if (of % POINTER_BYTES == 0) {
            step = of;
            first = (int64_t)start;
        }
    }
    *out = (struct access_pointers){.step = (uint32_t)step};
    for (int64_t p = at.low + (int64_t)ahead(at.low, first, step);
         p <= at.high && p + POINTER_BYTES <= (int64_t)y->bytes; p += (int64_t)step)
        out->first = out->count++ ? out->first : y->offset + (uint32_t)p;
}

bool access_pointers(const struct access_analysis *a, const struct access_record *r,
                     const struct access_launch *l, const int64_t *trips,
                     struct access_pointers *out)
{
    if (r->member >= 0) {
        member_pointers(a, r, l, trips, out);
        return true;
    }
    if (r->base != ACCESS_BASE_PARAMETER ||
        a->symbols[r->base_symbol].bytes != POINTER_BYTES)
        return false;
    *out = (struct access_pointers){
        .first = a->symbols[r->base_symbol].offset, .step = POINTER_BYTES, .count = 1};
    return true;
}
