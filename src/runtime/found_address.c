/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/found_address.h"

#include <stdlib.h>

#include "base/memory.h"
#include "instrument/taint.h"

static bool loads_word(const struct ptx_instruction *i)
{
    return i->opcode == PTX_LD && i->space != PTX_SPACE_PARAM &&
           (i->type == PTX_PART_U64 || i->type == PTX_PART_B64 || i->type == PTX_PART_S64);
}

static uint8_t mark_words(void *context, const struct ptx_instruction *i, uint8_t used)
{
    (void)context;
    return loads_word(i) ? 1 : used;
}

/* Whether a marked register is part of an address, or goes into a function. */
static bool leads_somewhere(const struct ptx_instruction *i, const uint8_t *marks)
{
    bool passes = i->opcode == PTX_CALL ||
                  (i->opcode == PTX_ST && i->space == PTX_SPACE_PARAM) ||
                  i->opcode == PTX_OPCODE_COUNT;

    for (uint32_t o = 0; o < i->operand_count; o++) {
        const struct ptx_operand *at = &i->operands[o];

        if (((passes && at->kind == PTX_REGISTER) || at->kind == PTX_MEMORY) &&
            at->reg >= 0 && marks[at->reg])
            return true;
        for (uint32_t e = 0; passes && at->kind == PTX_VECTOR && e < at->count; e++)
            if (at->list[e].kind == PTX_REGISTER && marks[at->list[e].reg])
                return true;
    }
    return false;
}

/* Of a function, any word may go anywhere. */
static uint32_t loads_address_at(const struct ptx_function *f)
{
    uint8_t *marks = must_calloc(f->register_count + 1, 1);
    uint32_t line = 0;
    bool leads = false;

    for (uint32_t i = 0; i < f->instruction_count && !line; i++)
        if (loads_word(&f->instructions[i]) &&
            f->instructions[i].space != PTX_SPACE_SHARED &&
            f->instructions[i].space != PTX_SPACE_LOCAL)
            line = f->instructions[i].line;
    if (line)
        taint_spread(f, marks, mark_words, NULL);
    for (uint32_t i = 0; i < f->instruction_count && line && !leads; i++)
        leads = leads_somewhere(&f->instructions[i], marks);
    free(marks);
    return leads || !f->is_entry ? line : 0;
}

uint32_t found_address_line(const struct ptx_module *m, const struct ptx_function *kernel)
{
    uint32_t line = loads_address_at(kernel);

    for (uint32_t i = 0; i < m->function_count && !line; i++)
        if (!m->functions[i].is_entry)
            line = loads_address_at(&m->functions[i]);
    return line;
}
