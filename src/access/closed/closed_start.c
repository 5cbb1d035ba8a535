/* SPDX-License-Identifier: Apache-2.0 */
/* Start of a decomposed form: the part that all threads of a CTA share in an iteration. */
#include <string.h>

#include "access/closed/closed_quotient.h"
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

static uint64_t curve_at(const struct closed_view *v, const struct closed_curve *c,
                         const struct closed_loops *loops, const int64_t *outer)
{
    struct access_point p = closed_point(v->launch);
    uint64_t value = 0;

    for (unsigned n = 0; n < 3; n++)
        p.ctaid[n] = (uint32_t)outer[n];
    for (uint32_t n = 0; n < loops->count; n++)
        v->begun[loops->loop[n]] = (uint64_t)outer[3 + n] + 1;
    p.trips = v->begun;
    (void)access_value(v->analysis, c->form, &p, &value); /* all symbols have values */
    return value;
}

int64_t closed_form_start(const struct closed_view *v, const struct closed_form *f,
                          const struct closed_loops *loops, const int64_t *outer)
{
    const uint32_t count = 3 + loops->count;
    uint64_t sum = (uint64_t)closed_line_at(&f->line, outer, count);

    for (const struct closed_curve *c = f->curves; c; c = c->next)
        sum += curve_at(v, c, loops, outer);
    for (const struct closed_multiple *m = f->multiples; m; m = m->next)
        sum += (uint64_t)m->factor *
               (uint64_t)(closed_line_at(&m->of->line, outer, count) / m->of->divisor);
    return (int64_t)sum;
}

bool closed_form_moves_alike(const struct closed_form *a, const struct closed_form *b)
{
    const struct closed_curve *c = a->curves, *d = b->curves;
    const struct closed_multiple *m = a->multiples, *n = b->multiples;

    for (; c && d && form_equal(c->form, d->form); c = c->next)
        d = d->next;
    for (; m && n && m->of == n->of && m->factor == n->factor; m = m->next)
        n = n->next;
    return !c && !d && !m && !n && !memcmp(a->line.step, b->line.step, sizeof a->line.step);
}
