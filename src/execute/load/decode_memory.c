/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and atomics: addresses, memory order and address patterns. */
#include "execute/load/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "execute/run/run_atomic.h"
#include "execute/run/run_convert.h"

enum execute_scope scope_of(const struct ptx_instruction *i)
{
    if (ptx_has(i, PTX_PART_SYS) || ptx_has(i, PTX_PART_VOLATILE))
        return EXECUTE_SYS;
    return ptx_has(i, PTX_PART_CTA) ? EXECUTE_CTA : EXECUTE_GPU;
}

static enum execute_order order_of(const struct ptx_instruction *i,
                                   enum execute_order usual)
{
    static const struct {
        enum ptx_part part;
        enum execute_order order;
    } rows[] = {
        {PTX_PART_VOLATILE, EXECUTE_VOLATILE}, {PTX_PART_RELAXED, EXECUTE_RELAXED},
        {PTX_PART_ACQUIRE, EXECUTE_ACQUIRE},   {PTX_PART_RELEASE, EXECUTE_RELEASE},
        {PTX_PART_ACQ_REL, EXECUTE_ACQ_REL},   {PTX_PART_MMIO, EXECUTE_RELAXED},
    };

    for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++)
        if (ptx_has(i, rows[n].part))
            return rows[n].order;
    return usual;
}

/* The pattern of an invariant register is computed once, with the register. The pattern of
   any other register is computed in the warp, once per epoch, in which the group of lanes
   cannot grow. */
void site_spread(struct decoder *d, struct site *s, int32_t reg)
{
    enum op_file file = s->base >> 30;
    struct home *home = reg >= 0 ? &d->homes[reg] : NULL;

    if (file != FILE_WARP) {
        for (size_t n = 0; n < d->memo_count; n++)
            if (d->memos[n].base == s->base) {
                s->spread = d->memos[n].spread;
                return;
            }
        d->memos = must_grow(d->memos, d->memo_count, &d->memo_capacity, sizeof *d->memos);
        s->spread = place_bytes(d, file, SPREAD_BYTES);
        d->memos[d->memo_count++] = (struct spread_memo){s->base, s->spread};
        struct op_list *list = d->list;
        const struct ptx_instruction *guard = d->guard;

        d->list = &d->kernel->hoisted[file];
        d->guard = NULL;
        emit_lanes(d, convert_spread, s->spread, s->base)->detail[0] = s->base_bytes;
        d->list = list;
        d->guard = guard;
        return;
    }
    if (home && home->spread_epoch == d->epoch) {
        s->spread = home->spread;
        return;
    }
    s->fresh = true;
    if (d->spread_used == d->spread_count) {
        d->spreads =
            must_grow(d->spreads, d->spread_count, &d->spread_capacity, sizeof *d->spreads);
        d->spreads[d->spread_count++] = place_bytes(d, FILE_WARP, SPREAD_BYTES);
    }
    s->spread = d->spreads[d->spread_used++];
    if (home && !d->guard) {
        home->spread = s->spread;
        home->spread_epoch = d->epoch;
    }
}

enum op_code code_of_space(const struct decoder *d, enum ptx_space space)
{
    switch (space) {
    case PTX_SPACE_GLOBAL:
        return CODE_GLOBAL;
    case PTX_SPACE_SHARED:
        return CODE_SHARED;
    case PTX_SPACE_LOCAL:
        return CODE_THREAD;
    case PTX_SPACE_CONST:
        return CODE_CONSTANT;
    case PTX_SPACE_PARAM:
        return d->function->is_entry ? CODE_PARAMETER : CODE_THREAD;
    default:
        return CODE_GENERIC;
    }
}

bool site_base(struct decoder *d, struct site *s, const struct ptx_instruction *i,
               const struct ptx_operand *at, enum op_code *code)
{
    uint64_t offset = 0;

    s->offset = at->integer;
    s->base_bytes = 8;
    s->base = PLACE_NONE;
    if (at->reg >= 0) {
        s->base = d->homes[at->reg].place;
        s->base_bytes = d->function->registers[at->reg].bytes;
        if (s->base_bytes != 8 && s->base_bytes != 4)
            return refuse_instruction(d, i);
    }
    if (at->symbol >= 0) {
        enum symbol_home home = symbol_find(d, at->symbol, &offset);

        if (home == HOME_NONE || home == HOME_FUNCTION ||
            (home == HOME_BLOCK && at->reg >= 0))
            return refuse_instruction(d, i);
        if (home == HOME_BLOCK)
            s->base = variable_place(d, offset);
        else if (home == HOME_STACK && at->reg >= 0)
            return refuse_instruction(d, i);
        else
            s->offset += (int64_t)offset;
        if (home == HOME_STACK) {
            s->base = d->frame->base;
            s->base_bytes = 4;
        }
        *code = home == HOME_SHARED      ? CODE_SHARED
                : home == HOME_THREAD    ? CODE_THREAD
                : home == HOME_STACK     ? CODE_THREAD
                : home == HOME_PARAMETER ? CODE_PARAMETER
                                         : *code;
    }
    if (s->base == PLACE_NONE)
        s->base = constant_place(d, 0, s->base_bytes);
    return true;
}

bool site_address(struct decoder *d, struct site *s, const struct ptx_instruction *i,
                  const struct ptx_operand *at, enum op_code *code)
{
    if (!site_base(d, s, i, at, code))
        return false;
    site_spread(d, s, at->symbol < 0 ? at->reg : -1);
    return true;
}

bool site_values(struct decoder *d, struct site *s, const struct ptx_instruction *i,
                 const struct ptx_operand *values, bool is_load)
{
    const struct ptx_operand *list = values->kind == PTX_VECTOR ? values->list : values;

    s->count = (uint8_t)(values->kind == PTX_VECTOR ? values->count : 1);
    s->width = (uint8_t)lane_bytes(s->element);
    if (s->count > VALUES_MAX || s->element == 0)
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < s->count; n++)
        if (list[n].kind == PTX_REGISTER)
            s->width = (uint8_t)lane_bytes(d->function->registers[list[n].reg].bytes);
    for (unsigned n = 0; n < s->count; n++) {
        if (list[n].kind == PTX_REGISTER &&
            lane_bytes(d->function->registers[list[n].reg].bytes) != s->width)
            return refuse_instruction(d, i);
        if (is_load)
            s->value[n] = operand_target(d, &list[n], s->width);
        else if (!operand_source(d, &list[n], s->width, &s->value[n]))
            return false;
    }
    if (s->width < s->element)
        return refuse_instruction(d, i);
    s->access.bytes = (uint32_t)s->element * s->count;
    s->access.align = s->access.bytes;
    return true;
}

void site_add(struct decoder *d, struct site *s)
{
    struct execute_kernel *k = d->kernel;

    s->access.number = (uint32_t)k->site_count;
    s->access.line = d->line;
    k->sites = must_grow(k->sites, k->site_count, &d->site_capacity, sizeof *k->sites);
    k->sites[k->site_count++] = *s;
}

struct execute_op *site_emit(struct decoder *d, struct site *s, enum op_code code)
{
    s->is_strong =
        s->access.order != EXECUTE_WEAK &&
        !(s->access.order == EXECUTE_RELAXED && s->access.kind >= EXECUTE_ATOMIC);
    s->is_word = s->access.kind < EXECUTE_ATOMIC && s->count == 1 && s->element == 4 &&
                 s->width == 4;
    site_add(d, s);
    struct execute_op *op = emit(d, code);

    op->extra = s->access.number;
    return op;
}

/* Kernel parameter at a constant offset: a constant of the launch. */
static bool decode_parameter(struct decoder *d, const struct ptx_instruction *i,
                             struct site *s, uint64_t offset)
{
    if (offset + (uint64_t)s->element * s->count > d->kernel->info.parameter_bytes)
        return refuse(d,
                      "a parameter at byte %llu is read, and there are %u: kernel '%s', "
                      "PTX line %u",
                      (unsigned long long)offset, d->kernel->info.parameter_bytes,
                      d->kernel->info.name, i->line);
    for (unsigned n = 0; n < s->count; n++) {
        op_place from = PLACE(FILE_LAUNCH, LAUNCH_SPECIALS + offset + n * s->element);
        struct execute_op *op = emit_lanes(d, convert_parameter, s->value[n], from);

        op->detail[0] = s->element;
        op->detail[1] = s->is_signed;
        op->detail[2] = s->width;
    }
    return true;
}

static bool type_is_signed(enum ptx_part type)
{
    return type == PTX_PART_S8 || type == PTX_PART_S16 || type == PTX_PART_S32 ||
           type == PTX_PART_S64;
}

bool decode_memory(struct decoder *d, const struct ptx_instruction *i)
{
    bool is_load = i->opcode != PTX_ST;
    struct site s = {.access = {.kind = is_load ? EXECUTE_LOAD : EXECUTE_STORE},
                     .is_signed = type_is_signed(i->type)};
    const struct ptx_operand *at = &i->operands[is_load ? 1 : 0];
    enum op_code code = code_of_space(d, i->space);

    if (i->operand_count < 2 || at->kind != PTX_MEMORY)
        return refuse_instruction(d, i);
    s.access.order = order_of(i, EXECUTE_WEAK);
    s.access.scope = scope_of(i);
    s.access.ignored = is_load ? i->ignored_bytes : 0;
    s.element = (uint8_t)ptx_type_bytes(i->type);
    if (!site_values(d, &s, i, &i->operands[is_load ? 0 : 1], is_load))
        return false;
    if (is_load && code == CODE_PARAMETER) {
        uint64_t offset = 0;
        bool is_known =
            at->symbol >= 0
                ? at->reg < 0 && symbol_find(d, at->symbol, &offset) == HOME_PARAMETER
                : at->reg >= 0 && d->homes[at->reg].is_known;

        if (is_known)
            return decode_parameter(
                d, i, &s,
                (uint64_t)at->integer + offset +
                    (uint64_t)(at->reg >= 0 ? d->homes[at->reg].value : 0));
    }
    if (!site_address(d, &s, i, at, &code))
        return false;
    if (!is_load && (code == CODE_CONSTANT || code == CODE_PARAMETER))
        return refuse_instruction(d, i);
    site_emit(d, &s, code);
    return true;
}

/* Element n of a vector, or the operand itself if it is a scalar. */
static const struct ptx_operand *element_of(const struct ptx_operand *o, unsigned n)
{
    return o->kind == PTX_VECTOR ? &o->list[n] : o;
}

/* A vector atomic is atomic per element only, so it becomes one operation per element. */
static bool decode_atomic_element(struct decoder *d, const struct ptx_instruction *i,
                                  unsigned n)
{
    bool is_red = i->opcode == PTX_RED;
    const struct ptx_operand *at = &i->operands[!is_red], *from = at + 1;
    struct site s = {.access = {.kind = is_red ? EXECUTE_REDUCTION : EXECUTE_ATOMIC,
                                .scope = scope_of(i)}};
    enum op_code code = code_of_space(d, i->space);
    unsigned bytes = ptx_type_bytes(i->type), width = lane_bytes(bytes), operation;
    struct ptx_operand place = *at;

    if (!atomic_find(i, &operation) ||
        (code != CODE_GENERIC && code != CODE_GLOBAL && code != CODE_SHARED))
        return refuse_instruction(d, i);
    place.integer += n * bytes;
    s.access.order = order_of(i, EXECUTE_RELAXED);
    s.access.compares = operation == ATOMIC_CAS;
    s.element = (uint8_t)bytes;
    s.count = 1;
    s.width = (uint8_t)width;
    s.access.bytes = s.access.align = bytes;
    s.value[0] =
        is_red ? PLACE_NONE : operand_target(d, element_of(&i->operands[0], n), width);
    s.second = PLACE_NONE;
    if (!operand_source(d, element_of(from, n), width, &s.operand) ||
        (operation == ATOMIC_CAS && (i->operand_count < 4u - is_red ||
                                     !operand_source(d, from + 1, width, &s.second))) ||
        !site_address(d, &s, i, &place, &code))
        return false;
    struct execute_op *op = site_emit(d, &s, code);

    op->detail[0] = (uint8_t)operation;
    op->detail[1] = (uint8_t)i->type;
    op->detail[2] = (uint8_t)bytes;
    return true;
}

static bool is_vector(const struct ptx_operand *o, unsigned count)
{
    return o->kind == PTX_VECTOR && o->count == count;
}

bool decode_atomic(struct decoder *d, const struct ptx_instruction *i)
{
    bool is_red = i->opcode == PTX_RED;
    const struct ptx_operand *at = &i->operands[!is_red], *from = at + 1;
    unsigned count = i->vector > 1 ? i->vector : 1;

    if (i->operand_count < 3u - is_red || at->kind != PTX_MEMORY ||
        (count > 1 && (!is_vector(from, count) || ptx_has(i, PTX_PART_CAS) ||
                       !(is_red || is_vector(&i->operands[0], count)))))
        return refuse_instruction(d, i);
    for (unsigned n = 0; n < count; n++)
        if (!decode_atomic_element(d, i, n))
            return false;
    return true;
}
