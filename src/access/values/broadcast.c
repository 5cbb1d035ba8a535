/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/broadcast.h"

#include "access/form/range.h"

enum { WARP = 32 };

struct broadcast {
    struct maker *m;
    bool has_threads; /* the form depends on positions in the CTA */
};

static bool is_alike(struct broadcast *b, const struct access_form *f);

static bool is_alike_special(struct broadcast *b, enum ptx_special special)
{
    b->has_threads |= special <= PTX_TID_Z;
    return special > PTX_TID_X && special <= PTX_NCTAID_Z;
}

static bool is_of_row(const struct access_symbol *y)
{
    return y->kind == ACCESS_SPECIAL && y->special == PTX_NTID_X;
}

/* Whether the term is a multiple of the warp size and equal in all threads of a warp. A
   factor ntid.x counts as a multiple: rows consist of whole warps. */
static bool is_of_warps(struct broadcast *b, const struct access_term *t)
{
    const struct access_symbol *symbols = b->m->forms.symbols;
    bool is = t->factor % WARP == 0;

    for (uint32_t k = 0; k < t->degree; k++)
        is |= is_of_row(&symbols[t->symbols[k]]);
    const struct access_form *rest = form_constant(&b->m->forms, 1);

    for (uint32_t k = 0; k < t->degree; k++)
        rest = form_multiply(&b->m->forms, rest, form_of(&b->m->forms, t->symbols[k]));
    return is && rest && is_alike(b, rest);
}

/* Whether the form is threadIdx.x plus multiples of the warp size. */
static bool is_of_lanes(struct broadcast *b, const struct access_form *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_term *t = &f->terms[i];
        const struct access_symbol *y =
            t->degree == 1 ? &b->m->forms.symbols[t->symbols[0]] : NULL;

        if (!(y && t->factor == 1 && y->kind == ACCESS_SPECIAL &&
              y->special == PTX_TID_X) &&
            !is_of_warps(b, t))
            return false;
    }
    return true;
}

/* Whether the symbol is the index of a warp, or of a group of warps. A negative dividend
   would round differently. */
static bool counts_warps(struct broadcast *b, const struct access_symbol *y)
{
    const struct range_view any = {.symbols = b->m->forms.symbols};
    struct range r;
    int64_t by;

    if (!form_is_constant(y->right, &by))
        return false;
    if (y->function == ACCESS_SHR)
        by = by >= 0 && by < 32 ? (int64_t)1 << by : 0;
    else if (y->function != ACCESS_DIV ||
             (y->is_signed && !(range_of(&any, y->left, &r) && r.low >= 0)))
        return false;
    return by > 0 && by % WARP == 0 && is_of_lanes(b, y->left);
}

/* By value: the queries may add symbols and move the table. */
static bool is_alike_symbol(struct broadcast *b, struct access_symbol y)
{
    switch (y.kind) {
    case ACCESS_SPECIAL:
        return is_alike_special(b, y.special);
    case ACCESS_PARAMETER:
    case ACCESS_CONSTANT:
    case ACCESS_VARIABLE:
    case ACCESS_SHARED:
    case ACCESS_BLOCK:
        return true;
    case ACCESS_FUNCTION:
        return (is_alike(b, y.left) && is_alike(b, y.right)) || counts_warps(b, &y);
    default:
        return false;
    }
}

static bool is_alike(struct broadcast *b, const struct access_form *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->terms[i].degree; k++)
            if (!is_alike_symbol(b, b->m->forms.symbols[f->terms[i].symbols[k]]))
                return false;
    return true;
}

static const struct access_form *row(struct maker *m)
{
    const struct access_symbol y = {.kind = ACCESS_SPECIAL, .special = PTX_NTID_X};

    return form_make(&m->forms, &y);
}

static bool is_number(struct study *s, uint32_t instruction, uint32_t operand, int64_t *out)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const struct access_form *f = operand < i->operand_count
                                      ? study_operand(s, instruction, &i->operands[operand])
                                      : NULL;

    return f && form_is_constant(f, out);
}

/* Whether all lanes take part in one group. For `up`, the group ends at the first lane.
   shfl without .sync names no lanes. */
static bool is_of_all(struct study *s, uint32_t instruction)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    int64_t group, members;

    return is_number(s, instruction, 3, &group) &&
           group == (ptx_has(i, PTX_PART_UP) ? 0 : WARP - 1) &&
           is_number(s, instruction, 4, &members) && (uint32_t)members == UINT32_MAX;
}

const struct access_form *broadcast_form(struct study *s, uint32_t instruction)
{
    const struct access_form *from =
        study_operand(s, instruction, &s->function->instructions[instruction].operands[1]);
    struct broadcast b = {.m = &s->maker};

    if (!from || !is_of_all(s, instruction) || !is_alike(&b, from))
        return NULL;
    if (b.has_threads)
        function_demand(b.m,
                        function_make(b.m, ACCESS_AND, false, 32, row(b.m),
                                      form_constant(&b.m->forms, WARP - 1)),
                        0, false);
    return from;
}
