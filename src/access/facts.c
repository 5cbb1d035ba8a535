/* SPDX-License-Identifier: Apache-2.0 */
#include "access/facts.h"

void facts_open(struct facts *f, struct arena *arena, const struct access_analysis *a,
                const struct access_launch *l, const int64_t *trips)
{
    f->forms =
        (struct forms){.arena = arena, .symbols = a->symbols, .count = a->symbol_count};
    f->view = (struct range_view){.symbols = a->symbols, .launch = l, .trips = trips};
    f->count = 0;
}

static void add(struct facts *f, const struct access_condition *c,
                const struct access_form *more, const struct access_form *less,
                int64_t most)
{
    const struct access_form *d = form_add(&f->forms, more, less, -1);

    if (d && f->count < FACTS_MAX)
        f->facts[f->count++] = (struct fact){.form = d, .most = most, .from = c};
}

/* a != b says something where it is known which of both is the larger. */
static void add_unequal(struct facts *f, const struct access_condition *c)
{
    const struct access_form *d = form_add(&f->forms, c->left, c->right, -1);
    struct range r;

    if (!d || !range_of(&f->view, d, &r))
        return;
    if (r.low >= 0)
        add(f, c, c->right, c->left, -1);
    if (r.high <= 0)
        add(f, c, c->left, c->right, -1);
}

static void add_comparison(struct facts *f, const struct access_condition *c, bool negated)
{
    static const enum access_comparison opposite[] = {ACCESS_NE, ACCESS_EQ, ACCESS_GE,
                                                      ACCESS_GT, ACCESS_LE, ACCESS_LT};

    switch (negated ? opposite[c->comparison] : c->comparison) {
    case ACCESS_EQ:
        add(f, c, c->left, c->right, 0);
        add(f, c, c->right, c->left, 0);
        break;
    case ACCESS_NE:
        add_unequal(f, c);
        break;
    case ACCESS_LT:
        add(f, c, c->left, c->right, -1);
        break;
    case ACCESS_LE:
        add(f, c, c->left, c->right, 0);
        break;
    case ACCESS_GT:
        add(f, c, c->right, c->left, -1);
        break;
    case ACCESS_GE:
        add(f, c, c->right, c->left, 0);
        break;
    }
}

void facts_add(struct facts *f, const struct access_condition *c, bool negated)
{
    switch (c->kind) {
    case ACCESS_COMPARE:
        add_comparison(f, c, negated);
        break;
    case ACCESS_UNLESS:
        facts_add(f, c->first, !negated);
        break;
    case ACCESS_BOTH:
    case ACCESS_EITHER:
        if (negated != (c->kind == ACCESS_EITHER))
            break;
        facts_add(f, c->first, negated);
        facts_add(f, c->second, negated);
        break;
    case ACCESS_UNSURE:
        break;
    }
}

bool facts_are_whole(const struct facts *f, const struct access_condition *c)
{
    return range_fits(&f->view, c->left, c->bits, c->is_signed) &&
           range_fits(&f->view, c->right, c->bits, c->is_signed);
}

bool facts_fit(const struct facts *f, const struct access_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!range_fits(&f->view, ranges[i].form, ranges[i].bits, ranges[i].is_signed))
            return false;
    return true;
}

void facts_add_guards(struct facts *f, const struct access_guard *guards, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = f->count, kept = f->count;

        if (!facts_fit(f, guards[i].ranges, guards[i].range_count))
            continue;
        facts_add(f, guards[i].condition, guards[i].negated);
        for (uint32_t k = first; k < f->count; k++)
            if (facts_are_whole(f, f->facts[k].from))
                f->facts[kept++] = f->facts[k];
        f->count = kept;
    }
}

bool facts_contradict(const struct facts *f)
{
    struct range r;

    for (uint32_t i = 0; i < f->count; i++)
        if (range_of(&f->view, f->facts[i].form, &r) && r.low > f->facts[i].most)
            return true;
    return false;
}

/* f <= most makes any form at most (form - f) + most, and at least (form + f) - most. */
bool facts_bound(struct facts *f, const struct access_form *form, struct range *out)
{
    bool has_low = range_of(&f->view, form, out), has_high = has_low;
    struct range r;
    int64_t b;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct fact *at = &f->facts[i];
        const struct access_form *over = form_add(&f->forms, form, at->form, -1);
        const struct access_form *under = form_add(&f->forms, form, at->form, 1);

        if (over && range_of(&f->view, over, &r) &&
            !__builtin_add_overflow(r.high, at->most, &b)) {
            out->high = has_high && out->high < b ? out->high : b;
            has_high = true;
        }
        if (under && range_of(&f->view, under, &r) &&
            !__builtin_sub_overflow(r.low, at->most, &b)) {
            out->low = has_low && out->low > b ? out->low : b;
            has_low = true;
        }
    }
    return has_low && has_high;
}
