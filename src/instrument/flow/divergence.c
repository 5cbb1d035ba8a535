/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/flow/divergence.h"

#include "instrument/flow/definition.h"
#include "instrument/flow/taint.h"

enum { BOTH = DIVERGENCE_LANE | DIVERGENCE_THREAD, TID_X = 8 };

struct divergence {
    const struct ptx_function *function;
    const struct ptx_flow *flow;
    uint8_t *taint;   /* by register */
    uint8_t *defined; /* by register: number of definitions, at most 2 */
    uint8_t *region;  /* by block */
    uint32_t *open;   /* work list of mark_region(): as many entries as edges, plus one */
    bool changed;
};

static uint8_t of_special(enum ptx_special s)
{
    if (s == PTX_TID_X)
        return BOTH | TID_X;
    if (s == PTX_WARPID)
        return DIVERGENCE_THREAD;
    if ((s >= PTX_NTID_X && s <= PTX_NCTAID_Z) || s == PTX_NWARPID || s == PTX_WARP_SZ ||
        s == PTX_SMID || s == PTX_NSMID || s == PTX_GRIDID || s == PTX_DYNAMIC_SMEM_SIZE ||
        s == PTX_TOTAL_SMEM_SIZE)
        return 0;
    return BOTH;
}

static bool is_multiple(const struct ptx_operand *o, int64_t of)
{
    return o->kind == PTX_INTEGER && o->integer % of == 0;
}

/* True if the result is uniform in a warp although its source is not: thread indices
   divided by 32, or compared with a multiple of 32. */
static bool merges_lanes(const struct divergence *d, const struct ptx_instruction *i)
{
    if (i->operand_count < 3)
        return false;
    const struct ptx_operand *a = &i->operands[1], *b = &i->operands[2];

    if (i->opcode == PTX_SHR)
        return b->kind == PTX_INTEGER && b->integer >= 5;
    if (i->opcode == PTX_AND || i->opcode == PTX_DIV)
        return is_multiple(b, 32) && b->integer;
    if (i->opcode != PTX_SETP || a->kind != PTX_REGISTER || b->kind != PTX_INTEGER ||
        !(d->taint[a->reg] & TID_X))
        return false;
    if (ptx_has(i, PTX_PART_LT) || ptx_has(i, PTX_PART_GE))
        return b->integer % 32 == 0;
    return (ptx_has(i, PTX_PART_GT) || ptx_has(i, PTX_PART_LE)) && b->integer % 32 == 31;
}

static uint8_t of_instruction(void *context, const struct ptx_instruction *i, uint8_t used)
{
    const struct divergence *d = context;
    uint8_t marks = used & BOTH;

    switch (i->opcode) {
    case PTX_ATOM:
    case PTX_CALL:
    case PTX_MATCH:
    case PTX_ELECT:
    case PTX_ACTIVEMASK:
    case PTX_OPCODE_COUNT:
        return BOTH;
    case PTX_VOTE:
    case PTX_REDUX:
        return DIVERGENCE_THREAD;
    case PTX_BAR:
    case PTX_BARRIER:
        return 0;
    case PTX_LD:
        return i->space == PTX_SPACE_LOCAL ? BOTH : marks;
    default:
        break;
    }
    for (uint32_t k = 1; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_SPECIAL)
            marks |= of_special(i->operands[k].special);
    if (i->opcode != PTX_MOV)
        marks &= BOTH;
    return merges_lanes(d, i) ? marks & (uint8_t)~DIVERGENCE_LANE : marks;
}

static void count_definition(void *context, int32_t reg)
{
    struct divergence *d = context;

    if (d->defined[reg] < 2)
        d->defined[reg]++;
}

/* Marks the blocks from `block` to the block where the threads reconverge. */
static void mark_region(struct divergence *d, uint32_t block, int32_t until, uint8_t marks)
{
    uint32_t count = 0;

    d->open[count++] = block;
    while (count) {
        const uint32_t at = d->open[--count];
        const struct ptx_block *b = &d->flow->blocks[at];

        if ((int32_t)at == until || (d->region[at] & marks) == marks)
            continue;
        d->region[at] |= marks;
        d->changed = true;
        for (uint32_t s = 0; s < b->successor_count; s++) /* once a block, so the list
                                                             suffices */
            d->open[count++] = b->successors[s];
    }
}

static bool ends_soon(const struct divergence *d, int32_t block)
{
    if (block < 0)
        return true;
    const struct ptx_block *b = &d->flow->blocks[block];

    return b->count && ptx_opcode_ends_thread(
                           d->function->instructions[b->first + b->count - 1].opcode);
}

/* The last instruction of a block decides. A guarded end of a thread is a branch to the
   end. */
static void follow_branch(struct divergence *d, uint32_t block)
{
    const struct ptx_block *b = &d->flow->blocks[block];

    if (!b->count)
        return;
    const struct ptx_instruction *i = &d->function->instructions[b->first + b->count - 1];
    uint8_t marks = i->guard >= 0 ? d->taint[i->guard] & BOTH : 0;
    int32_t until = ptx_opcode_ends_thread(i->opcode) ? -1 : b->post_dominator;

    if (i->opcode == PTX_BRX && i->operand_count && i->operands[0].reg >= 0)
        marks |= d->taint[i->operands[0].reg] & BOTH;
    if (!marks || (i->opcode != PTX_BRA && i->opcode != PTX_BRX &&
                   !ptx_opcode_ends_thread(i->opcode)))
        return;
    if (marks & DIVERGENCE_LANE && ends_soon(d, until))
        marks |= DIVERGENCE_ENDS;
    for (uint32_t s = 0; s < b->successor_count; s++)
        mark_region(d, b->successors[s], until, marks);
}

struct phi {
    struct divergence *divergence;
    uint8_t marks;
};

/* The definition that reaches a thread depends on its path. */
static void mark_phi(void *context, int32_t reg)
{
    struct phi *p = context;
    struct divergence *d = p->divergence;

    if (d->defined[reg] < 2 || (d->taint[reg] & p->marks) == p->marks)
        return;
    d->taint[reg] |= p->marks;
    d->changed = true;
}

uint8_t *divergence_find(const struct ptx_function *f, const struct ptx_flow *flow,
                         struct arena *arena)
{
    struct divergence d = {.function = f,
                           .flow = flow,
                           .taint = arena_alloc(arena, f->register_count + 1),
                           .defined = arena_alloc(arena, f->register_count + 1),
                           .region = arena_alloc(arena, flow->block_count + 1),
                           .changed = true};

    size_t arrows = 1;

    for (uint32_t b = 0; b < flow->block_count; b++)
        arrows += flow->blocks[b].successor_count;
    d.open = arena_alloc(arena, arrows * sizeof *d.open);
    for (uint32_t n = 0; n < f->instruction_count; n++)
        definition_each(&f->instructions[n], count_definition, &d);
    while (d.changed) {
        d.changed = false;
        taint_spread(f, d.taint, of_instruction, &d);
        for (uint32_t b = 0; b < flow->block_count; b++)
            follow_branch(&d, b);
        for (uint32_t n = 0; n < f->instruction_count; n++) {
            struct phi p = {&d, d.region[flow->block_of[n]] & BOTH};

            if (p.marks)
                definition_each(&f->instructions[n], mark_phi, &p);
        }
    }
    return d.region;
}
