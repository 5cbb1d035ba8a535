/* SPDX-License-Identifier: Apache-2.0 */
#include "access/shared_writes/extremes.h"

#include <stdlib.h>

#include "access/flow/uses.h"
#include "access/shared_writes/atomic.h"
#include "base/memory.h"

enum { BLOCKS_MAX = 2 }; /* of a loop: the comparison and the swap */

struct finder {
    const struct ptx_function *f;
    struct arena arena;
    struct regions *regions;
    struct ssa *ssa;
    const struct ssa_uses *uses;
    const struct region_loop *loop; /* of the examined swap */
    uint32_t swap, load;            /* instructions */
    bool *is_made;                  /* by value: it depends on a value that the two read */
};

static const struct ptx_instruction *made_by(const struct finder *w, int32_t value)
{
    const struct ssa_value *v = value < 0 ? NULL : &w->ssa->values[value];

    return v && v->kind == SSA_DEFINED && w->f->instructions[v->instruction].guard < 0
               ? &w->f->instructions[v->instruction]
               : NULL;
}

static int32_t read_at(const struct finder *w, const struct ptx_instruction *i, uint32_t n)
{
    const struct ptx_operand *o = &i->operands[n];

    return n < i->operand_count && o->kind == PTX_REGISTER && !o->negated && !o->is_part
               ? ssa_read(w->ssa, (uint32_t)(i - w->f->instructions), o->reg)
               : -1;
}

/* Source of a value: moves and conversions without a change of bits are skipped. */
static int32_t source(const struct finder *w, int32_t value)
{
    const struct ptx_instruction *i;

    while ((i = made_by(w, value)) && i->opcode == PTX_MOV && i->operand_count == 2 &&
           i->operands[0].kind == PTX_REGISTER && read_at(w, i, 1) >= 0)
        value = read_at(w, i, 1);
    return value;
}

static bool is_inside(const struct finder *w, uint32_t block)
{
    return w->loop->contains[block];
}

/* Whether the value is computed before the loop. */
static bool is_given(const struct finder *w, int32_t value)
{
    return value >= 0 && !is_inside(w, w->ssa->values[value].block);
}

/* Whether the value is the known content of the location: initially from the load, then
   from the swap. The swap compares with it. */
static bool is_known(const struct finder *w, int32_t value)
{
    const struct ssa_value *v = value < 0 ? NULL : &w->ssa->values[value];
    const int32_t loaded = w->ssa->first_value[w->load],
                  swapped = w->ssa->first_value[w->swap];
    const struct ptx_block *block = v ? &w->regions->flow->blocks[v->block] : NULL;

    if (!v || v->kind != SSA_PHI || v->block != w->loop->header)
        return false;
    for (uint32_t k = 0; k < block->predecessor_count; k++)
        if (source(w, v->from[k]) !=
            (is_inside(w, block->predecessors[k]) ? swapped : loaded))
            return false;
    return true;
}

/* Whether a true result (negated: a false one) orders two numbers and excludes NaN. */
static bool orders(const struct ptx_instruction *i, bool negated)
{
    static const enum ptx_part holds[] = {PTX_PART_LT, PTX_PART_LE, PTX_PART_GT,
                                          PTX_PART_GE};
    static const enum ptx_part fails[] = {PTX_PART_LTU, PTX_PART_LEU, PTX_PART_GTU,
                                          PTX_PART_GEU};
    const bool is_float = i->type == PTX_PART_F32 || i->type == PTX_PART_F64;

    for (unsigned n = 0; n < sizeof holds / sizeof *holds; n++)
        if (ptx_has(i, negated && is_float ? fails[n] : holds[n]))
            return true;
    return false;
}

/* Whether the branch from the loop's header to `block` tests that the value exceeds the
   known content. */
static bool extremes_compare_unknown(const struct finder *w, uint32_t block, int32_t value)
{
    const struct ptx_block *header = &w->regions->flow->blocks[w->loop->header];
    const struct ptx_instruction *last =
        &w->f->instructions[header->first + header->count - 1];
    const struct ptx_instruction *compare;
    int32_t left, right;

    if (last->opcode != PTX_BRA || last->guard < 0 || header->successor_count != 2)
        return false;
    compare = made_by(w, ssa_read(w->ssa, header->first + header->count - 1, last->guard));
    if (!compare || compare->opcode != PTX_SETP || compare->operand_count != 3 ||
        compare->operands[0].kind != PTX_REGISTER ||
        ptx_type_bytes(compare->type) != ptx_type_bytes(w->f->instructions[w->swap].type) ||
        !orders(compare, (header->successors[0] == block) == last->guard_negated))
        return false;
    left = source(w, read_at(w, compare, 1));
    right = source(w, read_at(w, compare, 2));
    return (left == value && is_known(w, right)) || (right == value && is_known(w, left));
}

static bool is_of_two(const struct ptx_instruction *i)
{
    bool plain = (i->opcode == PTX_MAX || i->opcode == PTX_MIN) && i->operand_count == 3;

    for (uint8_t n = 0; n < i->part_count; n++)
        plain &= i->parts[n] == i->type || i->parts[n] == PTX_PART_FTZ ||
                 i->parts[n] == PTX_PART_NAN_WINS;
    return plain;
}

/* Whether the value is the maximum or the minimum of a number and the known content. */
static bool is_extreme(const struct finder *w, int32_t value)
{
    const struct ptx_instruction *i = made_by(w, value);
    int32_t left, right;

    if (!i || !is_of_two(i))
        return false;
    left = source(w, read_at(w, i, 1));
    right = source(w, read_at(w, i, 2));
    return (is_given(w, left) && is_known(w, right)) ||
           (is_given(w, right) && is_known(w, left));
}

static bool swaps_extremes(const struct finder *w)
{
    const struct ptx_instruction *i = &w->f->instructions[w->swap];
    const uint32_t block = w->regions->flow->block_of[w->swap];
    const int32_t value = source(w, read_at(w, i, 3));

    return is_known(w, source(w, read_at(w, i, 2))) &&
           (is_extreme(w, value) || (is_given(w, value) && block != w->loop->header &&
                                     extremes_compare_unknown(w, block, value)));
}

/* Whether the loop contains only arithmetic, branches and the swap, and has one
   successor. */
static bool is_alone(const struct finder *w)
{
    const struct ptx_flow *flow = w->regions->flow;
    int64_t next = -1;

    if (w->loop->size > BLOCKS_MAX)
        return false;
    for (uint32_t b = 0; b < flow->block_count; b++) {
        const struct ptx_block *at = &flow->blocks[b];

        for (uint32_t n = at->first; is_inside(w, b) && n < at->first + at->count; n++)
            if (n != w->swap && w->f->instructions[n].opcode != PTX_BRA &&
                ptx_instruction_effect(&w->f->instructions[n]) != PTX_PURE)
                return false;
        for (uint32_t s = 0; is_inside(w, b) && s < at->successor_count; s++) {
            if (is_inside(w, at->successors[s]))
                continue;
            if (next >= 0 && next != at->successors[s])
                return false;
            next = at->successors[s];
        }
    }
    return next >= 0;
}

static bool make(struct finder *w, uint32_t value);

static bool makes_no_more(struct finder *w, uint32_t user)
{
    const struct ptx_instruction *i = &w->f->instructions[user];
    const bool inside = is_inside(w, w->regions->flow->block_of[user]);

    if (user == w->swap)
        return ssa_read(w->ssa, user, i->operands[1].reg) < 0 ||
               !w->is_made[ssa_read(w->ssa, user, i->operands[1].reg)];
    if (i->opcode == PTX_BRA)
        return inside;
    if (ptx_instruction_effect(i) != PTX_PURE)
        return false;
    return w->ssa->first_value[user] < 0 || make(w, (uint32_t)w->ssa->first_value[user]);
}

/* Marks a value and everything computed from it; false if another instruction uses one of
   these. */
static bool make(struct finder *w, uint32_t value)
{
    bool all = true;

    if (w->is_made[value])
        return true;
    w->is_made[value] = true;
    for (uint32_t n = w->uses->first[value]; n < w->uses->first[value + 1] && all; n++)
        all = w->uses->user[n] < 0 ? make(w, (uint32_t)(-1 - w->uses->user[n]))
                                   : makes_no_more(w, (uint32_t)w->uses->user[n]);
    return all;
}

/* Whether the number of iterations has no visible effect: no value of the loop is used
   outside. */
static bool keeps_to_itself(struct finder *w)
{
    bool all = true;

    for (uint32_t v = 0; v < w->ssa->count; v++)
        w->is_made[v] = false;
    all = make(w, (uint32_t)w->ssa->first_value[w->load]);
    for (uint32_t v = 0; v < w->ssa->count && all; v++)
        if (is_inside(w, w->ssa->values[v].block))
            all = make(w, v);
    return all;
}

static bool has_only(const struct ptx_instruction *i, enum ptx_part operation)
{
    for (uint8_t n = 0; n < i->part_count; n++)
        if (i->parts[n] != PTX_PART_GLOBAL && i->parts[n] != i->type &&
            i->parts[n] != operation &&
            (i->opcode != PTX_ATOM || !atomic_is_word(i->parts[n])))
            return false;
    return i->guard < 0 && i->vector == 1 && ptx_type_bytes(i->type) >= 4 &&
           (i->space == PTX_SPACE_GLOBAL || i->space == PTX_SPACE_GENERIC);
}

static bool is_swap(const struct ptx_instruction *i)
{
    const struct ptx_operand *to = i->opcode == PTX_ATOM ? atomic_place(i) : NULL;

    return to && ptx_has(i, PTX_PART_CAS) && has_only(i, PTX_PART_CAS) && to->reg >= 0 &&
           !to->count && i->operands[0].kind == PTX_REGISTER;
}

static bool is_load_of(const struct finder *w, const struct ptx_instruction *i)
{
    const struct ptx_instruction *swap = &w->f->instructions[w->swap];
    const struct ptx_operand *to = &swap->operands[1], *from = &i->operands[1];

    return i->opcode == PTX_LD && i->operand_count == 2 && has_only(i, PTX_PART_VOLATILE) &&
           i->operands[0].kind == PTX_REGISTER && from->kind == PTX_MEMORY &&
           from->reg >= 0 && !from->count && from->integer == to->integer &&
           ptx_type_bytes(i->type) == ptx_type_bytes(swap->type) &&
           ssa_read(w->ssa, (uint32_t)(i - w->f->instructions), from->reg) ==
               ssa_read(w->ssa, w->swap, to->reg);
}

/* Finds the load before the loop of the swap; false if there is none, or if the loop has
   another shape. */
static bool find_load(struct finder *w)
{
    const int32_t loop = w->regions->loop_of[w->regions->flow->block_of[w->swap]];

    if (loop < 0 || w->regions->irreducible)
        return false;
    w->loop = &w->regions->loops[loop];
    for (w->load = 0; w->load < w->f->instruction_count; w->load++)
        if (is_load_of(w, &w->f->instructions[w->load]) &&
            !is_inside(w, w->regions->flow->block_of[w->load]) && swaps_extremes(w))
            return is_alone(w) && keeps_to_itself(w);
    return false;
}

uint32_t access_extremes_find(const struct access_analysis *a, struct access_extreme **out)
{
    struct finder w = {.f = a->function};
    uint32_t count = 0;

    *out = must_calloc(a->record_count + 1u, sizeof **out);
    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];

        if (r->base != ACCESS_BASE_PARAMETER ||
            !is_swap(&w.f->instructions[r->instruction]))
            continue;
        if (!w.ssa) {
            w.regions = regions_build(w.f, &w.arena);
            w.ssa = ssa_build(w.regions, &w.arena);
            w.uses = uses_build(w.ssa, &w.arena);
            w.is_made = must_calloc(w.ssa->count + 1u, sizeof *w.is_made);
        }
        w.swap = r->instruction;
        if (find_load(&w))
            (*out)[count++] =
                (struct access_extreme){w.swap, w.load, a->symbols[r->base_symbol].offset};
    }
    free(w.is_made);
    arena_clear(&w.arena);
    return count;
}
