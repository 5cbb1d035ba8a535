/* SPDX-License-Identifier: Apache-2.0 */
#include "access/bounds/bounding.h"

void facts_open(struct facts *f, struct arena *arena, const struct access_analysis *a,
                const struct access_launch *l, const int64_t *trips)
{
    f->forms =
        (struct forms){.arena = arena, .symbols = a->symbols, .count = a->symbol_count};
    f->view = (struct range_view){.symbols = a->symbols, .launch = l, .trips = trips};
    f->in_pairs = f->in_turn = false;
    f->tried = arena_alloc(arena, sizeof *f->tried);
    f->count = 0;
}

static void add(struct facts *f, const struct access_condition *c,
                const struct access_form *more, const struct access_form *less,
                int64_t most)
{
    const struct access_form *d = facts_known(f, form_add(&f->forms, more, less, -1));

    if (d && f->count < FACTS_MAX)
        f->facts[f->count++] = (struct fact){.form = d, .most = most, .from = c};
}

/* The symbol of a form that is an `and` with 2^n - 1; NULL for another form. */
static const struct access_symbol *mask_of(const struct facts *f,
                                           const struct access_form *form, int64_t *mask)
{
    const struct access_symbol *y;

    if (form->count != 1 || form->terms[0].degree != 1 || form->terms[0].factor != 1)
        return NULL;
    y = &f->forms.symbols[form->terms[0].symbols[0]];
    if (y->kind != ACCESS_FUNCTION || y->function != ACCESS_AND ||
        !form_is_constant(y->right, mask) || *mask <= 0 || *mask & (*mask + 1))
        return NULL;
    return y;
}

/* Facts of (x & mask) != value: for each other (x + n) & mask, it differs from value +
   n. */
static void add_unequal_mask(struct facts *f, const struct access_condition *c)
{
    int64_t mask, other, value, n;
    const struct access_symbol *y = mask_of(f, c->left, &mask);
    uint32_t count = f->forms.count;

    if (!y || !form_is_constant(c->right, &value) || value < 0 || value > mask)
        return; /* never equal to such a number */
    for (uint32_t s = 0; s < count; s++) {
        const struct access_form *z = form_of(&f->forms, s);
        const struct access_symbol *o = mask_of(f, z, &other);

        if (!o || other != mask || o->bits != y->bits ||
            !form_is_constant(form_add(&f->forms, o->left, y->left, -1), &n))
            continue;
        if (((value + n) & mask) == 0)
            add(f, c, form_constant(&f->forms, 1), z, 0);
        if (((value + n) & mask) == mask)
            add(f, c, z, form_constant(&f->forms, mask - 1), 0);
    }
}

/* Facts of "x without its low bits differs from value" at either end of x's interval. */
static void add_unequal_multiple(struct facts *f, const struct access_condition *c)
{
    int64_t unit, value;
    const struct access_form *x = facts_multiple(f, c->left, &unit);
    struct range r;

    if (!x || !form_is_constant(c->right, &value) || value % unit ||
        !range_of(&f->view, x, &r) || r.low < 0)
        return;
    if (value == r.low - r.low % unit)
        add(f, c, form_constant(&f->forms, value + unit), x, 0);
    if (value == r.high - r.high % unit)
        add(f, c, x, form_constant(&f->forms, value - 1), 0);
}

/* a != b implies a fact if the order of both is known. */
static void add_unequal(struct facts *f, const struct access_condition *c)
{
    const struct access_form *d = form_add(&f->forms, c->left, c->right, -1);
    struct range r;

    add_unequal_mask(f, c);
    add_unequal_multiple(f, c);
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

bool facts_add_unsigned(struct facts *f, const struct access_condition *c, bool negated)
{
    static const enum access_comparison opposite[] = {ACCESS_NE, ACCESS_EQ, ACCESS_GE,
                                                      ACCESS_GT, ACCESS_LE, ACCESS_LT};
    enum access_comparison is = negated ? opposite[c->comparison] : c->comparison;
    bool is_swapped = is == ACCESS_GT || is == ACCESS_GE;
    const struct access_form *small = is_swapped ? c->right : c->left;
    const struct access_form *large = is_swapped ? c->left : c->right;
    struct range r;

    if (c->is_signed || c->bits > 32 || is == ACCESS_EQ || is == ACCESS_NE ||
        !range_fits(&f->view, large, c->bits - 1u, false) ||
        !range_of(&f->view, small, &r) || r.low < -((int64_t)1 << (c->bits - 1)) ||
        r.high >= (int64_t)1 << c->bits)
        return false;
    facts_add(f, c, negated);
    add(f, c, form_constant(&f->forms, 0), small, 0);
    return true;
}

const struct access_form *facts_replaced(struct facts *f, const struct access_form *d,
                                         uint32_t term, bool right)
{
    const struct access_term *t = &d->terms[term];
    const struct access_symbol *y = &f->forms.symbols[t->symbols[0]];
    const struct access_form *by = right ? y->right : y->left, *more;
    int64_t mask;

    if (t->degree != 1 || y->kind != ACCESS_FUNCTION)
        return NULL;
    if (y->function == ACCESS_AND
            ? right || t->factor > 0 || y->bits < 32 ||
                  !form_is_constant(y->right, &mask) || mask < 0 || !facts_natural(f, by)
            : y->function != (t->factor < 0 ? ACCESS_MIN : ACCESS_MAX) ||
                  !range_fits(&f->view, by, y->bits, y->is_signed))
        return NULL;
    y = &f->forms.symbols[t->symbols[0]]; /* by index: the symbols may have moved */
    more = form_add(&f->forms, by, form_of(&f->forms, t->symbols[0]), -1);
    return form_add(&f->forms, d, more, t->factor);
}

/* Whether a fact from `first` on implies this one already: two terms may be replaced in
   either order. */
static bool fact_is_implied(const struct facts *f, uint32_t first, const struct fact *what)
{
    for (uint32_t i = first; i < f->count; i++)
        if (f->facts[i].most <= what->most && form_equal(f->facts[i].form, what->form))
            return true;
    return false;
}

static void add_new(struct facts *f, uint32_t first, struct fact what)
{
    if (f->count < FACTS_MAX && !fact_is_implied(f, first, &what))
        f->facts[f->count++] = what;
}

/* Adds the consequences, by facts_replaced() and facts_floored(), of the facts from `first`
   on. */
static void relax(struct facts *f, uint32_t first)
{
    for (uint32_t i = first; i < f->count; i++) {
        const struct fact of = f->facts[i];
        struct fact what;

        for (uint32_t k = 0; k < 2 * of.form->count; k++) {
            const struct access_form *d = facts_replaced(f, of.form, k / 2, k % 2);

            if (d)
                add_new(f, first,
                        (struct fact){.form = d, .most = of.most, .from = of.from});
        }
        for (uint32_t k = 0; k < of.form->count && f->count < FACTS_MAX; k++)
            if (facts_floored(f, &of, k, &what))
                add_new(f, first, what);
    }
}

void facts_add_positive(struct facts *f, const struct access_form *form,
                        const struct access_condition *from)
{
    uint32_t first = f->count;

    add(f, from, form_constant(&f->forms, 1), form, 0);
    relax(f, first);
}

bool facts_fit(const struct facts *f, const struct access_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!range_fits(&f->view, ranges[i].form, ranges[i].bits, ranges[i].is_signed))
            return false;
    return true;
}

/* Like facts_are_whole(), under the current facts. */
static bool is_whole(struct facts *f, const struct access_form *form,
                     const struct access_condition *c)
{
    int64_t most = c->bits < 64 ? ((int64_t)1 << (c->bits - c->is_signed)) - 1 : INT64_MAX;
    int64_t least = c->is_signed ? -most - 1 : 0;
    struct range r;

    return range_fits(&f->view, form, c->bits, c->is_signed) ||
           (facts_bound(f, form, &r) && r.low >= least && r.high <= most) ||
           (facts_bound_deep(f, form, &r) && r.low >= least && r.high <= most);
}

/* Like facts_add(), for integer comparisons only. */
static void add_whole(struct facts *f, const struct access_condition *c, bool negated)
{
    switch (c->kind) {
    case ACCESS_COMPARE:
        if (is_whole(f, c->left, c) && is_whole(f, c->right, c))
            add_comparison(f, c, negated);
        else
            facts_add_unsigned(f, c, negated);
        break;
    case ACCESS_UNLESS:
        add_whole(f, c->first, !negated);
        break;
    case ACCESS_BOTH:
    case ACCESS_EITHER:
        if (negated != (c->kind == ACCESS_EITHER))
            break;
        add_whole(f, c->first, negated);
        add_whole(f, c->second, negated);
        break;
    case ACCESS_UNSURE:
        break;
    }
}

/* Drops facts about forms with a single known value: they only take up room. */
static void drop_plain(struct facts *f, uint32_t first)
{
    uint32_t kept = first;
    struct range r;

    for (uint32_t i = first; i < f->count; i++)
        if (!range_of(&f->view, f->facts[i].form, &r) || r.low != r.high ||
            r.high > f->facts[i].most)
            f->facts[kept++] = f->facts[i];
    f->count = kept;
}

void facts_add_guards(struct facts *f, const struct access_guard *guards, uint32_t count)
{
    uint32_t first = f->count;

    for (uint32_t i = 0; i < count && f->count < FACTS_MAX; i++)
        if (facts_fit(f, guards[i].ranges, guards[i].range_count)) {
            const uint32_t before = f->count;

            add_whole(f, guards[i].condition, guards[i].negated);
            drop_plain(f, before);
        }
    relax(f, first);
}

bool facts_contradict(struct facts *f)
{
    struct bounding b;
    struct range r;
    bool is = false;

    for (uint32_t i = 0; i < f->count && !is; i++)
        is = range_of(&f->view, f->facts[i].form, &r) && r.low > f->facts[i].most;
    if (is)
        return true;
    bounding_open(&b, f);
    for (uint32_t i = 0; i < f->count && !is; i++)
        is = bounding_deep(&b, f->facts[i].form, &r) && r.low > f->facts[i].most;
    bounding_close(&b);
    return is;
}
