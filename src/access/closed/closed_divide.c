/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_divide.h"

#include <string.h>

#include "access/closed/closed_quotient.h"
#include "access/form/divisor.h"
#include "base/memory.h"

struct closed_division closed_division_of(enum access_function f, int64_t right)
{
    bool is_mask = f == ACCESS_AND && right > 0 && !(right & (right + 1));

    if ((f == ACCESS_DIV || f == ACCESS_REM) && right > 0)
        return (struct closed_division){.divisor = right, .is_remainder = f == ACCESS_REM};
    if (f == ACCESS_SHR && right >= 0 && right < 62)
        return (struct closed_division){.divisor = (int64_t)1 << right};
    if (is_mask && right < (int64_t)1 << 61)
        return (struct closed_division){.divisor = right + 1, .is_remainder = true};
    return (struct closed_division){0};
}

/* Greatest common divisor of the divisor and all steps. */
static int64_t grain_of(const struct closed_line *l, int64_t divisor)
{
    for (unsigned n = 0; n < CLOSED_OUTER; n++)
        divisor = common_divisor(divisor, l->step[n]);
    return divisor;
}

/* a + factor * b, modulo 2^64 like addresses. */
static int64_t plus(int64_t a, int64_t factor, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)factor * (uint64_t)b);
}

/* Adds factor times the form. */
static void add(struct closed_view *v, const struct closed_form *f, int64_t factor,
                struct closed_form *out)
{
    out->line.constant = plus(out->line.constant, factor, f->line.constant);
    for (unsigned n = 0; n < CLOSED_OUTER; n++)
        out->line.step[n] = plus(out->line.step[n], factor, f->line.step[n]);
    for (uint32_t t = 0; t < v->threads; t++)
        out->inner[t] = plus(out->inner[t], factor, f->inner[t]);
    for (const struct closed_multiple *m = f->multiples; m; m = m->next)
        closed_form_add_quotient(v, out, m->of, plus(0, factor, m->factor));
}

static bool add_between(int64_t by, int64_t low, int64_t high, struct range *sum)
{
    return !__builtin_mul_overflow(by, by < 0 ? high : low, &low) &&
           !__builtin_mul_overflow(by, by < 0 ? low : high, &high) &&
           !__builtin_add_overflow(sum->low, low, &sum->low) &&
           !__builtin_add_overflow(sum->high, high, &sum->high);
}

static bool add_line(const struct closed_view *v, const struct closed_line *l,
                     const struct closed_loops *loops, struct range *sum)
{
    const struct access_launch *at = v->launch;
    bool known = add_between(1, l->constant, l->constant, sum);

    for (unsigned n = 0; n < 3 && known; n++) {
        const uint32_t end = at->ctaid_end[n] ? at->ctaid_end[n] : at->nctaid[n];

        known = add_between(l->step[n], at->ctaid_first[n], (int64_t)end - 1, sum);
    }
    for (uint32_t n = 0; n < loops->count && known; n++) {
        const int64_t trips = v->trips[loops->loop[n]];

        known = trips >= 0 && add_between(l->step[3 + n], 0, trips ? trips - 1 : 0, sum);
    }
    return known;
}

/* The dividend minus a multiple of its quotient is a remainder, whose interval is known. */
static bool range_of_parts(struct closed_view *v, const struct closed_form *f,
                           const struct closed_loops *loops, struct range *out)
{
    struct closed_form left = {.line = f->line};
    struct range sum = {0, 0};
    bool known = !f->curves;

    left.inner = arena_alloc(v->arena, (v->threads + 1u) * sizeof *left.inner);
    memcpy(left.inner, f->inner, v->threads * sizeof *left.inner);
    for (const struct closed_multiple *m = f->multiples; m && known; m = m->next) {
        const struct closed_quotient *q = m->of;
        const struct closed_form of = {.line = q->line, .inner = q->inner};
        const bool is_rest = m->factor < 0 && m->factor % q->divisor == 0;
        const int64_t times = m->factor / -q->divisor;

        if (is_rest)
            add(v, &of, -times, &left);
        known = is_rest ? add_between(times, 0, q->divisor - 1, &sum)
                        : add_between(m->factor, 0, q->high / q->divisor, &sum);
    }
    for (uint32_t t = 0; t < v->threads; t++) {
        left.least = t && left.least < left.inner[t] ? left.least : left.inner[t];
        left.most = t && left.most > left.inner[t] ? left.most : left.inner[t];
    }
    known = known && add_between(1, left.least, left.most, &sum) &&
            add_line(v, &left.line, loops, &sum);
    *out = sum;
    return known;
}

bool closed_form_range(struct closed_view *v, const struct closed_form *f,
                       const struct closed_loops *loops, struct range *out)
{
    const struct arena_mark mark = arena_mark(v->arena);
    const bool known = range_of_parts(v, f, loops, out);

    arena_rewind(v->arena, mark);
    return known;
}

/* The part that depends on the CTA and the loops is a multiple of the divisor, so only the
   part of the thread is divided. Adds `by` times the quotient. */
static void divide_inner(const struct closed_view *v, const struct closed_form *of,
                         int64_t divisor, int64_t by, struct closed_form *out)
{
    const int64_t constant = of->line.constant + of->least,
                  rest = (constant % divisor + divisor) % divisor;

    for (uint32_t t = 0; t < v->threads; t++)
        out->inner[t] =
            plus(out->inner[t], by, (of->inner[t] - of->least + rest) / divisor);
    out->line.constant = plus(out->line.constant, by, (constant - rest) / divisor);
    for (unsigned n = 0; n < CLOSED_OUTER; n++)
        out->line.step[n] = plus(out->line.step[n], by, of->line.step[n] / divisor);
}

/* Quotient of another quotient plus a constant. */
static const struct closed_quotient *again(struct closed_view *v,
                                           const struct closed_quotient *q, int64_t more,
                                           int64_t divisor)
{
    const int64_t most = (int64_t)1 << 61;
    struct closed_line line = q->line;
    int64_t high;

    if (__builtin_mul_overflow(more, q->divisor, &more) ||
        __builtin_add_overflow(q->high, more, &high) ||
        __builtin_mul_overflow(divisor, q->divisor, &divisor) || high >= most ||
        divisor >= most)
        return NULL;
    line.constant += more;
    return closed_quotient_find(v, &line, q->inner, high, divisor);
}

/* Dividend without multiples of the divisor, whose quotients are added separately. */
struct dividend {
    struct closed_form left;            /* without quotients */
    const struct closed_quotient *once; /* the only quotient in the dividend; NULL: none */
    struct range range;                 /* of `left` */
};

static bool take_out(struct closed_view *v, const struct closed_form *of,
                     const struct closed_loops *loops, int64_t high, int64_t divisor,
                     struct dividend *d)
{
    const int64_t most = (int64_t)1 << 55; /* sums do not overflow */
    int64_t part;

    *d = (struct dividend){.left = *of, .range = {0, high}};
    d->left.multiples = NULL;
    for (const struct closed_multiple *m = of->multiples; m; m = m->next) {
        if (__builtin_mul_overflow(m->factor, m->of->high / m->of->divisor, &part) ||
            part <= -most || part >= most)
            return false;
        if (m->factor % divisor == 0)
            continue;
        if (m->factor != 1 || d->once)
            return false;
        d->once = m->of;
    }
    return !of->multiples || (closed_form_range(v, &d->left, loops, &d->range) &&
                              d->range.low >= 0 && d->range.high < INT64_MAX / 4);
}

bool closed_divide(struct closed_view *v, const struct closed_form *of,
                   const struct closed_loops *loops, int64_t high, struct closed_division d,
                   int64_t factor, struct closed_form *out)
{
    const int64_t by = d.is_remainder ? plus(0, -d.divisor, factor) : factor;
    const struct closed_quotient *q = NULL;
    struct dividend is;

    if (of->curves || !take_out(v, of, loops, high, d.divisor, &is))
        return false;
    const bool inner = !is.once && grain_of(&of->line, d.divisor) == d.divisor;

    if (is.once && is.range.low == is.range.high)
        q = again(v, is.once, is.range.low, d.divisor);
    else if (!is.once && !inner)
        q = closed_quotient_find(v, &is.left.line, is.left.inner, is.range.high, d.divisor);
    if (!inner && !q)
        return false;
    if (d.is_remainder)
        add(v, of, factor, out);
    for (const struct closed_multiple *m = of->multiples; m; m = m->next)
        if (m->factor % d.divisor == 0)
            closed_form_add_quotient(v, out, m->of, plus(0, by, m->factor / d.divisor));
    if (inner)
        divide_inner(v, &is.left, d.divisor, by, out);
    else
        closed_form_add_quotient(v, out, q, by);
    return true;
}
