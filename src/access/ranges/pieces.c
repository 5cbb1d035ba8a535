/* SPDX-License-Identifier: Apache-2.0 */
/* Byte ranges of an access, in pieces. The bounds of a wrap-around index (i + n - 1) % n,
   or of a choice, would include everything between the cases. Each case therefore has its
   own pieces, and so has each side of `i < a || i >= b`. */
#include "access/ranges/cases.h"

enum { DEPTH_MAX = 3, TRIES_MAX = 24 };

/* Limits for strided ranges: the gap between rows is at least `gap` bytes and at least
   `times` the length of a row. The first limit accepts few rows far apart, such as planes.
   Otherwise bytes at one position of each row of all planes would be attributed to
   neighbouring rows. The second limit covers the rows of loops that clang does not unroll
   and nvcc unrolls by four. */
static const struct row_limits {
    int64_t gap, times, rows;
} limits[] = {{1024, 0, 64}, {64, 1, 1 << 16}};
enum { LIMITS = sizeof limits / sizeof limits[0] };

struct pieces {
    struct access_span *spans;
    uint32_t count, tries;
    bool has_edges;   /* partial first and last rows are separate */
    struct range all; /* positions; each accesses `length` bytes */
    int64_t length;
};

static const struct access_form *take(void *context, uint32_t symbol)
{
    const struct cases *c = context;

    return symbol == c->symbol ? c->each[c->count].is : NULL;
}

static bool add_pieces(const struct extent *e, const struct access_form *f, unsigned depth,
                       struct pieces *out);

/* Adds case `c->count` only. */
static bool add_case(const struct extent *e, const struct access_form *f, struct cases *c,
                     unsigned depth, struct pieces *out)
{
    const struct one_case *o = &c->each[c->count];
    const struct ended ended = {c->symbol, o->is, e->ended};
    struct extent now = *e;
    uint32_t kept = 0;

    if (e->facts.forms.symbols[c->symbol].kind == ACCESS_TRIPS)
        now.ended = &ended;

    for (uint32_t i = 0; i < e->facts.count; i++) {
        struct fact at = e->facts.facts[i];

        at.form = form_map(&now.facts.forms, at.form, take, c);
        if (at.form)
            now.facts.facts[kept++] = at;
    }
    for (uint32_t i = 0; i < o->fact_count && kept < FACTS_MAX; i++)
        now.facts.facts[kept++] = o->facts[i];
    now.facts.count = kept;
    if (facts_fit(&now.facts, e->analysis->ranges, e->analysis->range_count))
        facts_add_guards(&now.facts, o->way.guards, o->way.count);
    extent_end(&now, kept);
    if (facts_contradict(&now.facts)) /* no thread takes this case */
        return true;
    f = form_map(&now.facts.forms, f, take, c);
    return f && add_pieces(&now, f, depth, out);
}

/* Terms of the form whose factors are multiples of `pitch`, or the other terms. */
static const struct access_form *part(struct extent *e, const struct access_form *f,
                                      int64_t pitch, bool multiples)
{
    struct forms *forms = &e->facts.forms;
    const struct access_form *sum = form_constant(forms, 0);

    for (uint32_t i = 0; i < f->count; i++) {
        struct access_form *one =
            arena_alloc(forms->arena, sizeof *one + sizeof f->terms[0]);

        one->count = 1;
        one->terms[0] = f->terms[i];
        if ((f->terms[i].degree && f->terms[i].factor % pitch == 0) == multiples)
            sum = form_add(forms, sum, one, 1);
    }
    return sum;
}

static bool is_near(const struct range *r)
{
    return r->low <= r->high && r->low > -((int64_t)1 << 60) && r->high < (int64_t)1 << 60;
}

/* Strided range of rows at distance `pitch` if the limits allow it; else false. */
static bool find_rows(struct extent *e, const struct access_form *f, int64_t pitch,
                      int64_t length, const struct row_limits *l, struct access_span *out)
{
    struct range in, rows;

    if (!extent_of(e, part(e, f, pitch, false), &in) ||
        !extent_of(e, part(e, f, pitch, true), &rows) || !is_near(&in) || !is_near(&rows))
        return false;
    const int64_t bytes = in.high - in.low + length, gap = pitch - bytes;

    if (gap < l->gap || gap < l->times * bytes)
        return false;
    rows.high -= (rows.high % pitch + pitch) % pitch;
    rows.low += (pitch - rows.low % pitch) % pitch;
    if (rows.high <= rows.low || (rows.high - rows.low) / pitch > l->rows)
        return false;
    *out = (struct access_span){.low = rows.low + in.low,
                                .end = rows.low + in.high + length,
                                .stride = pitch,
                                .times = (uint32_t)((rows.high - rows.low) / pitch)};
    return true;
}

/* Strided range of a form with bounds `at`. */
static bool as_rows(const struct extent *e, const struct access_form *f,
                    const struct range *at, int64_t length, const struct row_limits *l,
                    struct access_span *out)
{
    struct extent now = *e;
    const struct access_form *known = is_near(at) ? facts_known(&now.facts, f) : NULL;
    int64_t last = 0;

    for (uint32_t i = 0; known && i < known->count; i++) {
        const struct access_term *t = &known->terms[i];
        int64_t pitch = t->factor == INT64_MIN ? 0 : t->factor < 0 ? -t->factor : t->factor;

        if (!t->degree || pitch == last || pitch <= l->gap + length ||
            pitch > at->high - at->low)
            continue;
        last = pitch;
        if (find_rows(&now, known, pitch, length, l, out))
            return true;
    }
    return false;
}

bool access_span_holds(const struct access_span *s, int64_t first, uint32_t bytes)
{
    int64_t row = s->stride > 0 && first > s->low ? (first - s->low) / s->stride : 0;

    row = row < (int64_t)s->times ? row : (int64_t)s->times;
    return first >= s->low + row * s->stride && first + bytes <= s->end + row * s->stride;
}

struct access_span access_span_close(const struct access_span *s, uint32_t many,
                                     int64_t gap)
{
    const int64_t far = (int64_t)s->times * s->stride, row = s->end - s->low,
                  between = (s->stride < 0 ? -s->stride : s->stride) - row;

    if (s->times < many || between > gap || between > row)
        return *s;
    return (struct access_span){s->low + (far < 0 ? far : 0), s->end + (far > 0 ? far : 0),
                                0, 0};
}

/* With length 0, only positions are collected. */
static void put(struct pieces *out, int64_t low, int64_t end, int64_t stride,
                uint32_t times)
{
    if (low < end || (low == end && !out->length))
        out->spans[out->count++] = (struct access_span){low, end, stride, times};
}

/* Clips rows to `low` .. `end`: all bytes, and the first and last rows, lie in it. */
static void put_rows(struct pieces *out, struct access_span s, int64_t low, int64_t end)
{
    if (s.low < low) {
        put(out, low, s.end < end ? s.end : end, 0, 0);
        s.low += s.stride;
        s.end += s.stride;
        if (!s.times--)
            return;
    }
    const int64_t last = s.times * s.stride;

    if (s.end + last > end) {
        put(out, s.low + last, end, 0, 0);
        if (!s.times--)
            return;
    }
    put(out, s.low, s.end, s.times ? s.stride : 0, s.times);
}

static bool add_span(const struct extent *e, const struct access_form *f,
                     struct pieces *out)
{
    enum { ENDS = 2 };
    struct access_span rows;
    struct range at;

    if (!extent_of(e, f, &at))
        return false;
    at.low = at.low > out->all.low ? at.low : out->all.low;
    at.high = at.high < out->all.high ? at.high : out->all.high;
    if (at.high < at.low) /* no thread takes this case */
        return true;
    if (out->count == ACCESS_SPANS_MAX)
        return false;
    for (int n = 0; n < LIMITS && out->count + ENDS < ACCESS_SPANS_MAX; n++)
        if (as_rows(e, f, &at, out->length, &limits[n], &rows)) {
            put_rows(out, rows, at.low, at.high + out->length);
            return true;
        }
    put(out, at.low, at.high + out->length, 0, 0);
    return true;
}

static bool add_pieces(const struct extent *e, const struct access_form *f, unsigned depth,
                       struct pieces *out)
{
    struct extent now = *e;
    struct cases c;

    if (++out->tries > TRIES_MAX)
        return false;
    if (depth == DEPTH_MAX ||
        !(cases_find(&now, f, &c) || (out->has_edges && cases_of_edges(&now, f, &c))))
        return add_span(e, f, out);
    depth += c.count > 1; /* a single case only simplifies the form */
    now.facts.in_pairs = true;
    for (uint32_t left = c.count; left-- > 0;) {
        c.count = left;
        if (!add_case(&now, f, &c, depth, out))
            return false;
    }
    return true;
}

/* Record and form whose guards contain disjunctions: each alternative has its own
   pieces. */
struct way_in {
    const struct access_record *record;
    const struct access_form *form;
    struct pieces *out;
};

static bool add_ways(const struct extent *e, const struct way_in *w, uint32_t guard);

static bool is_or(const struct access_condition *c, bool negated)
{
    return c->kind == (negated ? ACCESS_BOTH : ACCESS_EITHER);
}

/* Adds the alternatives of guard number `guard`, or of one part of it. */
static bool add_alternatives(const struct extent *e, const struct way_in *w, uint32_t guard,
                             const struct access_condition *c, bool negated)
{
    const struct access_guard alone = {.condition = c, .negated = negated};
    struct extent now = *e;

    if (c->kind == ACCESS_UNLESS)
        return add_alternatives(e, w, guard, c->first, !negated);
    if (is_or(c, negated))
        return add_alternatives(e, w, guard, c->first, negated) &&
               add_alternatives(e, w, guard, c->second, negated);
    if (++w->out->tries > TRIES_MAX)
        return false;
    now.facts.in_pairs = true; /* this alternative, and the bound of the row */
    facts_add_guards(&now.facts, &alone, 1);
    return facts_contradict(&now.facts) || add_ways(&now, w, guard + 1);
}

/* Adds the pieces under the guards from `guard` on; extent_open() ignored the
   disjunctions. */
static bool add_ways(const struct extent *e, const struct way_in *w, uint32_t guard)
{
    const struct access_record *r = w->record;

    for (uint32_t i = guard; i < r->guard_count; i++) {
        const struct access_guard *g = &r->guards[i];
        const struct access_condition *c = g->condition;
        bool negated = g->negated;

        for (; c->kind == ACCESS_UNLESS; c = c->first)
            negated = !negated;
        if (is_or(c, negated) && facts_fit(&e->facts, g->ranges, g->range_count))
            return add_alternatives(e, w, i, c, negated);
    }
    return add_pieces(e, w->form, 0, w->out);
}

/* Tries in this order: all alternatives with partial rows separate, all alternatives, no
   alternatives, a single range. */
static void add_all(const struct extent *e, const struct access_record *r,
                    const struct access_form *form, struct pieces *out)
{
    const struct way_in w = {r, form, out};

    for (int edges = 1; edges >= 0; edges--) {
        out->has_edges = edges;
        out->count = out->tries = 0;
        if (add_ways(e, &w, 0))
            return;
    }
    out->count = out->tries = 0;
    if (add_pieces(e, form, 0, out))
        return;
    out->spans[0] = (struct access_span){out->all.low, out->all.high + out->length, 0, 0};
    out->count = 1;
}

/* Whether each piece of the form lies in the range, although the bounds of the form may
   exceed it. */
static bool lies_inside(const struct extent *e, const struct access_range *w)
{
    struct access_span spans[ACCESS_SPANS_MAX];
    struct pieces out = {.spans = spans, .all = {INT64_MIN, INT64_MAX}};
    int64_t least, most;

    extent_extremes(w, &least, &most);
    if (!add_pieces(e, w->form, 0, &out))
        return false;
    for (uint32_t n = 0; n < out.count; n++)
        if (spans[n].low < least || spans[n].end + spans[n].times * spans[n].stride > most)
            return false;
    return true;
}

/* Whether some form may leave its range. */
static bool wraps(const struct extent *e, const struct access_record *r)
{
    const struct access_range *w;
    int64_t bounds[2];
    uint32_t next = 0;
    bool known;

    while ((w = extent_wraps(e, r, &next, bounds, &known)))
        if (!lies_inside(e, w))
            return true;
    return false;
}

/* Number of bytes from the first one on, at most; false if unknown. */
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

/* Whether no thread executes the access: its guards contradict, or a surrounding loop is
   not entered. */
static bool is_never(struct extent *e, const struct access_record *r, const int64_t *trips)
{
    for (int32_t l = r->loop; l >= 0; l = e->analysis->loops[l].parent)
        if (trips[l] == 0)
            return true;
    return facts_contradict(&e->facts);
}

bool access_extent(const struct access_analysis *a, const struct access_record *r,
                   const struct access_launch *l, const int64_t *trips,
                   struct access_span spans[ACCESS_SPANS_MAX], uint32_t *count)
{
    const struct access_form *form = r->state == ACCESS_CLOSED ? r->form : r->hull.from;
    struct pieces out = {.spans = spans};
    struct arena arena = {0};
    struct extent e;
    bool known;

    extent_open(&e, &arena, a, r, l, trips);
    known = form && !wraps(&e, r) && length_of(&e, r, &out.length) &&
            extent_of(&e, form, &out.all) && out.all.high <= INT64_MAX - out.length;
    if (known && out.all.low <= out.all.high)
        add_all(&e, r, form, &out);
    if (is_never(&e, r, trips)) {
        out.count = 0;
        known = true;
    }
    arena_clear(&arena);
    *count = out.count;
    return known;
}
