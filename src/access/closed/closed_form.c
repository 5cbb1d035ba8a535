/* SPDX-License-Identifier: Apache-2.0 */
#include "access/closed/closed_form.h"

#include <string.h>

#include "base/memory.h"

enum { KNOWN = 1, ON_THREAD = 2, ON_OTHER = 4 };

void closed_view_open(struct closed_view *v, const struct access_analysis *a,
                      const struct access_launch *l, struct arena *arena)
{
    *v = (struct closed_view){.analysis = a, .launch = l, .arena = arena};
    v->threads = l->ntid[0] * l->ntid[1] * l->ntid[2];
    v->hangs = arena_alloc(arena, a->symbol_count + 1u);
}

static uint8_t form_hangs(struct closed_view *v, const struct access_form *f);

static uint8_t special_hangs(enum ptx_special special)
{
    if (special <= PTX_TID_Z || special == PTX_LANEID)
        return ON_THREAD;
    if (special <= PTX_NTID_Z || (special >= PTX_NCTAID_X && special <= PTX_NCTAID_Z))
        return 0;
    return ON_OTHER;
}

static uint8_t symbol_hangs(struct closed_view *v, uint32_t symbol)
{
    const struct access_symbol *y = &v->analysis->symbols[symbol];

    if (v->hangs[symbol])
        return v->hangs[symbol];
    uint8_t on = ON_OTHER;

    if (y->kind == ACCESS_PARAMETER)
        on = 0;
    else if (y->kind == ACCESS_SPECIAL)
        on = special_hangs(y->special);
    else if (y->kind == ACCESS_FUNCTION)
        on = form_hangs(v, y->left) | form_hangs(v, y->right);
    return v->hangs[symbol] = on | KNOWN;
}

static uint8_t form_hangs(struct closed_view *v, const struct access_form *f)
{
    uint8_t on = 0;

    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            on |= symbol_hangs(v, f->terms[i].symbols[k]);
    return on & (ON_THREAD | ON_OTHER);
}

static struct access_point point_of(const struct access_launch *l)
{
    struct access_point p = {.parameters = l->parameters,
                             .parameter_bytes = l->parameter_bytes};

    memcpy(p.ntid, l->ntid, sizeof p.ntid);
    memcpy(p.nctaid, l->nctaid, sizeof p.nctaid);
    return p;
}

/* The outer variable that a symbol is; -1 if it is none. */
static int outer_of(const struct access_symbol *y, const struct closed_loops *loops)
{
    if (y->kind == ACCESS_SPECIAL && y->special >= PTX_CTAID_X && y->special <= PTX_CTAID_Z)
        return (int)(y->special - PTX_CTAID_X);
    for (uint32_t n = 0; n < loops->count && y->kind == ACCESS_ITERATION; n++)
        if (loops->loop[n] == y->loop)
            return (int)(3 + n);
    return -1;
}

/* A term is the thread's, or moves with one outer variable, or is a number. */
static bool split_term(struct closed_view *v, const struct access_term *t,
                       const struct closed_loops *loops, struct closed_form *out,
                       struct access_form *inner)
{
    struct access_term left = {.factor = t->factor};
    struct access_point p = point_of(v->launch);
    int outer = -1;

    for (uint32_t k = 0; k < t->degree; k++) {
        struct access_form *one = arena_alloc(v->arena, sizeof *one + sizeof *t);
        uint32_t symbol = t->symbols[k];
        uint8_t on = symbol_hangs(v, symbol);
        uint64_t value;

        one->count = 1;
        one->terms[0] = (struct access_term){.factor = 1, .degree = 1, .symbols = {symbol}};
        if (on == (KNOWN | ON_THREAD)) {
            left.symbols[left.degree++] = symbol;
        } else if (on == KNOWN) {
            if (!access_value(v->analysis, one, &p, &value))
                return false;
            left.factor = (int64_t)((uint64_t)left.factor * value);
        } else {
            if (outer >= 0)
                return false;
            outer = outer_of(&v->analysis->symbols[symbol], loops);
            if (outer < 0)
                return false;
        }
    }
    if (outer >= 0 && left.degree)
        return left.factor == 0;
    if (left.degree)
        inner->terms[inner->count++] = left;
    else if (outer >= 0)
        out->step[outer] = (int64_t)((uint64_t)out->step[outer] + (uint64_t)left.factor);
    else
        out->constant = (int64_t)((uint64_t)out->constant + (uint64_t)left.factor);
    return true;
}

static bool tabulate(struct closed_view *v, const struct access_form *inner,
                     struct closed_form *out)
{
    struct access_point p = point_of(v->launch);
    int64_t *table = arena_alloc(v->arena, (v->threads + 1u) * sizeof *table);
    uint32_t thread = 0;

    out->inner = table;
    for (p.tid[2] = 0; p.tid[2] < p.ntid[2]; p.tid[2]++)
        for (p.tid[1] = 0; p.tid[1] < p.ntid[1]; p.tid[1]++)
            for (p.tid[0] = 0; p.tid[0] < p.ntid[0]; p.tid[0]++) {
                uint64_t value;

                if (!access_value(v->analysis, inner, &p, &value))
                    return false;
                table[thread] = (int64_t)value;
                if (!thread || table[thread] < out->least)
                    out->least = table[thread];
                if (!thread || table[thread] > out->most)
                    out->most = table[thread];
                thread++;
            }
    return true;
}

bool closed_form_split(struct closed_view *v, const struct access_form *f,
                       const struct closed_loops *loops, struct closed_form *out)
{
    struct access_form *inner =
        arena_alloc(v->arena, sizeof *inner + f->count * sizeof inner->terms[0]);

    *out = (struct closed_form){0};
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

bool closed_loops_find(const struct access_analysis *a, const struct access_record *r,
                       struct closed_loops *out)
{
    *out = (struct closed_loops){.count = 0};
    for (uint32_t i = 0; i < r->form->count; i++)
        for (uint32_t k = 0; k < r->form->terms[i].degree; k++) {
            const struct access_symbol *y = &a->symbols[r->form->terms[i].symbols[k]];
            uint32_t n = 0;

            if (y->kind != ACCESS_ITERATION)
                continue;
            while (n < out->count && out->loop[n] != y->loop)
                n++;
            if (n < out->count)
                continue;
            if (n == CLOSED_LOOPS_MAX || !is_inside(a, r, y->loop))
                return false;
            out->loop[out->count++] = y->loop;
        }
    return true;
}
