/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/load/decoder.h"

#include <string.h>

#include "execute/run/run_convert.h"

/* Places of the special registers. A predicate has 0 bytes. */
static const struct {
    op_place place;
    unsigned bytes;
} specials[PTX_SPECIAL_OTHER] = {
    [PTX_TID_X] = {PLACE(FILE_SLOT, SLOT_TID), 4},
    [PTX_TID_Y] = {PLACE(FILE_SLOT, SLOT_TID + 128), 4},
    [PTX_TID_Z] = {PLACE(FILE_SLOT, SLOT_TID + 256), 4},
    [PTX_WARPID] = {PLACE(FILE_SLOT, SLOT_WARPID), 4},
    [PTX_CTAID_X] = {PLACE(FILE_CTA, CTA_CTAID), 4},
    [PTX_CTAID_Y] = {PLACE(FILE_CTA, CTA_CTAID + 128), 4},
    [PTX_CTAID_Z] = {PLACE(FILE_CTA, CTA_CTAID + 256), 4},
    [PTX_SMID] = {PLACE(FILE_CTA, CTA_SMID), 4},
    [PTX_NTID_X] = {PLACE(FILE_LAUNCH, LAUNCH_NTID), 4},
    [PTX_NTID_Y] = {PLACE(FILE_LAUNCH, LAUNCH_NTID + 128), 4},
    [PTX_NTID_Z] = {PLACE(FILE_LAUNCH, LAUNCH_NTID + 256), 4},
    [PTX_NCTAID_X] = {PLACE(FILE_LAUNCH, LAUNCH_NCTAID), 4},
    [PTX_NCTAID_Y] = {PLACE(FILE_LAUNCH, LAUNCH_NCTAID + 128), 4},
    [PTX_NCTAID_Z] = {PLACE(FILE_LAUNCH, LAUNCH_NCTAID + 256), 4},
    [PTX_LANEID] = {PLACE(FILE_LAUNCH, LAUNCH_LANEID), 4},
    [PTX_LANEMASK_EQ] = {PLACE(FILE_LAUNCH, LAUNCH_MASKS), 4},
    [PTX_LANEMASK_LE] = {PLACE(FILE_LAUNCH, LAUNCH_MASKS + 128), 4},
    [PTX_LANEMASK_LT] = {PLACE(FILE_LAUNCH, LAUNCH_MASKS + 256), 4},
    [PTX_LANEMASK_GE] = {PLACE(FILE_LAUNCH, LAUNCH_MASKS + 384), 4},
    [PTX_LANEMASK_GT] = {PLACE(FILE_LAUNCH, LAUNCH_MASKS + 512), 4},
    [PTX_NWARPID] = {PLACE(FILE_LAUNCH, LAUNCH_NWARPID), 4},
    [PTX_NSMID] = {PLACE(FILE_LAUNCH, LAUNCH_NSMID), 4},
    [PTX_GRIDID] = {PLACE(FILE_LAUNCH, LAUNCH_GRIDID), 8},
    [PTX_DYNAMIC_SMEM_SIZE] = {PLACE(FILE_LAUNCH, LAUNCH_DYNAMIC), 4},
    [PTX_TOTAL_SMEM_SIZE] = {PLACE(FILE_LAUNCH, LAUNCH_SHARED), 4},
    [PTX_ENVREG1] = {PLACE(FILE_LAUNCH, LAUNCH_MEETING), 4},
    [PTX_ENVREG2] = {PLACE(FILE_LAUNCH, LAUNCH_MEETING + 128), 4},
    [PTX_CLUSTERID_X] = {PLACE(FILE_CTA, CTA_CLUSTERID), 4},
    [PTX_CLUSTERID_Y] = {PLACE(FILE_CTA, CTA_CLUSTERID + 128), 4},
    [PTX_CLUSTERID_Z] = {PLACE(FILE_CTA, CTA_CLUSTERID + 256), 4},
    [PTX_NCLUSTERID_X] = {PLACE(FILE_LAUNCH, LAUNCH_NCLUSTERID), 4},
    [PTX_NCLUSTERID_Y] = {PLACE(FILE_LAUNCH, LAUNCH_NCLUSTERID + 128), 4},
    [PTX_NCLUSTERID_Z] = {PLACE(FILE_LAUNCH, LAUNCH_NCLUSTERID + 256), 4},
    [PTX_CLUSTER_CTAID_X] = {PLACE(FILE_CTA, CTA_CLUSTER_CTAID), 4},
    [PTX_CLUSTER_CTAID_Y] = {PLACE(FILE_CTA, CTA_CLUSTER_CTAID + 128), 4},
    [PTX_CLUSTER_CTAID_Z] = {PLACE(FILE_CTA, CTA_CLUSTER_CTAID + 256), 4},
    [PTX_CLUSTER_NCTAID_X] = {PLACE(FILE_LAUNCH, LAUNCH_CLUSTER_NCTAID), 4},
    [PTX_CLUSTER_NCTAID_Y] = {PLACE(FILE_LAUNCH, LAUNCH_CLUSTER_NCTAID + 128), 4},
    [PTX_CLUSTER_NCTAID_Z] = {PLACE(FILE_LAUNCH, LAUNCH_CLUSTER_NCTAID + 256), 4},
    [PTX_CLUSTER_CTARANK] = {PLACE(FILE_CTA, CTA_CLUSTER_RANK), 4},
    [PTX_CLUSTER_NCTARANK] = {PLACE(FILE_LAUNCH, LAUNCH_CLUSTER_SIZE), 4},
    [PTX_IS_EXPLICIT_CLUSTER] = {PLACE(FILE_LAUNCH, LAUNCH_IN_CLUSTERS), 0},
};

bool special_find(enum ptx_special special, op_place *place, unsigned *bytes)
{
    if (special >= PTX_SPECIAL_OTHER || !specials[special].place) /* none is in FILE_WARP */
        return false;
    *place = specials[special].place;
    *bytes = specials[special].bytes;
    return true;
}

bool special_is_constant(const struct decoder *d, enum ptx_special special, uint64_t *value)
{
    *value = special == PTX_WARP_SZ ? LANES : d->reserved_offset - 1;
    return special == PTX_WARP_SZ || special == PTX_RESERVED_SMEM_1;
}

enum op_file file_join(enum op_file a, enum op_file b)
{
    return a == FILE_LAUNCH || a == b ? b : b == FILE_LAUNCH ? a : FILE_WARP;
}

bool operand_is_hoistable(const struct decoder *d, const struct ptx_operand *o,
                          enum op_file *file)
{
    op_place place;
    unsigned bytes;
    enum op_file inner;
    uint64_t offset;

    *file = FILE_LAUNCH;
    switch (o->kind) {
    case PTX_REGISTER:
        *file = d->homes[o->reg].file;
        return *file != FILE_WARP;
    case PTX_SPECIAL:
        if (special_is_constant(d, o->special, &offset))
            return true;
        if (!special_find(o->special, &place, &bytes))
            return false;
        *file = place >> 30;
        return true;
    case PTX_INTEGER:
    case PTX_FLOAT:
        return true;
    case PTX_SYMBOL:
        return symbol_find(d, o->symbol, &offset) != HOME_STACK;
    case PTX_VECTOR:
        for (uint32_t n = 0; n < o->count; n++) {
            if (!operand_is_hoistable(d, &o->list[n], &inner))
                return false;
            *file = file_join(*file, inner);
        }
        return *file != FILE_WARP;
    default:
        return false;
    }
}

op_place variable_place(struct decoder *d, uint64_t offset)
{
    struct execute_kernel *k = d->kernel;

    for (size_t n = 0; n < k->variable_constant_count; n++)
        if (k->variable_constants[n].offset == offset)
            return k->variable_constants[n].place;
    k->variable_constants = must_grow(k->variable_constants, k->variable_constant_count,
                                      &d->variable_capacity, sizeof *k->variable_constants);
    op_place place = place_new(d, FILE_LAUNCH, 8);

    k->variable_constants[k->variable_constant_count++] =
        (struct variable_constant){place, offset};
    return place;
}

/* The address of a kernel is its index in the program plus one. 0: another function. */
static uint64_t kernel_number(const struct ptx_module *m, const struct ptx_symbol *s)
{
    uint64_t number = 0;

    if (s->function < 0 || !m->functions[s->function].is_entry)
        return 0;
    for (int32_t f = 0; f <= s->function; f++)
        number += m->functions[f].is_entry;
    return number;
}

/* Address of a variable on the stack, relative to the frame's base. */
static op_place stack_address(struct decoder *d, uint64_t offset, unsigned bytes)
{
    op_place to = place_new(d, FILE_WARP, bytes);
    struct execute_op *op = emit_lanes(d, convert_stack_address, to, d->frame->base);

    op->detail[0] = (uint8_t)bytes;
    op->extra = (uint32_t)offset;
    return to;
}

static bool symbol_source(struct decoder *d, const struct ptx_operand *o, unsigned bytes,
                          op_place *out)
{
    uint64_t offset = 0;
    const struct ptx_symbol *s = ptx_symbol(d->module, d->function, o->symbol);

    switch (symbol_find(d, o->symbol, &offset)) {
    case HOME_PARAMETER:
    case HOME_THREAD:
    case HOME_SHARED:
        *out = constant_place(d, offset + (uint64_t)o->integer, bytes);
        return true;
    case HOME_STACK:
        *out = stack_address(d, offset + (uint64_t)o->integer, bytes);
        return true;
    case HOME_BLOCK:
        if (bytes == 8) {
            *out = variable_place(d, offset + (uint64_t)o->integer);
            return true;
        }
        break;
    case HOME_FUNCTION:
        if (bytes != 8)
            break;
        if ((offset = kernel_number(d->module, s)) == 0 && s->function >= 0)
            offset = EXECUTE_FUNCTION(s->function);
        if (!offset)
            break;
        *out = constant_place(d, offset, bytes);
        return true;
    default:
        break;
    }
    return refuse(d, "the address of '%s' cannot be taken: kernel '%s', PTX line %u",
                  s->name, d->kernel->info.name, d->line);
}

static uint64_t immediate_bits(const struct ptx_operand *o, unsigned bytes)
{
    uint64_t bits = (uint64_t)o->integer;

    if (o->kind == PTX_FLOAT && o->float_bytes == 8 && bytes == 4) {
        double value;
        float narrow;
        uint32_t narrow_bits;

        memcpy(&value, &bits, sizeof value);
        narrow = (float)value;
        memcpy(&narrow_bits, &narrow, sizeof narrow);
        bits = narrow_bits;
    } else if (o->kind == PTX_FLOAT && o->float_bytes == 4 && bytes == 8) {
        float value;
        double wide;
        uint32_t narrow_bits = (uint32_t)bits;

        memcpy(&value, &narrow_bits, sizeof value);
        wide = value;
        memcpy(&bits, &wide, sizeof bits);
    }
    return bits;
}

/* A special register, converted to another width. */
static op_place resized(struct decoder *d, op_place from, unsigned has, unsigned bytes)
{
    op_place to = place_new(d, from >> 30, bytes);
    struct op_list *list = d->list;
    const struct ptx_instruction *guard = d->guard;

    d->list = &d->kernel->hoisted[from >> 30];
    d->guard = NULL;
    emit_lanes(d, convert_resize(has, bytes), to, from);
    d->list = list;
    d->guard = guard;
    return to;
}

/* File for which the current list is computed. */
static enum op_file list_file(const struct decoder *d)
{
    return d->list == &d->kernel->stream ? FILE_WARP
                                         : (enum op_file)(d->list - d->kernel->hoisted);
}

/* `!%p`: the inverted predicate in a new place. */
static op_place negated(struct decoder *d, op_place from)
{
    op_place to = place_new(d, list_file(d), 0);

    emit_lanes(d, convert_not_predicate, to, from);
    return to;
}

bool operand_source(struct decoder *d, const struct ptx_operand *o, unsigned bytes,
                    op_place *out)
{
    unsigned has;
    uint64_t value;

    switch (o->kind) {
    case PTX_REGISTER:
        *out = d->homes[o->reg].place;
        if (*out == PLACE_NONE) /* never written: any value is valid */
            *out = constant_place(d, 0, bytes);
        if (o->negated)
            *out = negated(d, *out);
        return true;
    case PTX_INTEGER:
    case PTX_FLOAT:
        *out = constant_place(d, immediate_bits(o, bytes), bytes);
        return true;
    case PTX_SYMBOL:
        return symbol_source(d, o, bytes, out);
    case PTX_SPECIAL:
        if (special_is_constant(d, o->special, &value)) {
            *out = constant_place(d, value, bytes);
            return true;
        }
        if (special_find(o->special, out, &has)) {
            if (has != bytes)
                *out = resized(d, *out, has, bytes);
            return true;
        }
        return refuse_special(d, o);
    default:
        break;
    }
    return d->source ? refuse_instruction(d, d->source) : false;
}

op_place operand_target(struct decoder *d, const struct ptx_operand *o, unsigned bytes)
{
    if (o->kind == PTX_REGISTER && d->homes[o->reg].place != PLACE_NONE)
        return d->homes[o->reg].place;
    if (list_file(d) != FILE_WARP)
        return place_new(d, list_file(d), bytes);
    return d->scratch[bytes == 16 ? 3 : bytes / 4];
}

static void list_add(int32_t *list, unsigned *count, unsigned limit, int32_t reg)
{
    if (reg >= 0 && *count < limit)
        list[(*count)++] = reg;
}

static void operand_registers(const struct ptx_operand *o, bool is_set,
                              struct register_list *out)
{
    if (o->kind == PTX_REGISTER && is_set)
        list_add(out->set, &out->set_count, 16, o->reg);
    else if (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY)
        list_add(out->used, &out->used_count, 40, o->reg);
    for (uint32_t n = 0; n < o->count; n++)
        operand_registers(&o->list[n], is_set, out);
}

/* True if the first operand is written. */
static bool has_target(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_ST:
    case PTX_RED:
    case PTX_BRA:
    case PTX_BRX:
    case PTX_CALL:
    case PTX_CP:
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_NANOSLEEP:
    case PTX_FENCE:
    case PTX_MEMBAR:
    case PTX_DISCARD:
    case PTX_APPLYPRIORITY:
    case PTX_PMEVENT:
    case PTX_STMATRIX:
    case PTX_SUST:
    case PTX_SETMAXNREG:
    case PTX_STACKRESTORE:
        return false;
    case PTX_BAR:
    case PTX_BARRIER:
        return ptx_has(i, PTX_PART_RED);
    default:
        return true;
    }
}

void instruction_registers(const struct ptx_instruction *i, struct register_list *out)
{
    out->used_count = out->set_count = 0;
    list_add(out->used, &out->used_count, 40, i->guard);
    for (uint32_t n = 0; n < i->operand_count; n++)
        operand_registers(&i->operands[n], n == 0 && has_target(i), out);
}

bool instruction_ends_block(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_BRA:
    case PTX_BRX:
    case PTX_CALL:
    case PTX_RET:
    case PTX_EXIT:
    case PTX_TRAP:
        return true;
    default:
        return false;
    }
}
