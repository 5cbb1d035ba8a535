/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/found_address.h"

#include <stdlib.h>

#include "base/memory.h"
#include "instrument/taint.h"

/* An address comes from memory as a word, or as two halves that are put together. */
enum { WORD = 1, HALF = 2, HIGH_HALF = 4 };

static uint8_t loaded(const struct ptx_instruction *i)
{
    if (i->opcode != PTX_LD || i->space == PTX_SPACE_PARAM)
        return 0;
    if (i->type == PTX_PART_U64 || i->type == PTX_PART_B64 || i->type == PTX_PART_S64 ||
        i->type == PTX_PART_B128)
        return WORD;
    return i->type == PTX_PART_U32 || i->type == PTX_PART_B32 || i->type == PTX_PART_S32
               ? HALF
               : 0;
}

static bool is_wide(const struct ptx_instruction *i)
{
    return i->type == PTX_PART_B64 || i->type == PTX_PART_U64 || i->type == PTX_PART_S64;
}

/* Index arithmetic shifts by 32, too, to extend a sign: that goes back by a shift. */
static bool joins(const struct ptx_instruction *i, uint8_t used)
{
    if (i->opcode == PTX_OR || i->opcode == PTX_ADD)
        return is_wide(i) && used & HIGH_HALF;
    return used & HALF && is_wide(i) &&
           (i->opcode == PTX_BFI ||
            (i->opcode == PTX_MOV && i->operands[1].kind == PTX_VECTOR));
}

/* No address becomes a floating-point number, and comes back. */
static bool is_float(enum ptx_part type)
{
    return type == PTX_PART_F64 || type == PTX_PART_F32 || type == PTX_PART_F16 ||
           type == PTX_PART_F16X2;
}

static bool is_narrow(const struct ptx_function *f, const struct ptx_instruction *i)
{
    return i->operand_count && i->operands[0].kind == PTX_REGISTER &&
           f->registers[i->operands[0].reg].bytes > 0 &&
           f->registers[i->operands[0].reg].bytes <= 4;
}

struct reading {
    const struct ptx_function *function;
};

static uint8_t mark_words(void *context, const struct ptx_instruction *i, uint8_t used)
{
    const struct ptx_function *f = ((const struct reading *)context)->function;

    if (loaded(i))
        return loaded(i);
    if (is_float(i->type) || (i->operand_count && i->operands[0].kind == PTX_REGISTER &&
                              is_float(f->registers[i->operands[0].reg].type)))
        return 0;
    if (joins(i, used))
        return WORD;
    used &= WORD | HALF;
    if (used && is_narrow(f, i))
        return HALF; /* what is left of a word is none, unless it is joined again */
    if (i->opcode == PTX_SHL && is_wide(i) && used & HALF &&
        i->operands[2].kind == PTX_INTEGER && i->operands[2].integer == 32)
        used |= HIGH_HALF;
    return used;
}

/* Out of the function, to where nobody follows it: into another, back to its caller, or,
   from one that is called, into memory that is not its own. */
static bool gives_away(const struct ptx_instruction *i, bool is_entry)
{
    if (i->opcode == PTX_CALL || i->opcode == PTX_OPCODE_COUNT)
        return true;
    if (i->opcode != PTX_ST || !(is_wide(i) || i->type == PTX_PART_B128))
        return false;
    return i->space == PTX_SPACE_PARAM ||
           (!is_entry && i->space != PTX_SPACE_LOCAL && i->space != PTX_SPACE_SHARED);
}

/* Whether a marked register is part of an address, or leaves the function. */
static bool leads_somewhere(const struct ptx_instruction *i, const uint8_t *marks,
                            bool is_entry)
{
    bool passes = gives_away(i, is_entry);

    for (uint32_t o = 0; o < i->operand_count; o++) {
        const struct ptx_operand *at = &i->operands[o];

        if (((passes && at->kind == PTX_REGISTER) || at->kind == PTX_MEMORY) &&
            at->reg >= 0 && marks[at->reg] & WORD)
            return true;
        for (uint32_t e = 0; passes && at->kind == PTX_VECTOR && e < at->count; e++)
            if (at->list[e].kind == PTX_REGISTER && marks[at->list[e].reg] & WORD)
                return true;
    }
    return false;
}

/* Where the first `what` is loaded from memory that others may have written; or 0. */
static uint32_t loads_at(const struct ptx_function *f, uint8_t what)
{
    for (uint32_t i = 0; i < f->instruction_count; i++)
        if (loaded(&f->instructions[i]) == what &&
            f->instructions[i].space != PTX_SPACE_SHARED &&
            f->instructions[i].space != PTX_SPACE_LOCAL)
            return f->instructions[i].line;
    return 0;
}

static uint32_t loads_address_at(const struct ptx_function *f)
{
    uint32_t line = loads_at(f, WORD), half_line = loads_at(f, HALF);
    bool leads = false;

    if (!line && !half_line)
        return 0;
    uint8_t *marks = must_calloc(f->register_count + 1, 1);

    taint_spread(f, marks, mark_words, &(struct reading){f});
    for (uint32_t i = 0; i < f->instruction_count && !leads; i++)
        leads = leads_somewhere(&f->instructions[i], marks, f->is_entry);
    free(marks);
    return !leads ? 0 : line ? line : half_line;
}

uint32_t found_address_line(const struct ptx_module *m, const struct ptx_function *kernel)
{
    bool *reached = must_calloc(m->function_count, sizeof *reached);
    uint32_t line = loads_address_at(kernel);

    ptx_reach(m, kernel, reached);
    for (uint32_t i = 0; i < m->function_count && !line; i++)
        if (reached[i] && !m->functions[i].is_entry)
            line = loads_address_at(&m->functions[i]);
    free(reached);
    return line;
}
