/* SPDX-License-Identifier: Apache-2.0 */
/* Hoisting of invariant operations. A register is invariant if its only definition is an
   unguarded pure operation on invariant operands. That holds for any control flow, because
   only an invalid program reads the register before its definition. The operands determine
   how often it is computed: once per launch, per CTA, or per warp index. Hoisted operations
   leave the stream, but their blocks still count them. */
#include "execute/load/decoder.h"

#include "execute/run/run_convert.h"

/* True for a pure opcode that is a function of its registers alone. */
static bool is_hoistable_opcode(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_ACTIVEMASK:
    case PTX_ADDC:
    case PTX_SUBC:
    case PTX_MADC:
    case PTX_CREATEPOLICY:
    case PTX_GETCTARANK: /* depends on the CTA's own rank, as does the next one */
    case PTX_ISSPACEP:
        return false;
    default:
        return ptx_opcode_effect(i->opcode) == PTX_PURE && !ptx_has(i, PTX_PART_CC);
    }
}

/* True for ld.param at a constant offset. */
static bool is_parameter(const struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *from = &i->operands[1];
    uint64_t offset;

    if (i->opcode != PTX_LD || i->space != PTX_SPACE_PARAM || !d->function->is_entry)
        return false;
    if (from->symbol >= 0)
        return symbol_find(d, from->symbol, &offset) == HOME_PARAMETER;
    return from->reg >= 0 && d->homes[from->reg].is_known;
}

/* True if the sources of `i` are invariant. `*file` receives the file of its result. */
static bool sources_invariant(const struct decoder *d, const struct ptx_instruction *i,
                              enum op_file *file)
{
    enum op_file one;

    *file = FILE_LAUNCH;
    if (is_parameter(d, i))
        return true;
    if (!is_hoistable_opcode(i))
        return false;
    for (uint32_t n = 1; n < i->operand_count; n++) {
        if (!operand_is_hoistable(d, &i->operands[n], &one))
            return false;
        *file = file_join(*file, one);
    }
    return *file != FILE_WARP;
}

/* Makes the result an alias of its source, for mov and for conversions to global
   addresses. */
static bool alias(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    bool is_global = i->opcode == PTX_CVTA &&
                     (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_CONST);
    unsigned bytes = lane_bytes(d->function->registers[to->reg].bytes), has = bytes;
    struct home *home = &d->homes[to->reg];
    op_place place;

    if (i->opcode != PTX_MOV && !is_global)
        return false;
    if (from->kind == PTX_VECTOR || from->is_part || to->is_part)
        return false;
    if (from->kind == PTX_REGISTER)
        has = lane_bytes(d->function->registers[from->reg].bytes);
    if (has != bytes || !operand_source(d, from, bytes, &place))
        return false;
    home->place = place;
    home->file = (uint8_t)(place >> 30);
    if (from->kind == PTX_REGISTER) {
        home->is_known = d->homes[from->reg].is_known;
        home->value = d->homes[from->reg].value;
    } else if (from->kind == PTX_INTEGER) {
        home->is_known = true;
        home->value = from->integer;
    } else if (from->kind == PTX_SYMBOL) {
        uint64_t offset = 0;

        home->is_known = symbol_find(d, from->symbol, &offset) == HOME_PARAMETER;
        home->value = (int64_t)offset + from->integer;
    }
    return true;
}

static bool hoist_instruction(struct decoder *d, const struct ptx_instruction *i,
                              enum op_file file, const struct register_list *r)
{
    d->source = i;
    d->line = i->line;
    if (i->operands[0].kind == PTX_REGISTER && alias(d, i))
        return true;
    for (unsigned n = 0; n < r->set_count; n++) {
        struct home *home = &d->homes[r->set[n]];

        home->file = (uint8_t)file;
        home->place =
            place_new(d, file, lane_bytes(d->function->registers[r->set[n]].bytes));
    }
    d->list = &d->kernel->hoisted[file];
    bool done = decode_instruction(d, i);

    d->list = &d->kernel->stream;
    return done;
}

static uint8_t *definitions_count(struct decoder *d)
{
    const struct ptx_function *f = d->function;
    uint8_t *count = arena_alloc(&d->arena, f->register_count + 1);
    struct register_list r;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        instruction_registers(&f->instructions[n], &r);
        for (unsigned k = 0; k < r.set_count; k++)
            count[r.set[k]] = (uint8_t)(count[r.set[k]] < 2 && f->instructions[n].guard < 0
                                            ? count[r.set[k]] + 1
                                            : 2);
    }
    return count;
}

/* True if all results have a single definition and are not hoisted yet. */
static bool results_free(const struct decoder *d, const uint8_t *count,
                         const struct register_list *r)
{
    for (unsigned k = 0; k < r->set_count; k++)
        if (count[r->set[k]] != 1 || d->homes[r->set[k]].file != FILE_WARP)
            return false;
    return r->set_count > 0;
}

bool hoist_function(struct decoder *d)
{
    const struct ptx_function *f = d->function;
    const uint8_t *count = definitions_count(d);
    struct register_list r;
    bool changed = true;
    enum op_file file;

    while (changed) {
        changed = false;
        for (uint32_t n = 0; n < f->instruction_count; n++) {
            const struct ptx_instruction *i = &f->instructions[n];

            instruction_registers(i, &r);
            if (i->operand_count < 2 || !results_free(d, count, &r) ||
                !sources_invariant(d, i, &file))
                continue;
            if (!hoist_instruction(d, i, file, &r))
                return false;
            changed = true;
        }
    }
    return true;
}
