/* SPDX-License-Identifier: Apache-2.0 */
/* Values of forms and conditions at a point. */
#include "access/access.h"
#include "access/form/apply.h"
#include "access/form/range.h"

static uint32_t special_at(const struct access_point *p, enum ptx_special special)
{
    unsigned axis = (unsigned)(special - PTX_TID_X) % 3;

    if (special == PTX_LANEID)
        return (p->tid[0] + p->ntid[0] * (p->tid[1] + p->ntid[1] * p->tid[2])) % 32;
    if (special <= PTX_TID_Z)
        return p->tid[axis];
    if (special <= PTX_NTID_Z)
        return p->ntid[axis];
    return special <= PTX_CTAID_Z ? p->ctaid[axis] : p->nctaid[axis];
}

static bool is_size(enum ptx_special special)
{
    return (special >= PTX_NTID_X && special <= PTX_NTID_Z) ||
           (special >= PTX_NCTAID_X && special <= PTX_NCTAID_Z);
}

static bool function_at(const struct access_analysis *a, const struct access_symbol *y,
                        const struct access_point *p, uint64_t *out)
{
    uint64_t left, right;

    if (!access_value(a, y->left, p, &left) || !access_value(a, y->right, p, &right))
        return false;
    *out = apply_function(y->function, y->is_signed, y->bits, left, right);
    return true;
}

static bool symbol_at(const struct access_analysis *a, const struct access_symbol *y,
                      const struct access_point *p, uint64_t *out)
{
    const struct access_launch l = {.parameters = p->parameters,
                                    .parameter_bytes = p->parameter_bytes,
                                    .constants = p->constants};
    uint32_t which = p->choices && y->kind == ACCESS_CHOICE ? p->choices[y->choice] : 0;
    int64_t field;

    switch (y->kind) {
    case ACCESS_SPECIAL:
        *out = special_at(p, y->special);
        return !p->is_any || is_size(y->special);
    case ACCESS_PARAMETER:
    case ACCESS_CONSTANT:
        if (!range_given(&l, y, &field))
            return false;
        *out = (uint64_t)field;
        return true;
    case ACCESS_VARIABLE:
        *out = p->variable && y->variable >= PTX_SYMBOL_MODULE
                   ? p->variable[y->variable - PTX_SYMBOL_MODULE]
                   : 0;
        return !p->is_any;
    case ACCESS_ITERATION:
        *out = p->trips ? p->trips[y->loop] - 1 : 0;
        return p->trips != NULL;
    case ACCESS_TRIPS:
        *out = p->trips ? p->trips[y->loop] : 0;
        return p->trips != NULL;
    case ACCESS_ELEMENT:
        if (!access_value(a, y->left, p, out) ||
            !range_element(&l, y, (int64_t)*out, &field))
            return false;
        *out = (uint64_t)field;
        return true;
    case ACCESS_FUNCTION:
        return function_at(a, y, p, out);
    case ACCESS_CHOICE:
        return !p->is_any && which < y->choice_count &&
               access_value(a, y->choices[which], p, out);
    default:
        return false;
    }
}

bool access_value(const struct access_analysis *a, const struct access_form *f,
                  const struct access_point *p, uint64_t *out)
{
    uint64_t sum = 0, value;

    for (uint32_t i = 0; i < f->count; i++) {
        uint64_t product = (uint64_t)f->terms[i].factor;

        for (uint32_t k = 0; k < f->terms[i].degree; k++) {
            if (!symbol_at(a, &a->symbols[f->terms[i].symbols[k]], p, &value))
                return false;
            product *= value;
        }
        sum += product;
    }
    *out = sum;
    return true;
}

static int compare_at(const struct access_analysis *a, const struct access_condition *c,
                      const struct access_point *p)
{
    uint64_t x, y;

    if (!access_value(a, c->left, p, &x) || !access_value(a, c->right, p, &y))
        return -1;
    x = apply_cut(x, c->bits, c->is_signed);
    y = apply_cut(y, c->bits, c->is_signed);
    bool less = c->is_signed ? (int64_t)x < (int64_t)y : x < y;

    switch (c->comparison) {
    case ACCESS_EQ:
        return x == y;
    case ACCESS_NE:
        return x != y;
    case ACCESS_LT:
        return less;
    case ACCESS_LE:
        return less || x == y;
    case ACCESS_GT:
        return !less && x != y;
    case ACCESS_GE:
        return !less;
    }
    return -1;
}

int access_holds(const struct access_analysis *a, const struct access_condition *c,
                 const struct access_point *p)
{
    int first = c->first ? access_holds(a, c->first, p) : -1;
    int second = c->second ? access_holds(a, c->second, p) : -1;

    switch (c->kind) {
    case ACCESS_COMPARE:
        return compare_at(a, c, p);
    case ACCESS_BOTH:
        return !first || !second ? 0 : first < 0 || second < 0 ? -1 : 1;
    case ACCESS_EITHER:
        return first == 1 || second == 1 ? 1 : first < 0 || second < 0 ? -1 : 0;
    case ACCESS_UNLESS:
        return first < 0 ? -1 : !first;
    case ACCESS_UNSURE:
        break;
    }
    return -1;
}
