/* SPDX-License-Identifier: Apache-2.0 */
/* Length of runs over which a group advances in equal steps, so that its writes are
   computed once. */
#include "access/closed/closed_group.h"
#include "access/closed/closed_quotient.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A quotient does so until some thread reaches the next value. */
static int64_t quotient_even(const struct closed_quotient *q,
                             const struct closed_loops *loops, const int64_t *outer,
                             uint32_t of, int64_t *step)
{
    const int64_t by = q->line.step[of], left = by % q->divisor;

    *step = by / q->divisor;
    if (by < 0)
        return 1;
    if (!left)
        return INT64_MAX;
    return closed_quotient_phase(q, closed_line_at(&q->line, outer, 3 + loops->count))
                   .more /
               left +
           1;
}

/* Number of consecutive values of outer variable `of`, from the current one on, over which
   the form advances by *step. */
static int64_t form_even(const struct closed_form *f, const struct closed_loops *loops,
                         const int64_t *outer, uint32_t of, int64_t *step)
{
    uint64_t sum = (uint64_t)f->line.step[of];
    int64_t count = f->curves ? 1 : INT64_MAX, by;

    for (const struct closed_multiple *m = f->multiples; m && count > 1; m = m->next) {
        count = least(count, quotient_even(m->of, loops, outer, of, &by));
        sum += (uint64_t)m->factor * (uint64_t)by;
    }
    *step = (int64_t)sum;
    return count;
}

/* Number of values over which the fact selects the same threads: all, none, or those of the
   current value. */
static int64_t fact_alike(const struct closed_group *g, const struct closed_fact *is,
                          const int64_t *outer, uint32_t of)
{
    int64_t step, count;

    if (is->after >= 0 && outer[is->after] == 0)
        return (uint32_t)is->after == of ? 1 : INT64_MAX;
    count = form_even(&is->form, &g->loops, outer, of, &step);
    if (count == 1 || step == 0)
        return count;
    const int64_t room = is->most - closed_form_start(g->view, &is->form, &g->loops, outer);
    const struct range inner = closed_group_inner(g, &is->form, outer);

    if (room >= inner.high)
        return step < 0 ? count : least(count, (room - inner.high) / step + 1);
    if (room < inner.low)
        return step > 0 ? count : least(count, (inner.low - 1 - room) / -step + 1);
    return 1;
}

uint32_t closed_group_alike(const struct closed_group *g, const int64_t *outer, uint32_t of,
                            uint32_t most, int64_t *step)
{
    int64_t count = least(most, form_even(&g->at, &g->loops, outer, of, step));

    for (uint32_t n = 0; n < g->fact_count && count > 1; n++)
        count = least(count, fact_alike(g, g->facts[n].fact, outer, of));
    if (count == 1)
        *step = 0;
    return (uint32_t)count;
}
