/* SPDX-License-Identifier: Apache-2.0 */
#include "access/loops/exact_trips.h"

/* start + step * K, both known numbers. */
struct line {
    int64_t start, step;
};

struct iteration {
    struct forms *forms;
    uint32_t loop;
    int64_t is;
};

static const struct access_form *at_iteration(void *context, uint32_t symbol)
{
    const struct iteration *i = context;
    const struct access_symbol *y = &i->forms->symbols[symbol];

    return y->kind == ACCESS_ITERATION && y->loop == i->loop
               ? form_constant(i->forms, i->is)
               : NULL;
}

/* Whether K occurs only as a linear factor of terms. */
static bool is_linear(const struct facts *f, const struct access_form *form, uint32_t loop)
{
    for (uint32_t i = 0; i < form->count; i++) {
        unsigned times = 0;

        for (uint32_t k = 0; k < form->terms[i].degree; k++) {
            const struct access_symbol *y = &f->forms.symbols[form->terms[i].symbols[k]];

            if (y->kind == ACCESS_ITERATION && y->loop == loop)
                times++;
            else if (y->holds >> ACCESS_ITERATION & 1)
                return false;
        }
        if (times > 1)
            return false;
    }
    return true;
}

static bool value_at(struct facts *f, const struct access_form *form, uint32_t loop,
                     int64_t iteration, int64_t *out)
{
    struct iteration i = {&f->forms, loop, iteration};
    const struct access_form *there = form_map(&f->forms, form, at_iteration, &i);
    struct range r;

    if (!there || !range_of(&f->view, there, &r) || r.low != r.high)
        return false;
    *out = r.low;
    return true;
}

static bool find_line(struct facts *f, const struct access_form *form, uint32_t loop,
                      struct line *out)
{
    int64_t next;

    return form && is_linear(f, form, loop) && value_at(f, form, loop, 0, &out->start) &&
           value_at(f, form, loop, 1, &next) &&
           !__builtin_sub_overflow(next, out->start, &out->step);
}

/* Value at an iteration; false if it lies outside the comparison's type. */
static bool line_at(const struct line *l, const struct access_condition *c,
                    int64_t iteration, int64_t *out)
{
    int64_t by, most;

    if (c->bits > 32 || __builtin_mul_overflow(l->step, iteration, &by) ||
        __builtin_add_overflow(l->start, by, out))
        return false;
    most = ((int64_t)1 << (c->bits - c->is_signed)) - 1;
    return *out <= most && *out >= (c->is_signed ? -most - 1 : 0);
}

static bool compare(enum access_comparison by, int64_t left, int64_t right)
{
    switch (by) {
    case ACCESS_EQ:
        return left == right;
    case ACCESS_NE:
        return left != right;
    case ACCESS_LT:
        return left < right;
    case ACCESS_LE:
        return left <= right;
    case ACCESS_GT:
        return left > right;
    case ACCESS_GE:
        return left >= right;
    }
    return false;
}

/* Whether the loop repeats in all of `trips` iterations but the last. A linear comparison
   that holds at both ends holds between them; two lines that meet at the end meet nowhere
   else. */
static bool ends_after(const struct access_guard *g, const struct line *left,
                       const struct line *right, int64_t trips)
{
    const struct access_condition *c = g->condition;
    const bool differs = c->comparison == (g->negated ? ACCESS_EQ : ACCESS_NE);
    const bool equals = c->comparison == (g->negated ? ACCESS_NE : ACCESS_EQ);
    const int64_t at[] = {trips - 1, 0, trips - 2};

    if ((differs && left->step == right->step && trips > 1) || (equals && trips > 2))
        return false;
    for (int n = 0; n < 3; n++) {
        int64_t a, b;

        if (at[n] < 0 || (n && trips == 1))
            continue;
        if (!line_at(left, c, at[n], &a) || !line_at(right, c, at[n], &b) ||
            (compare(c->comparison, a, b) != g->negated) != (n > 0))
            return false;
    }
    return true;
}

bool exact_trips(struct facts *f, const struct access_analysis *a, uint32_t loop,
                 int64_t *out)
{
    const struct access_loop *l = &a->loops[loop];
    const struct access_guard *g = &l->repeats;
    const int64_t most = f->view.trips ? f->view.trips[loop] : -1;
    struct line left, right;

    if (most < 1 || !l->repeats_decide || !g->condition ||
        g->condition->kind != ACCESS_COMPARE || !facts_fit(f, a->ranges, a->range_count) ||
        !facts_fit(f, g->ranges, g->range_count) ||
        !find_line(f, g->condition->left, loop, &left) ||
        !find_line(f, g->condition->right, loop, &right) ||
        !ends_after(g, &left, &right, most))
        return false;
    *out = most;
    return true;
}
