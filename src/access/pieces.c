/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes an access touches, in pieces. What lies around an end, (i + n - 1) % n, or is
   chosen, would have everything between as its bounds: each case has its own. */
#include "access/extent.h"

enum { CASES_MAX = 3, DEPTH_MAX = 4 };

struct pieces {
    struct access_span *spans;
    uint32_t count;
    struct range all; /* places, from each of which `length` bytes are touched */
    int64_t length;
};

/* A symbol taken to be one of few forms; then `facts` hold, at most two. */
struct cases {
    uint32_t symbol, count;
    struct one_case {
        const struct access_form *is;
        struct fact facts[2];
        uint32_t fact_count;
    } each[CASES_MAX];
};

static const struct access_form *take(void *context, uint32_t symbol)
{
    const struct cases *c = context;

    return symbol == c->symbol ? c->each[c->count].is : NULL;
}

static bool choose(const struct access_symbol *y, struct cases *c)
{
    if (y->choice_count > CASES_MAX)
        return false;
    c->count = y->choice_count;
    for (uint32_t i = 0; i < y->choice_count; i++)
        c->each[i] = (struct one_case){.is = y->choices[i]};
    return true;
}

/* What is divided by, 0 for nothing; x & 2^n - 1 is x % 2^n. */
static int64_t divisor_of(const struct extent *e, const struct access_symbol *y)
{
    struct range r;

    if (!extent_of(e, y->right, &r) || r.low != r.high || r.low <= 0)
        return 0;
    if (y->function == ACCESS_REM)
        return r.low;
    if (y->function != ACCESS_AND || r.low == INT64_MAX)
        return 0;
    return r.low & (r.low + 1) ? 0 : r.low + 1;
}

/* A remainder is what is divided less a multiple, of which there can be few. */
static bool divide(struct extent *e, const struct access_symbol *y, struct cases *c)
{
    struct forms *forms = &e->facts.forms;
    int64_t by = divisor_of(e, y), most = (int64_t)1 << (y->bits < 62 ? y->bits - 1 : 61);
    const struct access_form *left = facts_known(&e->facts, y->left);
    struct range r, plain;

    if (!by || !left || !extent_of(e, left, &r) || r.low < 0 || r.high >= most ||
        r.high / by - r.low / by >= CASES_MAX)
        return false;
    if (range_of(&e->facts.view, left, &plain) && plain.low >= 0 &&
        plain.low / by == plain.high / by) /* its bounds are known without that */
        return false;
    c->count = 0;
    for (int64_t q = r.low / by; q <= r.high / by; q++) {
        struct one_case *o = &c->each[c->count++];

        o->is = form_add(forms, left, form_constant(forms, q * by), -1);
        o->facts[0] = (struct fact){.form = left, .most = q * by + by - 1};
        o->facts[1] = (struct fact){
            .form = form_add(forms, form_constant(forms, 0), left, -1), .most = -q * by};
        o->fact_count = 2;
        if (!o->is || !o->facts[1].form)
            return false;
    }
    return true;
}

static bool find_cases(struct extent *e, const struct access_form *f, struct cases *c)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol y = e->facts.forms.symbols[f->terms[i].symbols[k]];

            c->symbol = f->terms[i].symbols[k];
            if (y.kind == ACCESS_CHOICE ? choose(&y, c)
                                        : y.kind == ACCESS_FUNCTION && divide(e, &y, c))
                return true;
        }
    return false;
}

static bool add_pieces(const struct extent *e, const struct access_form *f, unsigned depth,
                       struct pieces *out);

/* Case `c->count` alone. */
static bool add_case(const struct extent *e, const struct access_form *f, struct cases *c,
                     unsigned depth, struct pieces *out)
{
    const struct one_case *o = &c->each[c->count];
    struct extent now = *e;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < e->facts.count; i++) {
        struct fact at = e->facts.facts[i];

        at.form = form_map(&now.facts.forms, at.form, take, c);
        if (at.form)
            now.facts.facts[kept++] = at;
    }
    for (uint32_t i = 0; i < o->fact_count && kept < FACTS_MAX; i++)
        now.facts.facts[kept++] = o->facts[i];
    now.facts.count = kept;
    f = form_map(&now.facts.forms, f, take, c);
    return f && add_pieces(&now, f, depth + 1, out);
}

static bool add_span(const struct extent *e, const struct access_form *f,
                     struct pieces *out)
{
    struct range at;

    if (!extent_of(e, f, &at))
        return false;
    at.low = at.low > out->all.low ? at.low : out->all.low;
    at.high = at.high < out->all.high ? at.high : out->all.high;
    if (at.high < at.low) /* nobody comes here by this case */
        return true;
    if (out->count == ACCESS_SPANS_MAX)
        return false;
    out->spans[out->count++] = (struct access_span){at.low, at.high + out->length};
    return true;
}

static bool add_pieces(const struct extent *e, const struct access_form *f, unsigned depth,
                       struct pieces *out)
{
    struct extent now = *e;
    struct cases c;

    if (depth == DEPTH_MAX || !find_cases(&now, f, &c))
        return add_span(e, f, out);
    for (uint32_t left = c.count; left-- > 0;) {
        c.count = left;
        if (!add_case(&now, f, &c, depth, out))
            return false;
    }
    return true;
}

/* Bytes from the first one on, at most; false if that is not known. */
static bool length_of(const struct extent *e, const struct access_record *r, int64_t *out)
{
    const struct access_hull *h = &r->hull;
    struct range step;

    *out = r->state == ACCESS_CLOSED ? r->bytes : h->bytes;
    if (r->state == ACCESS_CLOSED || !h->steps)
        return *out > 0;
    if (!extent_of(e, h->step, &step) || step.low < 0 || step.high > INT32_MAX)
        return false;
    *out += (int64_t)h->steps * step.high;
    return true;
}

bool access_extent(const struct access_analysis *a, const struct access_record *r,
                   const struct access_launch *l, const int64_t *trips,
                   struct access_span spans[ACCESS_SPANS_MAX], uint32_t *count)
{
    const struct access_form *form = r->state == ACCESS_CLOSED ? r->form : r->hull.from;
    struct pieces out = {.spans = spans};
    struct arena arena = {0};
    struct extent e;
    int64_t bounds[2];
    bool known;

    if (!form)
        return false;
    extent_open(&e, &arena, a, r, l, trips);
    known = !extent_wraps(&e, r, bounds, &known) && length_of(&e, r, &out.length) &&
            extent_of(&e, form, &out.all) && out.all.high <= INT64_MAX - out.length;
    if (known && out.all.low <= out.all.high && !add_pieces(&e, form, 0, &out)) {
        spans[0] = (struct access_span){out.all.low, out.all.high + out.length};
        out.count = 1; /* too many: all of them together */
    }
    arena_clear(&arena);
    *count = out.count;
    return known;
}
