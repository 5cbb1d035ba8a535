/* SPDX-License-Identifier: Apache-2.0 */
#include "access/slice/write_set_moves.h"

#include <stdlib.h>

#include "base/memory.h"

enum { WORD = 8 };

/* Flow-insensitive search. By register: the fields from which an address in it may be
   computed, and whether it is an unchanged field. */
struct search {
    const struct ptx_function *function;
    struct write_set_moves *found;
    uint64_t *made_of;
    bool *is_given, changed;
};

static uint64_t of_operand(const struct search *s, const struct ptx_operand *o)
{
    uint64_t made = (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY) && o->reg >= 0
                        ? s->made_of[o->reg]
                        : 0;

    for (uint32_t n = 0; n < o->count; n++)
        made |= of_operand(s, &o->list[n]);
    return made;
}

static uint64_t of_operands(const struct search *s, const struct ptx_instruction *i,
                            uint32_t from)
{
    uint64_t made = 0;

    for (uint32_t n = from; n < i->operand_count; n++)
        made |= of_operand(s, &i->operands[n]);
    return made;
}

static void set(struct search *s, const struct ptx_operand *to, uint64_t made)
{
    if (to->kind == PTX_REGISTER && made & ~s->made_of[to->reg]) {
        s->made_of[to->reg] |= made;
        s->changed = true;
    }
    for (uint32_t n = 0; n < to->count; n++)
        set(s, &to->list[n], made);
}

/* Bit of the parameter field, which is added if new; 0: no room. */
static uint64_t field_at(struct search *s, uint64_t offset)
{
    struct write_set_moves *m = s->found;
    uint32_t n = 0;

    while (n < m->count && m->offset[n] != offset)
        n++;
    if (n == MOVES_FIELDS) {
        m->is_fixed = true;
        return 0;
    }
    if (n == m->count)
        m->offset[m->count++] = (uint32_t)offset;
    return (uint64_t)1 << n;
}

/* Parts of an address: a narrower load could only reassemble one. */
static void load(struct search *s, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    const struct ptx_function *f = s->function;
    const uint32_t bytes = ptx_type_bytes(i->type);

    if (i->space != PTX_SPACE_PARAM || from->reg >= 0 || from->symbol < 0 ||
        (uint32_t)from->symbol >= f->parameter_count || bytes > WORD) {
        s->found->is_fixed = true;
        return;
    }
    const uint64_t at = f->symbols[from->symbol].offset + (uint64_t)from->integer;

    if (bytes == WORD && to->kind == PTX_REGISTER)
        set(s, to, field_at(s, at));
    else if (bytes == WORD)
        for (uint32_t n = 0; n < to->count; n++)
            set(s, &to->list[n], field_at(s, at + n * WORD));
    else
        for (uint32_t n = 0; n < bytes * i->vector; n++) /* every field that it overlaps */
            for (uint32_t k = 0; k < WORD && k <= at + n; k++)
                s->found->fixed |= field_at(s, at + n - k);
}

static bool is_wide(const struct ptx_instruction *i)
{
    return i->type == PTX_PART_B64 || i->type == PTX_PART_U64 || i->type == PTX_PART_S64;
}

/* An address is never null, so this comparison does not depend on it. */
static bool moves_compare_null(const struct search *s, const struct ptx_instruction *i)
{
    const struct ptx_operand *o = i->operands;

    return i->opcode == PTX_SETP && i->operand_count == 3 && i->part_count &&
           (i->parts[0] == PTX_PART_EQ || i->parts[0] == PTX_PART_NE) && is_wide(i) &&
           o[1].kind == PTX_REGISTER && s->is_given[o[1].reg] && o[2].kind == PTX_INTEGER &&
           !o[2].integer;
}

static void follow(struct search *s, const struct ptx_instruction *i)
{
    const struct ptx_operand *o = i->operands;
    struct write_set_moves *m = s->found;

    if (i->operand_count < 2)
        return;
    switch (i->opcode) {
    case PTX_LD:
        if (i->space == PTX_SPACE_PARAM)
            load(s, i);
        else
            m->fixed |= of_operands(s, i, 1);
        return;
    case PTX_ST: /* stored values do not matter unless they are loaded again */
        m->fixed |= i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC
                        ? 0
                        : of_operands(s, i, 0);
        return;
    case PTX_MOV:
    case PTX_CVTA:
        for (uint32_t n = 0; n < i->operand_count; n++)
            m->is_fixed |= n && o[n].kind == PTX_SYMBOL && o[n].symbol >= 0 &&
                           (uint32_t)o[n].symbol < s->function->parameter_count;
        break;
    case PTX_SELP:
    case PTX_ADD: /* the sum of two addresses is no valid address */
        break;
    case PTX_SUB:
        m->fixed |= of_operand(s, &o[2]);
        break;
    case PTX_MAD:
        m->fixed |= of_operand(s, &o[1]) | of_operand(s, &o[2]);
        break;
    default:
        if (!moves_compare_null(s, i))
            m->fixed |= of_operands(s, i, 1);
        return;
    }
    if ((!is_wide(i) && i->opcode != PTX_MAD) || ptx_has(i, PTX_PART_CC)) {
        m->fixed |= of_operands(s, i, 1);
        return;
    }
    set(s, &o[0], of_operands(s, i, 1));
}

static bool gives(const struct search *s, const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_LD:
        return i->space == PTX_SPACE_PARAM;
    case PTX_MOV:
    case PTX_CVTA:
        return i->operands[1].kind == PTX_REGISTER && s->is_given[i->operands[1].reg];
    case PTX_SELP:
        return i->operands[1].kind == PTX_REGISTER && s->is_given[i->operands[1].reg] &&
               i->operands[2].kind == PTX_REGISTER && s->is_given[i->operands[2].reg];
    default:
        return false;
    }
}

static void clear_given(struct search *s, const struct ptx_operand *o)
{
    if (o->kind == PTX_REGISTER && s->is_given[o->reg]) {
        s->is_given[o->reg] = false;
        s->changed = true;
    }
    for (uint32_t n = 0; n < o->count && o->kind != PTX_MEMORY; n++)
        clear_given(s, &o->list[n]);
}

/* Removes registers with any other definition. */
static void find_given(struct search *s)
{
    for (uint32_t r = 0; r < s->function->register_count; r++)
        s->is_given[r] = true;
    do {
        s->changed = false;
        for (uint32_t n = 0; n < s->function->instruction_count; n++) {
            const struct ptx_instruction *i = &s->function->instructions[n];

            if (i->operand_count > 1 && !gives(s, i))
                clear_given(s, &i->operands[0]);
        }
    } while (s->changed);
}

struct write_set_moves write_set_moves_find(const struct ptx_function *f)
{
    struct write_set_moves m = {.count = 0};
    struct search s = {f, &m, must_calloc(f->register_count + 1u, sizeof *s.made_of),
                       must_calloc(f->register_count + 1u, sizeof *s.is_given), false};

    find_given(&s);
    do {
        s.changed = false;
        for (uint32_t n = 0; n < f->instruction_count; n++)
            follow(&s, &f->instructions[n]);
    } while (s.changed);
    free(s.made_of);
    free(s.is_given);
    return m;
}

bool write_set_moves_all(const struct write_set_moves *m, const uint32_t *offsets,
                         uint32_t count)
{
    uint64_t fields = 0;

    for (uint32_t n = 0; n < count; n++)
        for (uint32_t k = 0; k < m->count; k++)
            fields |= m->offset[k] == offsets[n] ? (uint64_t)1 << k : 0;
    return !m->is_fixed && !(m->fixed & fields);
}
