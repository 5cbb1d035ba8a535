/* SPDX-License-Identifier: Apache-2.0 */
#include "access/address/bases.h"

#include "access/address/hull.h"
#include "access/address/trace.h"
#include "access/values/resolve.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 4096 };
static const int64_t HALF = (int64_t)1 << 32;

int bases_kind(const struct access_symbol *y)
{
    switch (y->kind) {
    case ACCESS_PARAMETER:
        return y->bytes == 8 ? ACCESS_BASE_PARAMETER : -1;
    case ACCESS_CONSTANT: /* may be an address of unknown origin */
        return y->bytes == 8 ? ACCESS_BASE_UNKNOWN : -1;
    case ACCESS_VARIABLE:
        return ACCESS_BASE_VARIABLE;
    case ACCESS_SHARED:
        return ACCESS_BASE_SHARED;
    case ACCESS_LOCAL:
        return ACCESS_BASE_LOCAL;
    default:
        return -1;
    }
}

bool bases_marked(const struct bases *b, uint32_t symbol)
{
    const enum access_symbol_kind kind = b->study->maker.forms.symbols[symbol].kind;

    return (kind != ACCESS_PARAMETER && kind != ACCESS_MEMBER && kind != ACCESS_CONSTANT) ||
           (symbol < b->symbol_count && b->is_pointer[symbol]);
}

int64_t bases_find(const struct bases *b, const struct access_form *f)
{
    int64_t marked = -1, any = -1;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_term *t = &f->terms[i];

        if (t->degree != 1 || t->factor != 1 ||
            bases_kind(&b->study->maker.forms.symbols[t->symbols[0]]) < 0)
            continue;
        any = any == -1 ? (int64_t)t->symbols[0] : -2;
        if (bases_marked(b, t->symbols[0]))
            marked = marked == -1 ? (int64_t)t->symbols[0] : -2;
    }
    return marked != -1 ? marked : any;
}

bool bases_choose_address(const struct bases *b, const struct access_form *f)
{
    const struct access_symbol *symbols = b->study->maker.forms.symbols;
    bool is = false;

    for (uint32_t i = 0; i < f->count && !is; i++) {
        const struct access_term *t = &f->terms[i];
        const struct access_symbol *y = t->degree ? &symbols[t->symbols[0]] : NULL;

        is = t->degree == 1 && t->factor == 1 && y->choice_count;
        for (uint32_t k = 0; is && k < y->choice_count; k++)
            is = bases_find(b, y->choices[k]) != -1;
    }
    return is;
}

/* Whether the symbol may be an address from memory or of unknown origin. */
static bool may_point(const struct bases *b, const struct access_symbol *y)
{
    const struct ptx_instruction *all = b->study->function->instructions;
    unsigned bytes;
    int64_t bits;

    switch (y->kind) {
    case ACCESS_LOADED:
        bytes = ptx_type_bytes(all[y->variable].type);
        return !bytes || bytes >= sizeof(uint64_t);
    case ACCESS_FUNCTION: /* 32 bits: an index; a mask of low bits: a misalignment */
        if (y->bits <= 32)
            return false;
        return y->function != ACCESS_AND || !form_is_constant(y->right, &bits) ||
               bits < 0 || bits >= SMALL;
    case ACCESS_OPAQUE:
    case ACCESS_PHI:
    case ACCESS_CHOICE:
    case ACCESS_MEMBER:
    case ACCESS_BLOCK:
        return true;
    default:
        return false;
    }
}

/* An index times the element size is no address. A value assembled from two halves may be
   one. */
bool bases_alone(const struct bases *b, const struct access_form *f)
{
    const struct access_symbol *symbols = b->study->maker.forms.symbols;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_term *t = &f->terms[i];
        const bool is_half = t->factor >= HALF || t->factor <= -HALF,
                   is_element = !is_half && t->factor != 1 && t->factor != -1;

        for (uint32_t k = 0; k < t->degree && !is_element; k++)
            if (may_point(b, &symbols[t->symbols[k]]) ||
                (is_half && (symbols[t->symbols[k]].kind == ACCESS_LOADED ||
                             symbols[t->symbols[k]].kind == ACCESS_ELEMENT ||
                             symbols[t->symbols[k]].kind == ACCESS_FUNCTION)))
                return false;
    }
    return true;
}

/* The only pointer among the terms that the kernel selects at run time; -1 if there is
   none, or if another term may be the address. */
static int64_t find_member(const struct bases *b, const struct access_form *f)
{
    const struct forms *forms = &b->study->maker.forms;
    int64_t member = -1, base = bases_find(b, f);

    for (uint32_t i = 0; i < f->count; i++) {
        const struct access_term *t = &f->terms[i];

        if (t->degree != 1 || t->factor != 1 ||
            forms->symbols[t->symbols[0]].kind != ACCESS_MEMBER)
            continue;
        if (member >= 0)
            return -1;
        member = (int64_t)t->symbols[0];
    }
    if (base == -1 || member < 0)
        return member;
    return base >= 0 && bases_marked(b, (uint32_t)member) &&
                   !bases_marked(b, (uint32_t)base)
               ? member
               : -1;
}

/* The member with its position inside one parameter; -1 if several parameters are
   possible. */
static int32_t place_member(struct study *s, struct access_symbol y)
{
    struct forms *forms = &s->maker.forms;

    for (uint32_t i = 0; i < y.left->count; i++) {
        const struct access_term *t = &y.left->terms[i];
        const struct access_symbol *of = &forms->symbols[t->symbols[0]];

        if (t->degree != 1 || t->factor != 1 || of->kind != ACCESS_BLOCK)
            continue;
        const struct ptx_symbol *p = &s->function->symbols[of->variable];

        y.offset = p->offset;
        y.bytes = ptx_symbol_bytes(p);
        y.left = form_add(forms, y.left, form_of(forms, t->symbols[0]), -1);
        return y.left && !(form_holds(forms, y.left) >> ACCESS_BLOCK & 1)
                   ? (int32_t)form_symbol(forms, &y)
                   : -1;
    }
    return -1;
}

/* Collects the assumptions of the address without the pointer that instruction `member`
   loads, and those of that pointer's position. */
static bool member_ranges(struct study *s, struct access_record *r,
                          const struct ptx_operand *at, uint32_t member)
{
    struct trace t = trace_open(s, false);
    const struct ptx_operand *place = &s->function->instructions[member].operands[1];

    for (uint32_t v = 0; v < s->ssa->count; v++)
        t.is_listed[v] = s->ssa->values[v].kind == SSA_DEFINED &&
                         s->ssa->values[v].instruction == member;
    trace_visit(s, &t, r->instruction, at);
    trace_finish(s, &t);
    bool good = trace_ranges(s, &t, &r->ranges, &r->range_count);

    trace_clear(&t);
    t = trace_operand(s, member, place);
    good = good && trace_ranges(s, &t, &r->member_ranges, &r->member_range_count);
    trace_clear(&t);
    return good;
}

const struct access_form *bases_choose(const struct bases *b, struct access_record *r,
                                       const struct ptx_operand *at,
                                       const struct access_form *address)
{
    struct study *s = b->study;
    struct forms *forms = &s->maker.forms;
    int64_t member =
        address && r->base == ACCESS_BASE_UNKNOWN ? find_member(b, address) : -1;

    if (member < 0)
        return NULL;
    const struct access_symbol y = forms->symbols[member];
    const struct access_form *rest =
        form_add(forms, address, form_of(forms, (uint32_t)member), -1);
    bool open = !rest || form_holds(forms, rest) & (uint32_t)(HOLDS_DATA | HOLDS_OPAQUE);

    if ((!open || bases_marked(b, (uint32_t)member)) &&
        member_ranges(s, r, at, (uint32_t)y.variable))
        r->member = place_member(s, y);
    return r->member >= 0 && !open ? rest : NULL;
}

static void mark(struct bases *b, uint32_t base)
{
    const uint32_t count = b->study->maker.forms.count;

    if (base >= b->symbol_count) {
        bool *more = must_calloc(count, sizeof *more);

        if (b->symbol_count)
            memcpy(more, b->is_pointer, b->symbol_count * sizeof *more);
        free(b->is_pointer);
        b->is_pointer = more;
        b->symbol_count = count;
    }
    b->is_pointer[base] = true;
}

/* Marks the address in a form, or in each option of a choice. Terms added to it are
   numbers, even if they have 64 bits. */
static void mark_all(struct bases *b, const struct access_form *f)
{
    int64_t base = bases_choose_address(b, f) ? -1 : bases_find(b, f);

    if (base == -1)
        base = find_member(b, f);
    if (base >= 0)
        mark(b, (uint32_t)base);
    for (uint32_t i = 0; i < f->count && base == -1; i++) {
        const struct access_term *t = &f->terms[i];
        const struct access_symbol y = b->study->maker.forms.symbols[t->symbols[0]];

        for (uint32_t k = 0; k < y.choice_count && t->degree == 1 && t->factor == 1; k++)
            mark_all(b, y.choices[k]);
    }
}

static const struct ptx_operand *global_operand(const struct ptx_instruction *i)
{
    if (i->opcode == PTX_CP)
        return hull_operand(i);
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_MEMORY &&
            (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC))
            return &i->operands[k];
    return NULL;
}

/* An access whose address contains a single parameter has its address there. */
static void mark_alone(struct bases *b, uint32_t instruction)
{
    struct study *s = b->study;
    const struct ptx_operand *at = global_operand(&s->function->instructions[instruction]);
    const struct access_form *f = at ? resolve_form(s, study_operand(s, instruction, at),
                                                    s->regions->flow->block_of[instruction])
                                     : NULL;
    const int64_t base = f ? bases_find(b, f) : -1;

    if (base >= 0 && s->maker.forms.symbols[base].kind == ACCESS_PARAMETER &&
        bases_alone(b, f))
        mark(b, (uint32_t)base);
}

void bases_open(struct bases *b)
{
    struct study *s = b->study;

    for (uint32_t i = 0; i < s->function->instruction_count; i++) {
        const struct ptx_instruction *at = &s->function->instructions[i];

        if (at->opcode != PTX_CVTA || at->operand_count < 2 ||
            s->regions->position[s->regions->flow->block_of[i]] < 0)
            continue;
        const struct access_form *f = resolve_form(s, study_operand(s, i, &at->operands[1]),
                                                   s->regions->flow->block_of[i]);

        if (f)
            mark_all(b, f);
    }
    for (uint32_t i = 0; i < s->function->instruction_count; i++)
        if (s->regions->position[s->regions->flow->block_of[i]] >= 0)
            mark_alone(b, i);
}

void bases_close(struct bases *b)
{
    free(b->is_pointer);
}
