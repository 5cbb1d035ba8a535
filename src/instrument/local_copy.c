/* SPDX-License-Identifier: Apache-2.0 */
/* Local copies of parameters. If a kernel indexes a struct parameter at run time (`p[i]`),
   some compilers copy it word by word to local memory and read the copy. The provenance of
   a pointer in the copy is unknown. A load from the parameter itself has a known value,
   different on each device, before the launch. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "instrument/edit.h"
#include "instrument/flow/definition.h"
#include "instrument/instrument.h"
#include "instrument/relocation.h"

enum { NO_PLACE = -1 };

/* The local memory of a function with a single variable, and its addresses in registers. */
struct local_copy {
    const struct ptx_module *module;
    const struct ptx_function *function;
    struct ptx_flow *flow;
    int32_t local, parameter;               /* symbols; -1: not found yet */
    uint32_t *definitions, *definition;     /* by register: number of definitions, and the
                                               last one */
    bool *leads, *is_generic;               /* by register: contains an address in the
                                               variable */
    uint32_t taken, last_store, first_load; /* indices of instructions */
    uint32_t widest;                        /* bytes of the widest load */
};

static bool is_local(const struct local_copy *c, int32_t symbol)
{
    return symbol >= 0 && (uint32_t)symbol < c->function->symbol_count &&
           c->function->symbols[symbol].space == PTX_SPACE_LOCAL;
}

static bool names_local(const struct local_copy *c, const struct ptx_operand *o)
{
    if ((o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY) && is_local(c, o->symbol))
        return true;
    for (uint32_t n = 0; n < o->count; n++)
        if (names_local(c, &o->list[n]))
            return true;
    return false;
}

static bool leads(const struct local_copy *c, const struct ptx_operand *o)
{
    if (o->reg >= 0 && (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY) &&
        c->leads[o->reg])
        return true;
    for (uint32_t n = 0; n < o->count; n++)
        if (leads(c, &o->list[n]))
            return true;
    return false;
}

/* The address is taken once, unmodified, at the start. */
static bool find_taken(struct local_copy *c)
{
    for (uint32_t n = 0; n < c->function->instruction_count; n++) {
        const struct ptx_instruction *i = &c->function->instructions[n];

        for (uint32_t k = 0; k < i->operand_count; k++) {
            const struct ptx_operand *o = &i->operands[k];

            if (!names_local(c, o))
                continue;
            if (c->local >= 0 || i->opcode != PTX_MOV || i->guard >= 0 || k != 1 ||
                o->kind != PTX_SYMBOL || o->integer || c->flow->block_of[n] ||
                i->operands[0].kind != PTX_REGISTER)
                return false;
            c->local = o->symbol;
            c->taken = n;
        }
    }
    return c->local >= 0;
}

/* True for an address plus a number, and for an address converted between spaces. */
static bool passes_on(const struct ptx_instruction *i)
{
    return i->operands[0].kind == PTX_REGISTER &&
           (i->opcode == PTX_MOV || i->opcode == PTX_ADD || i->opcode == PTX_CVTA);
}

static void find_leads(struct local_copy *c)
{
    const struct ptx_function *f = c->function;

    c->leads[f->instructions[c->taken].operands[0].reg] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < f->instruction_count; n++) {
            const struct ptx_instruction *i = &f->instructions[n];
            bool any = false, generic = i->opcode == PTX_CVTA;

            if (i->operand_count < 2 || !passes_on(i))
                continue;
            for (uint32_t k = 1; k < i->operand_count; k++) {
                const struct ptx_operand *o = &i->operands[k];

                any |= leads(c, o);
                generic |= o->kind == PTX_REGISTER && c->is_generic[o->reg];
            }
            const int32_t to = i->operands[0].reg;

            if (!any || (c->leads[to] && (c->is_generic[to] || !generic)))
                continue;
            c->leads[to] = true;
            c->is_generic[to] |= generic;
            changed = true;
        }
    }
}

/* The last instruction before `*at` that sets the register, in program order. In the first
   block it is the reaching definition. NULL: none. */
static const struct ptx_instruction *setter(const struct local_copy *c, int32_t reg,
                                            uint32_t *at)
{
    while ((*at)-- > 0) {
        const struct ptx_instruction *i = &c->function->instructions[*at];

        if (i->operand_count > 1 && i->operands[0].kind == PTX_REGISTER &&
            i->operands[0].reg == reg)
            return i->guard < 0 ? i : NULL;
    }
    return NULL;
}

/* Byte offset in the variable of the address in the register, as instruction `at` of the
   first block reads it. */
static int64_t place_of(const struct local_copy *c, int32_t reg, uint32_t at)
{
    const struct ptx_instruction *i = setter(c, reg, &at);

    if (!i || !c->leads[reg])
        return NO_PLACE;
    if (at == c->taken)
        return 0;
    if (i->operands[1].kind != PTX_REGISTER)
        return NO_PLACE;
    int64_t from = place_of(c, i->operands[1].reg, at);

    if (i->opcode == PTX_MOV || from < 0)
        return i->opcode == PTX_MOV ? from : NO_PLACE;
    return i->opcode == PTX_ADD && i->operands[2].kind == PTX_INTEGER
               ? from + i->operands[2].integer
               : NO_PLACE;
}

/* True if the register contains `bytes` bytes of the parameter at offset `place`,
   unchanged. */
static bool holds(struct local_copy *c, const struct ptx_operand *value, uint32_t bytes,
                  int64_t place)
{
    if (value->kind != PTX_REGISTER || value->is_part || c->definitions[value->reg] != 1)
        return false;
    const struct ptx_instruction *i = &c->function->instructions[c->definition[value->reg]];
    const struct ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    uint32_t element = 0;

    if (i->opcode != PTX_LD || i->space != PTX_SPACE_PARAM || i->guard >= 0 ||
        from->kind != PTX_MEMORY || from->reg >= 0 || from->symbol < 0 ||
        (uint32_t)from->symbol >= c->function->parameter_count ||
        ptx_type_bytes(i->type) != bytes)
        return false;
    while (to->kind == PTX_VECTOR && element < to->count &&
           to->list[element].reg != value->reg)
        element++;
    if (c->parameter < 0)
        c->parameter = from->symbol;
    return c->parameter == from->symbol && from->integer + element * bytes == place;
}

/* A copy must be in the first block, so that every load follows it. */
static bool is_copy(struct local_copy *c, uint32_t at)
{
    const struct ptx_instruction *i = &c->function->instructions[at];
    const struct ptx_operand *to = &i->operands[0], *value = &i->operands[1];
    const uint32_t bytes = ptx_type_bytes(i->type);

    if (i->guard >= 0 || c->flow->block_of[at] || to->reg < 0 || leads(c, value) || !bytes)
        return false;
    int64_t place = place_of(c, to->reg, at);

    if (place < 0)
        return false;
    place += to->integer;
    if (value->kind != PTX_VECTOR)
        return holds(c, value, bytes, place);
    for (uint32_t k = 0; k < value->count; k++)
        if (!holds(c, &value->list[k], bytes, place + k * bytes))
            return false;
    return true;
}

static bool is_plain_load(struct local_copy *c, const struct ptx_instruction *i)
{
    const uint32_t width = ptx_type_bytes(i->type) * i->vector;

    c->widest = width > c->widest ? width : c->widest;
    for (uint8_t n = 0; n < i->part_count; n++)
        if (i->parts[n] != PTX_PART_LOCAL && i->parts[n] != PTX_PART_V2 &&
            i->parts[n] != PTX_PART_V4 && i->parts[n] != i->type)
            return false;
    return i->operand_count == 2 && i->operands[1].reg >= 0 &&
           !c->is_generic[i->operands[1].reg];
}

/* True if the kernel only copies the parameter into the variable and reads the copy. */
static bool is_used_well(struct local_copy *c, uint32_t at)
{
    const struct ptx_instruction *i = &c->function->instructions[at];
    bool any = false;

    for (uint32_t k = 0; k < i->operand_count; k++)
        any |= leads(c, &i->operands[k]);
    if (!any)
        return true;
    if (i->opcode == PTX_ST && i->space == PTX_SPACE_LOCAL && i->operand_count == 2) {
        c->last_store = at;
        return is_copy(c, at);
    }
    if (i->opcode == PTX_LD && i->space == PTX_SPACE_LOCAL) {
        c->first_load = at < c->first_load ? at : c->first_load;
        return is_plain_load(c, i) && !leads(c, &i->operands[0]);
    }
    unsigned sources = at == c->taken; /* exactly one, or the sum may leave the variable */

    for (uint32_t k = 1; k < i->operand_count; k++)
        sources += leads(c, &i->operands[k]);
    return passes_on(i) && sources == 1;
}

static bool find(struct local_copy *c)
{
    const struct ptx_function *f = c->function;

    ptx_definitions_count(f, c->definitions, c->definition);
    if (!find_taken(c) || c->flow->blocks[0].predecessor_count)
        return false;
    find_leads(c);
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (!is_used_well(c, n))
            return false;
    return c->parameter >= 0 && c->first_load < f->instruction_count &&
           c->last_store < c->first_load &&
           c->widest <= f->symbols[c->parameter].align && /* the variable may have had a
                                                             larger alignment */
           f->symbols[c->local].bytes <= (f->symbols[c->parameter].bytes + 7) / 8 * 8;
}

/* Replaced instructions keep their lines. */
static void rewrite(const struct local_copy *c, struct edit_list *edits)
{
    static const char from[] = ".local";
    const struct ptx_function *f = c->function;
    const char *text = c->module->text;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        bool is_memory = i->space == PTX_SPACE_LOCAL;

        if (n == c->taken)
            edit_replace(edits, i->operands[1].span, "%s", f->symbols[c->parameter].name);
        else if (i->opcode == PTX_ST && is_memory && leads(c, &i->operands[0]))
            edit_replace(edits, i->span, "%s", "");
        else if (i->opcode == PTX_LD && is_memory && leads(c, &i->operands[1]))
            edit_replace(
                edits,
                (struct ptx_span){(uint32_t)(strstr(text + i->span.offset, from) - text),
                                  sizeof from - 1},
                ".param");
    }
}

static void look_at(const struct ptx_module *m, const struct ptx_function *f,
                    struct edit_list *edits)
{
    struct arena arena = {0};
    const size_t count = f->register_count + 1u;
    struct local_copy c = {.module = m,
                           .function = f,
                           .flow = ptx_flow_build(f, &arena),
                           .local = -1,
                           .parameter = -1,
                           .definitions = arena_alloc(&arena, count * sizeof(uint32_t)),
                           .definition = arena_alloc(&arena, count * sizeof(uint32_t)),
                           .leads = arena_alloc(&arena, count),
                           .is_generic = arena_alloc(&arena, count),
                           .first_load = UINT32_MAX};

    if (find(&c))
        rewrite(&c, edits);
    arena_clear(&arena);
}

char *instrument_read_parameters(const struct ptx_module *m, size_t *bytes)
{
    struct edit_list edits = {0};
    struct text text = {0};

    for (uint32_t n = 0; n < m->function_count; n++)
        if (m->functions[n].is_entry && m->functions[n].instruction_count) {
            look_at(m, &m->functions[n], &edits);
            relocations_name(&m->functions[n], &edits);
        }
    if (edits.count)
        edit_print(&edits, m, (struct ptx_span){0, (uint32_t)m->bytes}, &text);
    edit_clear(&edits);
    *bytes = text.length;
    return text.data;
}
