/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/provenance/found_address.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "instrument/flow/definition.h"
#include "instrument/flow/taint.h"
#include "instrument/instrument.h"

/* Marks of registers. A loaded address is a word, or two halves that are combined. GIVEN
   marks an unchanged parameter. */
enum { WORD = 1, HALF = 2, HIGH_HALF = 4, GIVEN = 8 };

static uint8_t loaded(const struct ptx_instruction *i)
{
    const bool has_texels = ptx_opcode_has_texels(i->opcode);

    if ((i->opcode != PTX_LD && !has_texels) || i->space == PTX_SPACE_PARAM)
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

/* Index arithmetic also shifts by 32, to extend a sign, but that shift is reversed. */
static bool joins(const struct ptx_instruction *i, uint8_t used)
{
    if (i->opcode == PTX_OR || i->opcode == PTX_ADD)
        return is_wide(i) && used & HIGH_HALF;
    return used & HALF && is_wide(i) &&
           (i->opcode == PTX_BFI ||
            (i->opcode == PTX_MOV && i->operands[1].kind == PTX_VECTOR));
}

/* No address is converted to floating point and back. */
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

/* Marks that may become a word again. */
static uint8_t mark_halves(const struct ptx_function *f, const struct ptx_instruction *i,
                           uint8_t used)
{
    if (joins(i, used))
        return WORD;
    used &= WORD | HALF;
    if (used && is_narrow(f, i))
        return HALF; /* a part of a word is no address unless the halves are combined */
    if (i->opcode == PTX_SHL && is_wide(i) && used & HALF &&
        i->operands[2].kind == PTX_INTEGER && i->operands[2].integer == 32)
        used |= HIGH_HALF;
    return used;
}

/* By register: possible results of addresses, and pointer parameters plus indices,
   independent of control flow. */
struct reading {
    const struct ptx_function *function;
    const bool *loads; /* by instruction: the loads in question; NULL: all */
    uint8_t *addresses;
    bool *pointers;
};

static uint8_t address_of(const struct reading *r, const struct ptx_operand *o)
{
    return o->kind == PTX_REGISTER ? r->addresses[o->reg] : 0;
}

/* A value derived from a parameter may be an address if the parameter may. */
static uint8_t made_of(const struct reading *r, const struct ptx_operand *o)
{
    const uint8_t marks = address_of(r, o);

    return marks & GIVEN ? WORD : marks;
}

/* A parameter that is a factor is a stride, not an address. A derived value can be one: a
   difference of addresses in elements, times their size. */
static uint8_t scaled_by(const struct reading *r, const struct ptx_operand *o)
{
    return address_of(r, o) == GIVEN ? 0 : made_of(r, o);
}

static bool divides(const struct ptx_instruction *i)
{
    return i->opcode == PTX_DIV || i->opcode == PTX_REM;
}

/* A remainder of an index is an index for any divisor. */
static uint8_t mark_scaled(const struct reading *r, const struct ptx_instruction *i)
{
    const struct ptx_operand *o = i->operands;
    uint8_t marks =
        divides(i) ? made_of(r, &o[1]) : scaled_by(r, &o[1]) | scaled_by(r, &o[2]);

    if (i->opcode == PTX_MAD)
        marks |= made_of(r, &o[3]);
    return mark_halves(r->function, i, marks);
}

/* Words in global memory are the values in question, and a difference of two of them is no
   index. */
static uint8_t mark_addresses(void *context, const struct ptx_instruction *i, uint8_t used)
{
    const struct reading *r = context;

    if (i->opcode == PTX_CALL || i->opcode == PTX_OPCODE_COUNT)
        return WORD;
    if (i->opcode == PTX_LD &&
        (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_CONST))
        return 0;
    if (i->opcode == PTX_LD && ptx_type_bytes(i->type) == 4)
        return HALF;
    if (i->opcode == PTX_LD)
        return i->space == PTX_SPACE_PARAM ? GIVEN : WORD;
    for (uint32_t o = 1; o < i->operand_count; o++)
        if (i->operands[o].kind == PTX_SYMBOL)
            return WORD;
    if (i->opcode == PTX_MUL || i->opcode == PTX_MAD || divides(i))
        return mark_scaled(r, i);
    if (i->opcode == PTX_MOV || i->opcode == PTX_CVTA)
        return used & GIVEN ? GIVEN | (used & WORD) : mark_halves(r->function, i, used);
    return used & GIVEN ? WORD : mark_halves(r->function, i, used);
}

static bool is_pointer(const struct reading *r, const struct ptx_operand *o)
{
    return o->kind == PTX_REGISTER && r->pointers[o->reg];
}

static bool is_index(const struct reading *r, const struct ptx_operand *o)
{
    return o->kind == PTX_INTEGER ||
           (o->kind == PTX_REGISTER && !(r->addresses[o->reg] & (WORD | GIVEN)));
}

/* A pointer parameter plus an index. The compiler declares that a parameter points to
   global memory, so this is no loaded address plus an offset. */
static bool adds_index(const struct reading *r, const struct ptx_instruction *i)
{
    const struct ptx_operand *o = i->operands;

    if (i->opcode == PTX_ADD && is_wide(i) && i->operand_count == 3)
        return (is_pointer(r, &o[1]) && is_index(r, &o[2])) ||
               (is_pointer(r, &o[2]) && is_index(r, &o[1]));
    return i->opcode == PTX_MAD && i->operand_count == 4 && is_pointer(r, &o[3]) &&
           is_index(r, &o[1]) && is_index(r, &o[2]);
}

static bool reads_parameter(const struct ptx_function *f, const struct ptx_instruction *i)
{
    return i->opcode == PTX_LD && i->space == PTX_SPACE_PARAM && f->is_entry &&
           i->operands[1].symbol >= 0 &&
           (uint32_t)i->operands[1].symbol < f->parameter_count;
}

struct looking {
    const bool *by_register;
    bool found;
};

static void look_at(void *context, int32_t reg)
{
    struct looking *l = context;

    l->found |= l->by_register[reg];
}

static void clear_register(void *context, int32_t reg)
{
    ((bool *)context)[reg] = false;
}

/* By register: whether all its definitions read parameters. */
static bool *find_parameters(const struct ptx_function *f)
{
    bool *all = must_calloc(f->register_count + 1u, sizeof *all);

    for (int32_t reg = 0; reg < (int32_t)f->register_count; reg++)
        all[reg] = true;
    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (!reads_parameter(f, &f->instructions[n]))
            definition_each(&f->instructions[n], clear_register, all);
    return all;
}

static bool is_given_variable(const struct ptx_function *f, const struct ptx_operand *o)
{
    static const char prefix[] = INSTRUMENT_VARIABLE;

    return strncmp(f->symbols[o->symbol].name, prefix, sizeof prefix - 1) == 0;
}

static bool makes_pointer(const struct reading *r, const bool *parameters,
                          const struct ptx_instruction *i)
{
    const struct ptx_operand *o = i->operands;

    if (i->operand_count < 2)
        return false;
    switch (i->opcode) {
    case PTX_CVTA:
        return ptx_has(i, PTX_PART_TO) && i->space == PTX_SPACE_GLOBAL &&
               o[1].kind == PTX_REGISTER && parameters[o[1].reg];
    case PTX_LD: /* the address of a variable that became an array */
        return reads_parameter(r->function, i) && is_given_variable(r->function, &o[1]);
    case PTX_MOV:
        return is_pointer(r, &o[1]) ||
               (o[1].kind == PTX_SYMBOL && o[1].symbol >= PTX_SYMBOL_MODULE);
    case PTX_SELP:
        return is_pointer(r, &o[1]) && is_pointer(r, &o[2]);
    default:
        return adds_index(r, i);
    }
}

static bool defines_pointer(const struct reading *r, const struct ptx_instruction *i)
{
    struct looking l = {r->pointers, false};

    definition_each(i, look_at, &l);
    return l.found;
}

/* Greatest fixed point: starts with all registers and removes those with another
   definition. */
static void find_pointers(struct reading *r)
{
    const struct ptx_function *f = r->function;
    bool *parameters = find_parameters(f), changed = true;

    for (uint32_t reg = 0; reg < f->register_count; reg++)
        r->pointers[reg] = f->registers[reg].bytes == 8;
    while (changed) {
        changed = false;
        for (uint32_t n = 0; n < f->instruction_count; n++) {
            const struct ptx_instruction *i = &f->instructions[n];

            if (!defines_pointer(r, i) || makes_pointer(r, parameters, i))
                continue;
            definition_each(i, clear_register, r->pointers);
            changed = true;
        }
    }
    free(parameters);
}

static uint8_t mark_words(void *context, const struct ptx_instruction *i, uint8_t used)
{
    const struct reading *r = context;
    const struct ptx_function *f = r->function;

    if (r->loads && i->opcode == PTX_LD)
        return r->loads[i - f->instructions] ? loaded(i) : 0;
    if (loaded(i))
        return loaded(i);
    if (adds_index(r, i))
        return 0;
    if (is_float(i->type) || (i->operand_count && i->operands[0].kind == PTX_REGISTER &&
                              is_float(f->registers[i->operands[0].reg].type)))
        return 0;
    return mark_halves(f, i, used);
}

/* Values that leave the function: call arguments, results, and stores of a callee to memory
   that is not its own. */
static bool gives_away(const struct ptx_instruction *i, bool is_entry)
{
    if (i->opcode == PTX_CALL || i->opcode == PTX_OPCODE_COUNT)
        return true;
    if (i->opcode != PTX_ST || !(is_wide(i) || i->type == PTX_PART_B128))
        return false;
    return i->space == PTX_SPACE_PARAM ||
           (!is_entry && i->space != PTX_SPACE_LOCAL && i->space != PTX_SPACE_SHARED);
}

/* Whether a marked register is part of an address or leaves the function. */
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

/* Line of the first load of kind `what` from memory that others may have written; 0:
   none. */
static uint32_t loads_at(const struct ptx_function *f, uint8_t what)
{
    for (uint32_t i = 0; i < f->instruction_count; i++)
        if (loaded(&f->instructions[i]) == what &&
            f->instructions[i].space != PTX_SPACE_SHARED &&
            f->instructions[i].space != PTX_SPACE_LOCAL)
            return f->instructions[i].line;
    return 0;
}

/* By register: marks of loaded values. */
static uint8_t *find_marks(const struct ptx_function *f, const bool *loads)
{
    const size_t registers = f->register_count + 1u;
    uint8_t *marks = must_calloc(registers, 1);
    struct reading r = {f, loads, must_calloc(registers, 1),
                        must_calloc(registers, sizeof *r.pointers)};

    taint_spread(f, r.addresses, mark_addresses, &r);
    find_pointers(&r);
    taint_spread(f, marks, mark_words, &r);
    free(r.pointers);
    free(r.addresses);
    return marks;
}

bool *found_words(const struct ptx_function *f)
{
    bool *words = must_calloc(f->register_count + 1u, sizeof *words);

    if (!loads_at(f, WORD) && !loads_at(f, HALF))
        return words;
    uint8_t *marks = find_marks(f, NULL);

    for (uint32_t reg = 0; reg < f->register_count; reg++)
        words[reg] = marks[reg] & WORD;
    free(marks);
    return words;
}

bool found_address_leads(const struct ptx_function *f, const bool *loads)
{
    uint8_t *marks = find_marks(f, loads);
    bool leads = false;

    for (uint32_t i = 0; i < f->instruction_count && !leads; i++)
        leads = leads_somewhere(&f->instructions[i], marks, f->is_entry);
    free(marks);
    return leads;
}

static uint32_t loads_address_at(const struct ptx_function *f)
{
    uint32_t line = loads_at(f, WORD), half_line = loads_at(f, HALF);

    if ((!line && !half_line) || !found_address_leads(f, NULL))
        return 0;
    return line ? line : half_line;
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
