/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding of single instructions: moves, addresses, arithmetic and jumps. */
#include "execute/load/decode_recursion.h"

#include <string.h>

#include "execute/run/run_convert.h"

static bool emit_arithmetic(struct decoder *d, const struct ptx_instruction *i,
                            struct execute_op *wanted)
{
    if (!op_table_best()->choose(i, wanted))
        return refuse_instruction(d, i);
    struct execute_op *op = emit(d, CODE_LANES);

    wanted->code = CODE_LANES;
    wanted->line = op->line;
    wanted->source = i;
    *op = *wanted;
    return true;
}

/* mov.v4.u32 {...}, {...}: element by element, if no result is read after it is written. */
static bool decode_vector_move(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    unsigned bytes = lane_bytes(ptx_type_bytes(i->type));
    op_place place;

    if (to->count != i->vector || from->count != i->vector)
        return refuse_instruction(d, i);
    for (uint32_t n = 0; n < to->count; n++)
        for (uint32_t k = n + 1; k < from->count; k++)
            if (to->list[n].reg >= 0 && to->list[n].reg == from->list[k].reg)
                return refuse_instruction(d, i);
    for (uint32_t n = 0; n < to->count; n++) {
        if (!operand_source(d, &from->list[n], bytes, &place))
            return false;
        if (to->list[n].kind == PTX_REGISTER)
            emit_lanes(d, convert_move(bytes), operand_target(d, &to->list[n], bytes),
                       place);
    }
    return true;
}

/* Move between a register and the elements of a vector. */
static bool decode_elements(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    bool is_pack = from->kind == PTX_VECTOR;
    const struct ptx_operand *vector = is_pack ? from : to;
    unsigned whole = ptx_type_bytes(i->type), element = whole / vector->count;
    op_place places[4] = {PLACE_NONE, PLACE_NONE, PLACE_NONE, PLACE_NONE},
             single = PLACE_NONE;

    if (vector->count > 4 || element == 0)
        return refuse_instruction(d, i);
    for (uint32_t n = 0; n < vector->count; n++) {
        const struct ptx_operand *o = &vector->list[n];

        if (is_pack && !operand_source(d, o, lane_bytes(element), &places[n]))
            return false;
        if (!is_pack && o->kind == PTX_REGISTER)
            places[n] = operand_target(d, o, lane_bytes(element));
    }
    if (is_pack)
        single = operand_target(d, to, lane_bytes(whole));
    else if (!operand_source(d, from, lane_bytes(whole), &single))
        return false;
    struct execute_op wanted = {.to = is_pack ? single : places[0],
                                .to2 = is_pack ? PLACE_NONE : places[1],
                                .more = {places[2], places[3]}};

    for (int n = 0; n < 4; n++)
        wanted.from[n] = is_pack ? places[n] : PLACE_NONE;
    if (!is_pack)
        wanted.from[0] = single;
    return emit_arithmetic(d, i, &wanted);
}

static bool decode_clock(struct decoder *d, const struct ptx_instruction *i)
{
    unsigned bytes = lane_bytes(ptx_type_bytes(i->type));
    enum clock_kind kind;

    switch (i->operands[1].special) {
    case PTX_CLOCK:
        kind = CLOCK_LOW;
        break;
    case PTX_CLOCK_HI:
        kind = CLOCK_HIGH;
        break;
    case PTX_CLOCK64:
        kind = CLOCK_64;
        break;
    case PTX_GLOBALTIMER:
        kind = TIMER_64;
        break;
    case PTX_GLOBALTIMER_LO:
        kind = TIMER_LOW;
        break;
    case PTX_GLOBALTIMER_HI:
        kind = TIMER_HIGH;
        break;
    default:
        return refuse_special(d, &i->operands[1]);
    }
    struct execute_op *op = emit(d, CODE_CLOCK);

    op->detail[0] = (uint8_t)kind;
    op->detail[1] = (uint8_t)bytes;
    op->to = operand_target(d, &i->operands[0], bytes);
    return true;
}

bool decode_move(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *from = &i->operands[1];
    unsigned bytes = lane_bytes(ptx_type_bytes(i->type)), has;
    op_place place;
    uint64_t value;

    if (i->operands[0].kind == PTX_VECTOR && from->kind == PTX_VECTOR)
        return decode_vector_move(d, i);
    if (i->operands[0].kind == PTX_VECTOR || from->kind == PTX_VECTOR)
        return decode_elements(d, i);
    if (from->kind == PTX_SPECIAL && !special_is_constant(d, from->special, &value) &&
        !special_find(from->special, &place, &has))
        return decode_clock(d, i);
    if (!operand_source(d, from, bytes, &place))
        return false;
    emit_lanes(d, convert_move(bytes), operand_target(d, &i->operands[0], bytes), place);
    return true;
}

/* Generic addresses of shared and local memory are offsets plus the base of the window. */
static bool decode_address(struct decoder *d, const struct ptx_instruction *i)
{
    uint64_t window = 0;
    op_place from;

    if (i->space == PTX_SPACE_SHARED)
        window = EXECUTE_SHARED_WINDOW;
    else if (i->space == PTX_SPACE_LOCAL ||
             (i->space == PTX_SPACE_PARAM && !d->function->is_entry))
        window = EXECUTE_LOCAL_WINDOW;
    else if (i->space == PTX_SPACE_PARAM)
        return refuse_instruction(d, i);
    if (ptx_type_bytes(i->type) != 8)
        return refuse_instruction(d, i);
    if (!operand_source(d, &i->operands[1], 8, &from))
        return false;
    op_place to = operand_target(d, &i->operands[0], 8);

    if (!window) {
        emit_lanes(d, convert_move(8), to, from);
        return true;
    }
    uint64_t addend = ptx_has(i, PTX_PART_TO) ? 0 - window : window;
    op_place constant = constant_place(d, addend, 8);

    emit_lanes(d, convert_add, to, from)->from[1] = constant;
    return true;
}

/* Bytes per lane of source `n` (1: the first). A register has its own width, an immediate
   that of the type. */
static unsigned source_bytes(const struct decoder *d, const struct ptx_instruction *i,
                             uint32_t n)
{
    unsigned bytes = lane_bytes(ptx_type_bytes(i->source_type));
    const struct ptx_operand *o = &i->operands[n];

    if (o->kind == PTX_REGISTER)
        return lane_bytes(d->function->registers[o->reg].bytes);
    switch (i->opcode) {
    case PTX_SHL:
    case PTX_SHR:
        return n == 2 ? 4 : bytes;
    case PTX_BFE:
        return n >= 2 ? 4 : bytes;
    case PTX_BFI:
        return n >= 3 ? 4 : bytes;
    case PTX_MAD:
    case PTX_MAD24:
        return n == 3 && ptx_has(i, PTX_PART_WIDE) && bytes == 4 &&
                       ptx_type_bytes(i->type) == 4
                   ? 8
                   : bytes;
    case PTX_SELP:
    case PTX_SLCT:
        return n == 3 ? (i->opcode == PTX_SELP ? 0 : 4)
                      : lane_bytes(ptx_type_bytes(i->type));
    case PTX_FNS:
    case PTX_SHF:
    case PTX_LOP3:
    case PTX_PRMT:
        return 4;
    default:
        return bytes;
    }
}

static bool decode_arithmetic(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0];
    struct execute_op wanted = {
        .to = PLACE_NONE, .to2 = PLACE_NONE, .more = {PLACE_NONE, PLACE_NONE}};

    if (i->operand_count < 2 || i->operand_count > 5)
        return refuse_instruction(d, i);
    for (int n = 0; n < 4; n++)
        wanted.from[n] = PLACE_NONE;
    for (uint32_t n = 1; n < i->operand_count; n++)
        if (!operand_source(d, &i->operands[n], source_bytes(d, i, n), &wanted.from[n - 1]))
            return false;
    if (to->kind == PTX_PAIR) {
        wanted.to = operand_target(d, &to->list[0], 0);
        wanted.to2 = operand_target(d, &to->list[1], 0);
    } else if (to->kind == PTX_REGISTER) {
        wanted.to =
            operand_target(d, to, lane_bytes(d->function->registers[to->reg].bytes));
    } else {
        return refuse_instruction(d, i);
    }
    if (i->opcode == PTX_CVT) {
        wanted.detail[0] = (uint8_t)lane_bytes(d->function->registers[to->reg].bytes);
        wanted.detail[1] = (uint8_t)source_bytes(d, i, 1);
    }
    return emit_arithmetic(d, i, &wanted);
}

static bool decode_branch(struct decoder *d, const struct ptx_instruction *i)
{
    struct execute_op *op = emit(d, i->guard >= 0 ? CODE_BRANCH : CODE_JUMP);

    op->extra = d->function->labels[i->operands[0].label].instruction;
    if (i->guard >= 0) {
        op->from[0] = d->homes[i->guard].place;
        op->detail[0] = i->guard_negated;
    }
    return true;
}

/* brx.idx %r, list */
static bool decode_table(struct decoder *d, const struct ptx_instruction *i)
{
    const struct ptx_function *f = d->function;
    struct execute_kernel *k = d->kernel;
    const struct ptx_targets *targets = NULL;
    op_place from;

    for (uint32_t n = 0; n < f->targets_count && i->operand_count > 1; n++)
        if (f->targets[n].label == i->operands[1].label)
            targets = &f->targets[n];
    if (!targets)
        return refuse_instruction(d, i);
    if (!operand_source(d, &i->operands[0], 4, &from))
        return false;
    k->tables = must_grow(k->tables, k->table_count, &d->table_capacity, sizeof *k->tables);
    struct jump_table *t = &k->tables[k->table_count];

    t->count = targets->count;
    t->targets = must_calloc(t->count, sizeof *t->targets);
    for (uint32_t n = 0; n < t->count; n++)
        t->targets[n] = f->labels[targets->labels[n]].instruction;
    struct execute_op *op = emit(d, CODE_BRANCH_TABLE);

    op->extra = (uint32_t)k->table_count++;
    op->from[0] = from;
    return true;
}

static bool decode_leave(struct decoder *d, const struct ptx_instruction *i)
{
    bool ends = i->opcode == PTX_EXIT || d->function->is_entry;

    if (!ends)
        recursion_leave(d);
    emit(d, ends ? CODE_EXIT : CODE_RETURN)->from[0] = d->frame->way_back;
    return true;
}

/* True if an operand is a part of a register or a register with a minus sign. */
static bool takes_parts(const struct decoder *d, const struct ptx_instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++) {
        const struct ptx_operand *o = &i->operands[k];

        if (o->is_part ||
            (o->negated && o->kind == PTX_REGISTER && d->function->registers[o->reg].bytes))
            return true;
    }
    return false;
}

/* Instructions without an observable effect. */
static bool is_hint(enum ptx_opcode opcode)
{
    switch (opcode) {
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_GRIDDEPCONTROL:
    case PTX_DISCARD:
    case PTX_APPLYPRIORITY:
    case PTX_CREATEPOLICY:
    case PTX_SETMAXNREG:
    case PTX_PMEVENT:
        return true;
    default:
        return false;
    }
}

static bool decode_cp(struct decoder *d, const struct ptx_instruction *i)
{
    if (ptx_has(i, PTX_PART_ARRIVE))
        return decode_mbarrier(d, i);
    if (ptx_has(i, PTX_PART_PREFETCH)) /* a hint */
        return true;
    return ptx_has(i, PTX_PART_MBARRIER_COMPLETE_TX_BYTES) ? decode_bulk_load(d, i)
                                                           : decode_copy(d, i);
}

static bool has_texture(enum ptx_opcode opcode)
{
    return opcode == PTX_TEX || opcode == PTX_TLD4 || opcode == PTX_TXQ ||
           opcode == PTX_SUQ;
}

static bool decode_opcode(struct decoder *d, const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_MOV:
        return decode_move(d, i);
    case PTX_CVTA:
        return decode_address(d, i);
    case PTX_ISSPACEP:
        return decode_is_space(d, i);
    case PTX_ST:
        return ptx_has(i, PTX_PART_ASYNC) ? decode_store_async(d, i) : decode_memory(d, i);
    case PTX_LD:
    case PTX_LDU:
        return decode_memory(d, i);
    case PTX_RED:
        return ptx_has(i, PTX_PART_ASYNC) ? decode_red_async(d, i) : decode_atomic(d, i);
    case PTX_ATOM:
        return decode_atomic(d, i);
    case PTX_CP:
        return decode_cp(d, i);
    case PTX_MBARRIER:
        return decode_mbarrier(d, i);
    case PTX_WMMA:
        return ptx_has(i, PTX_PART_MMA) ? decode_product(d, i) : decode_fragment(d, i);
    case PTX_MMA:
        return decode_product(d, i);
    case PTX_LDMATRIX:
    case PTX_STMATRIX:
    case PTX_MOVMATRIX:
        return decode_rows(d, i);
    case PTX_BRA:
        return decode_branch(d, i);
    case PTX_BRX:
        return decode_table(d, i);
    case PTX_CALL:
        return decode_call(d, i);
    case PTX_RET:
    case PTX_EXIT:
        return decode_leave(d, i);
    case PTX_TRAP:
    case PTX_BRKPT:
        emit(d, CODE_TRAP);
        return true;
    case PTX_MAPA:
        return decode_map(d, i);
    case PTX_GETCTARANK:
        return decode_rank(d, i);
    case PTX_BARRIER:
        return ptx_has(i, PTX_PART_CLUSTER) ? decode_cluster_barrier(d, i)
                                            : decode_sync(d, i);
    case PTX_BAR:
    case PTX_FENCE:
    case PTX_MEMBAR:
    case PTX_NANOSLEEP:
        return decode_sync(d, i);
    case PTX_ACTIVEMASK:
    case PTX_ELECT:
    case PTX_MATCH:
    case PTX_REDUX:
    case PTX_SHFL:
    case PTX_VOTE:
        return decode_collective(d, i);
    default:
        if (is_hint(i->opcode))
            return true;
        return ptx_opcode_effect(i->opcode) == PTX_PURE && i->opcode != PTX_OPCODE_COUNT
                   ? decode_arithmetic(d, i)
                   : refuse_instruction(d, i);
    }
}

bool decode_instruction(struct decoder *d, const struct ptx_instruction *i)
{
    if (has_texture(i->opcode))
        return decode_texture(d, i);
    if (i->opcode == PTX_SULD || i->opcode == PTX_SUST)
        return decode_surface(d, i);
    if (is_stack(i->opcode))
        return decode_stack(d, i);
    if (is_video(i->opcode))
        return decode_video(d, i);
    return takes_parts(d, i) ? refuse_instruction(d, i) : decode_opcode(d, i);
}
