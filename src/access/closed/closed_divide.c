/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_divide.h"

#include "access/pattern/divisor.h"
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

/* The largest number that divides the divisor and all steps. */
static int64_t grain_of(const struct closed_line *l, int64_t divisor)
{
    for (unsigned n = 0; n < CLOSED_OUTER; n++)
        divisor = common_divisor(divisor, l->step[n]);
    return divisor;
}

/* a + factor * b, in the arithmetic of addresses. */
static int64_t plus(int64_t a, int64_t factor, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)factor * (uint64_t)b);
}

/* The outer part is a multiple of the divisor: only the thread's is divided. */
static void divide_inner(const struct closed_view *v, const struct closed_form *of,
                         struct closed_division d, int64_t shift, int64_t factor,
                         struct closed_form *out)
{
    for (uint32_t t = 0; t < v->threads; t++) {
        int64_t value = of->inner[t] + shift;

        out->inner[t] = plus(out->inner[t], factor,
                             d.is_remainder ? value % d.divisor : value / d.divisor);
    }
    if (d.is_remainder)
        return;
    out->line.constant =
        plus(out->line.constant, factor, (of->line.constant - shift) / d.divisor);
    for (unsigned n = 0; n < CLOSED_OUTER; n++)
        out->line.step[n] = plus(out->line.step[n], factor, of->line.step[n] / d.divisor);
}

/* The thread's part never carries: only the outer one is divided. */
static void divide_outer(const struct closed_view *v, const struct closed_form *of,
                         struct closed_division d, int64_t shift, int64_t factor,
                         struct closed_form *out)
{
    struct closed_curve *c = arena_alloc(v->arena, sizeof *c);

    *c = (struct closed_curve){.next = out->curves,
                               .factor = factor,
                               .divisor = d.divisor,
                               .is_remainder = d.is_remainder,
                               .line = of->line};
    c->line.constant -= shift;
    out->curves = c;
    for (uint32_t t = 0; t < v->threads && d.is_remainder; t++)
        out->inner[t] = plus(out->inner[t], factor, of->inner[t] + shift);
}

bool closed_divide(struct closed_view *v, const struct closed_form *of,
                   struct closed_division d, int64_t factor, struct closed_form *out)
{
    int64_t grain = grain_of(&of->line, d.divisor);
    /* So that the thread's part starts from 0, and the outer one is a multiple again. */
    int64_t constant = of->line.constant + of->least;
    int64_t shift = constant - constant / grain * grain - of->least;

    if (constant < 0)
        return false;
    if (grain == d.divisor)
        divide_inner(v, of, d, shift, factor, out);
    else if (of->most + shift < grain)
        divide_outer(v, of, d, shift, factor, out);
    else
        return false;
    return true;
}
