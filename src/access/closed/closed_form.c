/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_form.h"

#include <string.h>

#include "access/closed/closed_divide.h"
#include "access/form/apply.h"
#include "access/form/form.h"
#include "access/form/range.h"
#include "access/loops/ended_loop.h"
#include "base/memory.h"

/* Dependences of a symbol. A symbol with neither ON_THREAD nor ON_OUTER is a number in this
   launch. */
enum { KNOWN = 1, ON_THREAD = 2, ON_OUTER = 4, ON_OTHER = 8 };

void closed_view_open(struct closed_view *v, const struct access_analysis *a,
                      const struct access_launch *l, const int64_t *trips,
                      struct arena *arena)
{
    *v = (struct closed_view){.analysis = a, .launch = l, .trips = trips, .arena = arena};
    v->threads = l->ntid[0] * l->ntid[1] * l->ntid[2];
    v->hangs = arena_alloc(arena, a->symbol_count + 1u);
    v->begun = arena_alloc(arena, (a->loop_count + 1u) * sizeof *v->begun);
    v->ended = arena_alloc(arena, (a->loop_count + 1u) * sizeof *v->ended);
    v->ended_trips = arena_alloc(arena, (a->loop_count + 1u) * sizeof *v->ended_trips);
}

void closed_view_turn(struct closed_view *v, const struct access_record *r)
{
    v->record = r;
    memset(v->ended, 0, (v->analysis->loop_count + 1u) * sizeof *v->ended);
}

/* The remainder loop of an unrolled loop starts where that loop ended. */
static bool is_ended(struct closed_view *v, uint32_t loop)
{
    struct closed_ended *is = &v->ended[loop];
    struct extent e;
    int64_t trips;
    bool may_pass;

    if (is->is_computed || !v->record)
        return is->is_known;
    is->is_computed = true;
    extent_open(&e, v->arena, v->analysis, v->record, v->launch, v->trips);
    is->is_known = ended_loop_trips(&e, loop, &trips, &may_pass) && !may_pass;
    v->ended_trips[loop] = is->is_known ? (uint64_t)trips : 0;
    return is->is_known;
}

static uint8_t form_hangs(struct closed_view *v, const struct access_form *f);

static uint8_t special_hangs(enum ptx_special special)
{
    if (special <= PTX_TID_Z || special == PTX_LANEID)
        return ON_THREAD;
    if (special >= PTX_CTAID_X && special <= PTX_CTAID_Z)
        return ON_OUTER;
    return special <= PTX_NCTAID_Z ? 0 : ON_OTHER;
}

static uint8_t symbol_hangs(struct closed_view *v, uint32_t symbol)
{
    const struct access_symbol *y = &v->analysis->symbols[symbol];

    if (v->hangs[symbol])
        return v->hangs[symbol] & (uint8_t)~KNOWN;
    const bool counts = y->holds >> ACCESS_TRIPS & 1;
    uint8_t on = ON_OTHER;

    if (range_is_given(y))
        on = 0;
    else if (y->kind == ACCESS_SPECIAL)
        on = special_hangs(y->special);
    else if (y->kind == ACCESS_ITERATION)
        on = ON_OUTER;
    else if (y->kind == ACCESS_FUNCTION)
        on = form_hangs(v, y->left) | form_hangs(v, y->right);
    else if (y->kind == ACCESS_TRIPS && is_ended(v, y->loop))
        on = 0;
    if (counts) /* known for this record; constant over the outer variables */
        return on ? ON_OTHER : 0;
    v->hangs[symbol] = on | KNOWN;
    return on;
}

static uint8_t form_hangs(struct closed_view *v, const struct access_form *f)
{
    uint8_t on = 0;

    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            on |= symbol_hangs(v, f->terms[i].symbols[k]);
    return on;
}

/* Outer variable that the symbol is; -1: none. */
static int outer_of(const struct access_symbol *y, const struct closed_loops *loops)
{
    if (y->kind == ACCESS_SPECIAL && y->special >= PTX_CTAID_X && y->special <= PTX_CTAID_Z)
        return (int)(y->special - PTX_CTAID_X);
    for (uint32_t n = 0; n < loops->count && y->kind == ACCESS_ITERATION; n++)
        if (loops->loop[n] == y->loop)
            return (int)(3 + n);
    return -1;
}

static const struct access_form *form_one(struct closed_view *v,
                                          const struct access_term *t)
{
    struct access_form *f = arena_alloc(v->arena, sizeof *f + sizeof *t);

    f->count = 1;
    f->terms[0] = *t;
    return f;
}

/* Multiplies the factor of a term by its known numbers; false if one has no value. */
static bool take_numbers(struct closed_view *v, const struct access_term *t,
                         struct access_term *left, uint8_t *on)
{
    struct access_point p = closed_point(v->launch);

    p.trips = v->ended_trips; /* numbers depend on no other loops */
    *left = (struct access_term){.factor = t->factor};
    *on = 0;
    for (uint32_t k = 0; k < t->degree; k++) {
        uint8_t hangs = symbol_hangs(v, t->symbols[k]);
        const struct access_term one = {
            .factor = 1, .degree = 1, .symbols = {t->symbols[k]}};
        uint64_t value;

        *on |= hangs;
        if (hangs)
            left->symbols[left->degree++] = t->symbols[k];
        else if (access_value(v->analysis, form_one(v, &one), &p, &value))
            left->factor = (int64_t)((uint64_t)left->factor * value);
        else
            return false;
    }
    return true;
}

/* Whether the loops that a form counts, functions included, are all in `loops`. */
static bool counts_only(const struct access_analysis *a, const struct access_form *f,
                        const struct closed_loops *loops)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol *y = &a->symbols[f->terms[i].symbols[k]];

            if ((y->kind == ACCESS_ITERATION && outer_of(y, loops) < 0) ||
                (y->left && !counts_only(a, y->left, loops)) ||
                (y->right && !counts_only(a, y->right, loops)))
                return false;
        }
    return true;
}

static bool add_function(struct closed_view *v, const struct access_term *t,
                         const struct closed_loops *loops, struct closed_form *out);

static bool add_outer(struct closed_view *v, const struct access_term *t,
                      const struct closed_loops *loops, struct closed_form *out)
{
    int outer = t->degree == 1 ? outer_of(&v->analysis->symbols[t->symbols[0]], loops) : -1;
    const struct access_form *f = form_one(v, t);

    if (outer >= 0) {
        out->line.step[outer] =
            (int64_t)((uint64_t)out->line.step[outer] + (uint64_t)t->factor);
        return true;
    }
    if (add_function(v, t, loops, out))
        return true;
    if (!counts_only(v->analysis, f, loops))
        return false;
    struct closed_curve *c = arena_alloc(v->arena, sizeof *c);

    c->next = out->curves;
    c->form = f;
    out->curves = c;
    return true;
}

/* Whether the form fits the type and is never negative; `of` is its decomposition. */
static bool is_natural(struct closed_view *v, const struct access_symbol *y,
                       const struct closed_form *of, const struct closed_loops *loops,
                       struct range *r)
{
    const struct range_view view = {
        .symbols = v->analysis->symbols, .launch = v->launch, .trips = v->trips};
    const struct range all = range_of_type(y->bits, y->is_signed);

    if (range_fits(&view, y->left, y->bits, y->is_signed) && range_of(&view, y->left, r) &&
        r->low >= 0 && r->high < INT64_MAX / 4)
        return true;
    return closed_form_range(v, of, loops, r) && r->low >= 0 && r->high < INT64_MAX / 4 &&
           (y->bits >= 64 || r->high <= all.high);
}

/* Adds a function of outer variables, and possibly of the thread. */
static bool add_function(struct closed_view *v, const struct access_term *t,
                         const struct closed_loops *loops, struct closed_form *out)
{
    const struct access_symbol *y = &v->analysis->symbols[t->symbols[0]];
    struct access_point p = closed_point(v->launch);
    struct closed_form of;
    struct range r;
    uint64_t right;

    if (t->degree != 1 || y->kind != ACCESS_FUNCTION || form_hangs(v, y->right) ||
        !access_value(v->analysis, y->right, &p, &right))
        return false;
    right = y->function == ACCESS_SHR ? apply_cut(right, 32, false)
                                      : apply_cut(right, y->bits, y->is_signed);
    struct closed_division d = closed_division_of(y->function, (int64_t)right);

    return d.divisor && closed_form_split(v, y->left, loops, &of) &&
           is_natural(v, y, &of, loops, &r) &&
           closed_divide(v, &of, loops, r.high, d, t->factor, out);
}

static bool has_function(const struct access_analysis *a, const struct access_term *t)
{
    for (uint32_t k = 0; k < t->degree; k++)
        if (a->symbols[t->symbols[k]].kind == ACCESS_FUNCTION)
            return true;
    return false;
}

static bool split_term(struct closed_view *v, const struct access_term *t,
                       const struct closed_loops *loops, struct closed_form *out,
                       struct access_form *inner)
{
    struct access_term left;
    uint8_t on;

    if (!take_numbers(v, t, &left, &on) || on & ON_OTHER)
        return false;
    if (!left.degree)
        out->line.constant =
            (int64_t)((uint64_t)out->line.constant + (uint64_t)left.factor);
    else if (!left.factor) /* n * (i / n) with n = 0 is undefined in PTX */
        return !has_function(v->analysis, &left);
    else if (on == ON_THREAD)
        inner->terms[inner->count++] = left;
    else
        return on == ON_OUTER ? add_outer(v, &left, loops, out)
                              : add_function(v, &left, loops, out);
    return true;
}

static bool tabulate(struct closed_view *v, const struct access_form *inner,
                     struct closed_form *out)
{
    struct access_point p = closed_point(v->launch);
    uint32_t n = 0;

    for (p.tid[2] = 0; p.tid[2] < p.ntid[2]; p.tid[2]++)
        for (p.tid[1] = 0; p.tid[1] < p.ntid[1]; p.tid[1]++)
            for (p.tid[0] = 0; p.tid[0] < p.ntid[0]; p.tid[0]++) {
                uint64_t value;

                if (!access_value(v->analysis, inner, &p, &value))
                    return false;
                out->inner[n] = (int64_t)((uint64_t)out->inner[n] + value);
                if (!n || out->inner[n] < out->least)
                    out->least = out->inner[n];
                if (!n || out->inner[n] > out->most)
                    out->most = out->inner[n];
                n++;
            }
    return true;
}

bool closed_form_split(struct closed_view *v, const struct access_form *f,
                       const struct closed_loops *loops, struct closed_form *out)
{
    struct access_form *inner =
        arena_alloc(v->arena, sizeof *inner + f->count * sizeof inner->terms[0]);

    *out = (struct closed_form){
        .inner = arena_alloc(v->arena, (v->threads + 1u) * sizeof *out->inner)};
    for (uint32_t i = 0; i < f->count; i++)
        if (!split_term(v, &f->terms[i], loops, out, inner))
            return false;
    return tabulate(v, inner, out);
}

static bool is_inside(const struct access_analysis *a, const struct access_record *r,
                      uint32_t loop)
{
    int32_t l = r->loop;

    while (l >= 0 && l != (int32_t)loop)
        l = a->loops[l].parent;
    return l >= 0;
}

static bool find_loops(const struct access_analysis *a, const struct access_record *r,
                       const struct access_form *f, struct closed_loops *out)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            const struct access_symbol *y = &a->symbols[f->terms[i].symbols[k]];

            if (!find_loops(a, r, y->left, out) || !find_loops(a, r, y->right, out))
                return false;
            if (y->kind != ACCESS_ITERATION || outer_of(y, out) >= 0)
                continue;
            if (out->count == CLOSED_LOOPS_MAX || !is_inside(a, r, y->loop))
                return false;
            out->loop[out->count++] = y->loop;
        }
    return true;
}

bool closed_loops_find(const struct access_analysis *a, const struct access_record *r,
                       struct closed_loops *out)
{
    *out = (struct closed_loops){.count = 0};
    return find_loops(a, r, r->form, out);
}
