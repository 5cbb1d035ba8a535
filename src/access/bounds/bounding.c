/* SPDX-License-Identifier: Apache-2.0 */
/* Upper bound of a form by linear combination of facts. A fact d <= most gives form <=
   (form - n d) + n most for every n > 0. The difference changes only the fact's own terms,
   so the other terms are not evaluated again. */
#include "access/bounds/bounding.h"

/* Limit for one access of one device, some milliseconds of time. Later bounds are less
   precise. */
enum { TRIES_MAX = 1 << 15 };
enum { FACTS_DEEP = 2 }; /* facts combined at most */
enum { TURNS_MAX = 4 };  /* greedy steps of a form at most */

__extension__ typedef __int128 wide; /* sum of many 64-bit numbers */

struct bounding_column {
    const struct access_form *term; /* with factor 1 */
    struct bounding_entry *entries; /* of all lines */
    struct range range;
    bool is_computed, is_known;
};

struct bounding_entry {
    struct bounding_line *line;
    struct bounding_entry *next; /* of the same column */
    uint32_t column;
    int64_t factor;
};

/* A fact without its constant, which is on the side of `most`. */
struct bounding_line {
    struct bounding_entry *entries;
    uint32_t count;
    int64_t largest; /* absolute factor, constant included */
    wide most;
    wide slack; /* intervals exceed `most` by this amount: one subtraction of the fact
                   lowers a bound by no more */
    bool is_computed, has_slack;
    struct {
        uint32_t turn;
        int64_t n;
    } last[FACTS_DEEP]; /* last attempt, by number of usable facts less 1 */
};

/* Larger factors are ignored, so that sums of the others do not overflow. */
static bool is_small(int64_t factor)
{
    return factor > -((int64_t)1 << 54) && factor < (int64_t)1 << 54;
}

/* Slot of a term's column in the table, possibly a free one. */
static uint32_t *slot_of(const struct bounding *b, const struct access_term *t)
{
    uint32_t at = t->degree;

    for (uint32_t k = 0; k < t->degree; k++)
        at = (at ^ t->symbols[k]) * 0x9e3779b1u;
    at ^= at >> 16;
    while (b->table[at &= b->table_size - 1] &&
           form_term_order(&b->columns[b->table[at] - 1].term->terms[0], t))
        at++;
    return &b->table[at];
}

static uint32_t add_column(struct bounding *b, const struct access_term *t)
{
    uint32_t *slot = slot_of(b, t);

    if (!*slot) {
        struct access_form *alone =
            arena_alloc(b->facts->forms.arena, sizeof *alone + sizeof *t);

        alone->count = 1;
        alone->terms[0] = *t;
        alone->terms[0].factor = 1;
        b->columns[b->column_count++].term = alone;
        *slot = b->column_count;
    }
    return *slot - 1;
}

static void add_line(struct bounding *b, struct bounding_line *line, const struct fact *of)
{
    line->entries =
        arena_alloc(b->facts->forms.arena, (of->form->count + 1u) * sizeof *line->entries);
    line->most = of->most;
    for (uint32_t i = 0; i < of->form->count; i++) {
        const struct access_term *t = &of->form->terms[i];
        const int64_t size = t->factor == INT64_MIN ? INT64_MAX
                             : t->factor < 0        ? -t->factor
                                                    : t->factor;

        line->largest = size > line->largest ? size : line->largest;
        if (!t->degree) {
            line->most -= t->factor;
            continue;
        }
        const uint32_t column = add_column(b, t);
        struct bounding_entry *e = &line->entries[line->count++];

        *e = (struct bounding_entry){line, b->columns[column].entries, column, t->factor};
        b->columns[column].entries = e;
    }
}

void bounding_open(struct bounding *b, struct facts *f)
{
    struct arena *arena = f->forms.arena;
    uint32_t terms = 0;

    *b = (struct bounding){.facts = f, .mark = arena_mark(arena), .table_size = 16};
    for (uint32_t i = 0; i < f->count; i++)
        terms += f->facts[i].form->count;
    while (b->table_size < 2 * terms)
        b->table_size *= 2;
    b->table = arena_alloc(arena, b->table_size * sizeof *b->table);
    b->columns = arena_alloc(arena, (terms + 1u) * sizeof *b->columns);
    b->lines = arena_alloc(arena, (f->count + 1u) * sizeof *b->lines);
    for (uint32_t i = 0; i < f->count; i++)
        add_line(b, &b->lines[i], &f->facts[i]);
    b->factors = arena_alloc(arena, (b->column_count + 1u) * sizeof *b->factors);
    /* room for terms that a subtraction adds again */
    b->filled = arena_alloc(arena, (b->column_count + TURNS_MAX * ACCESS_TERMS_MAX) *
                                       sizeof *b->filled);
}

void bounding_close(struct bounding *b)
{
    arena_rewind(b->facts->forms.arena, b->mark);
}

/* Upper bound of a form: a sum, and the number of unbounded terms. */
struct most {
    wide sum;
    uint32_t open;
};

static bool most_of(const struct range *r, int64_t factor, int64_t *out)
{
    return !__builtin_mul_overflow(factor < 0 ? r->low : r->high, factor, out);
}

static const struct bounding_column *column_at(struct bounding *b, uint32_t column)
{
    struct bounding_column *c = &b->columns[column];

    if (!c->is_computed) {
        c->is_known = range_of(&b->facts->view, c->term, &c->range);
        c->is_computed = true;
    }
    return c;
}

/* Adds (by = 1) or subtracts (by = -1) the upper bound of factor * column. */
static void count_in(const struct bounding_column *c, int64_t factor, int by,
                     struct most *m)
{
    int64_t most;

    if (!factor)
        return;
    if (c->is_known && most_of(&c->range, factor, &most))
        m->sum += by < 0 ? -(wide)most : most;
    else
        m->open += (uint32_t)by;
}

/* Search for the smallest upper bound of a form with the factors in `of`. */
struct search {
    struct bounding *of;
    wide best;
    bool has_best;
    const struct bounding_line *line; /* fact that gave the best bound */
    int64_t n;
};

static void note(struct search *s, const struct most *m, const struct bounding_line *line,
                 int64_t n)
{
    if (m->open || (s->has_best && s->best <= m->sum))
        return;
    *s = (struct search){s->of, m->sum, true, line, n};
}

/* Multiple of the fact that removes the entry's term or reduces its factor; 0 or less:
   none. */
static int64_t ratio(const struct bounding *b, const struct bounding_entry *e)
{
    const int64_t factor = b->factors[e->column];

    if ((factor < 0) != (e->factor < 0) || !is_small(factor) || !is_small(e->factor))
        return 0;
    return factor % e->factor == 0 ? factor / e->factor : 1;
}

/* Slack of a fact: the excess of the interval bound of its form over `most`. A subtraction
   of the fact cannot lower the bound of a form by more. */
static void find_slack(struct bounding *b, struct bounding_line *line)
{
    struct most all = {-line->most, 0};

    line->has_slack = line->is_computed = true;
    for (uint32_t k = 0; k < line->count; k++) {
        const struct bounding_column *c = column_at(b, line->entries[k].column);

        count_in(c, line->entries[k].factor, 1, &all);
        line->has_slack &= c->is_known && c->range.low <= c->range.high;
    }
    line->has_slack &= !all.open;
    line->slack = all.sum;
}

/* Whether a subtraction may improve the best bound. */
static bool may_help(const struct search *s, const struct most *now,
                     struct bounding_line *line, int64_t n)
{
    if (!line->is_computed)
        find_slack(s->of, line);
    return now->open || !s->has_best || !line->has_slack ||
           now->sum - line->slack * n < s->best;
}

/* Subtracts n times the fact. */
static void take(struct bounding *b, const struct bounding_line *line, int64_t n,
                 struct most *m)
{
    m->sum += line->most * n;
    for (uint32_t k = 0; k < line->count; k++) {
        const struct bounding_entry *e = &line->entries[k];
        const struct bounding_column *c = column_at(b, e->column);
        int64_t *factor = &b->factors[e->column];

        if (!*factor)
            b->filled[b->filled_count++] = e->column;
        count_in(c, *factor, -1, m);
        *factor -= n * e->factor;
        count_in(c, *factor, 1, m);
    }
}

static void put_back(struct bounding *b, const struct bounding_line *line, int64_t n)
{
    for (uint32_t k = 0; k < line->count; k++)
        b->factors[line->entries[k].column] += n * line->entries[k].factor;
}

static void try_all(struct search *s, const struct most *now, unsigned facts);

/* Tries a fact, and up to `facts` - 1 further facts after it. */
static void try_line(struct search *s, const struct most *now, struct bounding_line *line,
                     int64_t n, unsigned facts)
{
    struct bounding *b = s->of;
    const uint32_t filled = b->filled_count;
    struct most left = *now;
    int64_t largest;

    if ((facts == 1 && !may_help(s, now, line, n)) ||
        __builtin_mul_overflow(line->largest, n, &largest) || !is_small(largest))
        return;
    ++*b->facts->tried;
    take(b, line, n, &left);
    note(s, &left, line, n);
    try_all(s, &left, facts - 1);
    put_back(b, line, n);
    b->filled_count = filled;
}

/* Tries all facts that share a term with the remaining form. */
static void try_all(struct search *s, const struct most *now, unsigned facts)
{
    struct bounding *b = s->of;
    const uint32_t turn = ++b->turn;

    for (uint32_t i = 0; facts && i < b->filled_count; i++)
        for (struct bounding_entry *e = b->columns[b->filled[i]].entries; e; e = e->next) {
            const int64_t n = ratio(b, e);

            if (n <= 0 ||
                (e->line->last[facts - 1].turn == turn && e->line->last[facts - 1].n == n))
                continue;
            e->line->last[facts - 1].turn = turn;
            e->line->last[facts - 1].n = n;
            try_line(s, now, e->line, n, facts);
        }
}

/* Bounds of the terms that occur in no fact. */
struct outside {
    struct most most, least; /* `least` is negated */
};

static void count_outside(const struct bounding *b, const struct access_term *t,
                          struct outside *o)
{
    struct access_form *alone =
        arena_alloc(b->facts->forms.arena, sizeof *alone + sizeof *t);
    int64_t most, least;
    struct range r;

    alone->count = 1;
    alone->terms[0] = *t;
    alone->terms[0].factor = 1;
    const bool is_known = range_of(&b->facts->view, alone, &r);

    if (is_known && most_of(&r, t->factor, &most))
        o->most.sum += most;
    else
        o->most.open++;
    r = (struct range){r.high, r.low};
    if (is_known && most_of(&r, t->factor, &least))
        o->least.sum -= least;
    else
        o->least.open++;
}

/* 1 + column of the term; 0: it has none, or its factor is too large. */
static uint32_t column_of(const struct bounding *b, const struct access_term *t)
{
    return t->factor > -((int64_t)1 << 62) && t->factor < (int64_t)1 << 62 ? *slot_of(b, t)
                                                                           : 0;
}

/* Upper bound of the form (sign: 1) or of its negation (sign: -1). */
static bool search(struct bounding *b, const struct access_form *form, int sign,
                   struct most now, struct search *s)
{
    const struct facts *f = b->facts;
    uint32_t column;

    *s = (struct search){.of = b};
    for (uint32_t i = 0; i < form->count; i++)
        if ((column = column_of(b, &form->terms[i])) != 0) {
            b->filled[b->filled_count++] = column - 1;
            b->factors[column - 1] = sign * form->terms[i].factor;
            count_in(column_at(b, column - 1), b->factors[column - 1], 1, &now);
        }
    note(s, &now, NULL, 0);
    try_all(s, &now, f->in_pairs && *f->tried < TRIES_MAX ? 2 : 1);
    for (uint32_t turn = 1; f->in_turn && s->line && turn < TURNS_MAX; turn++) {
        take(b, s->line, s->n, &now);
        s->line = NULL;
        try_all(s, &now, 1);
    }
    while (b->filled_count > 0)
        b->factors[b->filled[--b->filled_count]] = 0;
    return s->has_best;
}

/* Bounds of a form after facts_known(). */
static bool bound(struct bounding *b, const struct access_form *form, struct range *out)
{
    struct outside o = {{0, 0}, {0, 0}};
    struct search most, least;

    for (uint32_t i = 0; i < form->count; i++) {
        const struct access_term *t = &form->terms[i];

        if (t->degree && !column_of(b, t)) {
            count_outside(b, t, &o);
        } else if (!t->degree) {
            o.most.sum += t->factor;
            o.least.sum -= t->factor;
        }
    }
    if (!search(b, form, 1, o.most, &most) || !search(b, form, -1, o.least, &least))
        return false;
    *out = (struct range){(int64_t)-least.best, (int64_t)most.best};
    return out->low == -least.best && out->high == most.best;
}

bool bounding_of(struct bounding *b, const struct access_form *form, struct range *out)
{
    form = facts_known(b->facts, form);
    return form && bound(b, form, out);
}
