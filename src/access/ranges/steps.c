/* SPDX-License-Identifier: Apache-2.0 */
#include "access/ranges/steps.h"

#include "access/form/apply.h"

/* Whether the number has exactly the bits k .. m - 1 set, for some k and m. */
static bool is_upper_mask(int64_t c)
{
    return c > 0 && ((c + (c & -c)) & (c + (c & -c) - 1)) == 0;
}

static bool steps_up(const struct access_symbol *y, int64_t right)
{
    switch (y->function) {
    case ACCESS_DIV:
        return right > 0;
    case ACCESS_SHR:
    case ACCESS_MULHI:
        return right >= 0;
    case ACCESS_AND:
        return is_upper_mask(right);
    default:
        return false;
    }
}

/* Upper end of the arguments for which the function is monotonic. */
static int64_t end_of(const struct step_op *o)
{
    return o->function == ACCESS_AND ? o->right + (o->right & -o->right)
                                     : (int64_t)1 << (o->bits < 62 ? o->bits - 1 : 61);
}

/* The function symbol of a form factor * symbol + constant; else NULL. */
static const struct access_symbol *inner(const struct extent *e,
                                         const struct access_form *f, struct step_op *o)
{
    const struct access_symbol *y = NULL;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_term *t = &f->terms[i];

        if (!t->degree && t->factor >= 0) {
            o->plus = t->factor;
        } else if (t->degree == 1 && t->factor > 0 && !y) {
            y = &e->facts.forms.symbols[t->symbols[0]];
            o->factor = t->factor;
        } else {
            return NULL;
        }
    }
    return y && y->kind == ACCESS_FUNCTION ? y : NULL;
}

/* Evaluates from the base outward; false if an intermediate number is outside its limit. */
static bool value_at(const struct steps *s, int64_t base, int64_t *out)
{
    int64_t v = base;

    for (uint32_t n = s->count; n-- > 0;) {
        const struct step_op *o = &s->ops[n];

        if (__builtin_mul_overflow(v, o->factor, &v) ||
            __builtin_add_overflow(v, o->plus, &v) || v < 0 || v >= end_of(o))
            return false;
        v = (int64_t)apply_function(o->function, o->is_signed, o->bits, (uint64_t)v,
                                    (uint64_t)o->right);
    }
    *out = v;
    return true;
}

bool steps_open(struct steps *s, struct extent *e, const struct access_symbol *y)
{
    int64_t value;
    struct range right;

    *s = (struct steps){0};
    while (y && s->count < STEPS_DEPTH && extent_of(e, y->right, &right) &&
           right.low == right.high && steps_up(y, right.low)) {
        struct step_op *o = &s->ops[s->count++];

        *o = (struct step_op){y->function, y->is_signed, y->bits, right.low, .factor = 1};
        s->base = facts_known(&e->facts, y->left);
        if (!s->base)
            return false;
        y = inner(e, s->base, o);
    }
    if (!s->count)
        return false;
    s->ops[s->count - 1].factor = 1; /* the base form contains factor and constant */
    s->ops[s->count - 1].plus = 0;
    return extent_of(e, s->base, &s->range) && s->range.low <= s->range.high &&
           value_at(s, s->range.low, &value) && value_at(s, s->range.high, &value);
}

/* Cannot fail: both ends of the range are inside all limits, and the functions are
   monotonic. */
int64_t steps_value(const struct steps *s, int64_t base)
{
    int64_t value = 0;

    (void)value_at(s, base, &value);
    return value;
}

int64_t steps_next(const struct steps *s, int64_t base)
{
    const int64_t now = steps_value(s, base);
    int64_t low = base, high = s->range.high + 1; /* the value at low, another at high */

    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (steps_value(s, middle) == now)
            low = middle;
        else
            high = middle;
    }
    return high;
}

int64_t steps_begin(const struct steps *s, int64_t base)
{
    const int64_t now = steps_value(s, base);
    int64_t low = s->range.low - 1, high = base; /* another at low, the value at high */

    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (steps_value(s, middle) == now)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static bool differs(const struct steps *s, int64_t base, int64_t from)
{
    int64_t value;

    return !value_at(s, base, &value) || value != steps_value(s, from);
}

bool steps_starts(const struct steps *s)
{
    return differs(s, s->range.low - 1, s->range.low);
}

bool steps_ends(const struct steps *s)
{
    return differs(s, s->range.high + 1, s->range.high);
}
