/* SPDX-License-Identifier: Apache-2.0 */
/* Where forms start that were taken apart: what a CTA in an iteration has in common. */
#include <string.h>

#include "access/closed/closed_form.h"
#include "access/form/form.h"

struct access_point closed_point(const struct access_launch *l)
{
    struct access_point p = {.parameters = l->parameters,
                             .parameter_bytes = l->parameter_bytes,
                             .constants = l->constants};

    memcpy(p.ntid, l->ntid, sizeof p.ntid);
    memcpy(p.nctaid, l->nctaid, sizeof p.nctaid);
    return p;
}

int64_t closed_line_at(const struct closed_line *l, const int64_t *outer, uint32_t count)
{
    uint64_t sum = (uint64_t)l->constant;

    for (uint32_t n = 0; n < count; n++)
        sum += (uint64_t)l->step[n] * (uint64_t)outer[n];
    return (int64_t)sum;
}

static int64_t curve_at(const struct closed_view *v, const struct closed_curve *c,
                        const struct closed_loops *loops, const int64_t *outer)
{
    struct access_point p = closed_point(v->launch);
    uint64_t value = 0;

    if (!c->form) {
        int64_t line = closed_line_at(&c->line, outer, 3 + loops->count);

        value = (uint64_t)(c->is_remainder ? line % c->divisor : line / c->divisor);
        return (int64_t)((uint64_t)c->factor * value);
    }
    for (unsigned n = 0; n < 3; n++)
        p.ctaid[n] = (uint32_t)outer[n];
    for (uint32_t n = 0; n < loops->count; n++)
        v->begun[loops->loop[n]] = (uint64_t)outer[3 + n] + 1;
    p.trips = v->begun;
    (void)access_value(v->analysis, c->form, &p, &value); /* its symbols all have one */
    return (int64_t)value;
}

int64_t closed_form_start(const struct closed_view *v, const struct closed_form *f,
                          const struct closed_loops *loops, const int64_t *outer)
{
    uint64_t sum = (uint64_t)closed_line_at(&f->line, outer, 3 + loops->count);

    for (const struct closed_curve *c = f->curves; c; c = c->next)
        sum += (uint64_t)curve_at(v, c, loops, outer);
    return (int64_t)sum;
}

static bool are_alike(const struct closed_curve *a, const struct closed_curve *b)
{
    if (a->form || b->form)
        return a->form && b->form && form_equal(a->form, b->form);
    return a->factor == b->factor && a->divisor == b->divisor &&
           a->is_remainder == b->is_remainder &&
           !memcmp(&a->line, &b->line, sizeof a->line);
}

bool closed_form_moves_alike(const struct closed_form *a, const struct closed_form *b)
{
    const struct closed_curve *c = a->curves, *d = b->curves;

    for (; c && d && are_alike(c, d); c = c->next)
        d = d->next;
    return !c && !d && !memcmp(a->line.step, b->line.step, sizeof a->line.step);
}
