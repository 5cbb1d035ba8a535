/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/relocation.h"

#include <inttypes.h>

#include "base/memory.h"
#include "instrument/flow/definition.h"

enum { STEPS = 8 }; /* longest chain of added constants */

/* By register: the number of definitions, the last definition, and whether an instruction
   still reads the register once the loads name the parameter. */
struct relocations {
    const struct ptx_function *function;
    uint32_t *definitions, *definition;
    bool *is_read, changed;
};

struct relocation {
    int32_t parameter; /* -1: none */
    int64_t offset;
};

static const struct relocation nowhere = {.parameter = -1};

/* The only instruction that sets the register, unconditionally. NULL: none. */
static const struct ptx_instruction *setter(const struct relocations *p, int32_t reg)
{
    if (reg < 0 || p->definitions[reg] != 1)
        return NULL;
    const struct ptx_instruction *i = &p->function->instructions[p->definition[reg]];
    const struct ptx_operand *to = &i->operands[0];

    return i->guard < 0 && to->kind == PTX_REGISTER && to->reg == reg && !to->is_part
               ? i
               : NULL;
}

static struct relocation relocation_in(const struct relocations *p, int32_t reg, int steps)
{
    const struct ptx_instruction *i = steps ? setter(p, reg) : NULL;

    if (!i || p->function->registers[reg].bytes != sizeof(uint64_t))
        return nowhere;
    const struct ptx_operand *from = &i->operands[1];
    int64_t added = 0;

    if (i->opcode == PTX_MOV && from->kind == PTX_SYMBOL && from->symbol >= 0 &&
        (uint32_t)from->symbol < p->function->parameter_count)
        return (struct relocation){from->symbol, from->integer};
    if (i->opcode == PTX_ADD && i->operands[2].kind == PTX_INTEGER)
        added = i->operands[2].integer;
    else if (i->opcode != PTX_MOV)
        return nowhere;
    if (from->kind != PTX_REGISTER || from->is_part)
        return nowhere;
    struct relocation at = relocation_in(p, from->reg, steps - 1);

    at.offset += added;
    return at;
}

/* Parameter and offset that a load through a register reads. `nowhere`: unknown. */
static struct relocation relocation_of(const struct relocations *p,
                                       const struct ptx_instruction *i)
{
    const struct ptx_operand *from = &i->operands[1];

    if (i->opcode != PTX_LD || i->space != PTX_SPACE_PARAM || i->operand_count != 2 ||
        from->kind != PTX_MEMORY || from->symbol >= 0 || from->reg < 0)
        return nowhere;
    struct relocation at = relocation_in(p, from->reg, STEPS);

    at.offset += from->integer;
    return at.offset < 0 ? nowhere : at;
}

static void note_read(void *context, int32_t reg)
{
    struct relocations *p = context;

    p->changed |= !p->is_read[reg];
    p->is_read[reg] = true;
}

/* True if the instruction computes a parameter address that no instruction reads. */
static bool is_idle(const struct relocations *p, const struct ptx_instruction *i)
{
    const int32_t reg = i->operand_count > 1 && i->operands[0].kind == PTX_REGISTER
                            ? i->operands[0].reg
                            : -1;

    return reg >= 0 && !p->is_read[reg] && setter(p, reg) == i &&
           relocation_in(p, reg, STEPS).parameter >= 0;
}

static void find_read(struct relocations *p)
{
    const struct ptx_function *f = p->function;

    do {
        p->changed = false;
        for (uint32_t n = f->instruction_count; n-- > 0;)
            if (!is_idle(p, &f->instructions[n]) &&
                relocation_of(p, &f->instructions[n]).parameter < 0)
                definition_each_use(&f->instructions[n], note_read, p);
    } while (p->changed);
}

static void name_there(const struct relocations *p, struct edit_list *edits)
{
    const struct ptx_function *f = p->function;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];
        const struct relocation at = relocation_of(p, i);

        if (at.parameter >= 0)
            edit_replace(edits, i->operands[1].span, "[%s+%" PRId64 "]",
                         f->symbols[at.parameter].name, at.offset);
        else if (is_idle(p, i))
            edit_replace(edits, i->span, "%s", "");
    }
}

void relocations_name(const struct ptx_function *kernel, struct edit_list *edits)
{
    struct arena arena = {0};
    const size_t count = kernel->register_count + 1u;
    struct relocations p = {.function = kernel,
                            .definitions = arena_alloc(&arena, count * sizeof(uint32_t)),
                            .definition = arena_alloc(&arena, count * sizeof(uint32_t)),
                            .is_read = arena_alloc(&arena, count)};

    ptx_definitions_count(kernel, p.definitions, p.definition);
    find_read(&p);
    name_there(&p, edits);
    arena_clear(&arena);
}
