/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant definitions. Where both arms of a branch need a value, clang computes it in
   each arm; nvcc computes it once, ahead of the branch. A use after the arms sees two
   definitions of one value, so the branch does not decide what it reads. */
#include "access/slice/slice.h"

/* Whether an instruction from `first` up to `end` defines a register that `i` reads. */
static bool redefines_operand(const struct slice *s, const struct ptx_instruction *i,
                              uint32_t first, uint32_t end)
{
    for (uint32_t n = 1; n < i->operand_count; n++) {
        const struct ptx_operand *o = &i->operands[n];

        if (o->reg < 0)
            continue;
        for (uint32_t d = s->definitions.first[o->reg];
             d < s->definitions.first[o->reg + 1]; d++)
            if (s->definitions.items[d] >= first && s->definitions.items[d] < end)
                return true;
    }
    return false;
}

static bool is_branch_of_two(const struct slice *s, uint32_t block)
{
    return slice_is_branch(s, block) && s->flow->blocks[block].successor_count == 2;
}

/* The arm that leads to instruction `at`: a chain of blocks, each with one predecessor,
   that starts at a successor of a branch. In it `at` reads what its registers hold at the
   branch. Returns the branch's block, or SLICE_NONE; *arm is the successor. */
static int32_t find_arm(const struct slice *s, uint32_t at, uint32_t *arm)
{
    const struct ptx_instruction *i = &s->f->instructions[at];
    uint32_t block = s->flow->block_of[at], end = at;

    for (uint32_t steps = 0; steps < s->flow->block_count; steps++) {
        const struct ptx_block *b = &s->flow->blocks[block];

        if (b->predecessor_count != 1 || redefines_operand(s, i, b->first, end))
            return SLICE_NONE;
        *arm = block;
        block = b->predecessors[0];
        end = s->flow->blocks[block].first + s->flow->blocks[block].count;
        if (is_branch_of_two(s, block))
            return (int32_t)block;
        if (s->flow->blocks[block].successor_count != 1)
            return SLICE_NONE;
    }
    return SLICE_NONE;
}

static bool operands_are_equal(const struct ptx_operand *a, const struct ptx_operand *b)
{
    if (a->kind != b->kind || a->negated || b->negated || a->is_part || b->is_part)
        return false;
    switch (a->kind) {
    case PTX_REGISTER:
        return a->reg == b->reg;
    case PTX_INTEGER:
        return a->integer == b->integer;
    case PTX_SPECIAL:
        return a->special == b->special && a->special <= PTX_NCTAID_Z;
    case PTX_SYMBOL:
    case PTX_MEMORY:
        return a->reg == b->reg && a->symbol == b->symbol && a->integer == b->integer;
    default:
        return false;
    }
}

static bool are_equal(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    if (!slice_are_spelled_alike(a, b))
        return false;
    for (uint32_t n = 1; n < a->operand_count; n++)
        if (!operands_are_equal(&a->operands[n], &b->operands[n]))
            return false;
    return true;
}

/* Two definitions of a loop's register: the first value and the step. */
struct induction {
    uint32_t first, step; /* instructions */
};

static bool find_induction(const struct slice *s, const struct ptx_operand *o,
                           struct induction *out)
{
    if (o->kind != PTX_REGISTER || o->negated || o->is_part)
        return false;
    const uint32_t *at = &s->definitions.items[s->definitions.first[o->reg]];

    if (s->definitions.first[o->reg + 1] - s->definitions.first[o->reg] != 2)
        return false;
    for (unsigned n = 0; n < 2; n++) {
        const struct ptx_instruction *i = &s->f->instructions[at[n]];

        if (i->opcode != PTX_ADD || !slice_is_plain(i) || ptx_has(i, PTX_PART_SAT) ||
            i->operands[1].kind != PTX_REGISTER || i->operands[1].reg != o->reg)
            continue;
        *out = (struct induction){.first = at[1 - n], .step = at[n]};
        return s->flow->block_of[at[n]] != s->flow->block_of[at[1 - n]];
    }
    return false;
}

/* Whether instruction `at` moves 0, if by copies of other registers in its block. */
static bool moves_zero(const struct slice *s, uint32_t at)
{
    const uint32_t block_first = s->flow->blocks[s->flow->block_of[at]].first;
    const struct ptx_instruction *i = &s->f->instructions[at];

    while (i->opcode == PTX_MOV && i->guard < 0 && i->operands[1].kind == PTX_REGISTER) {
        const uint32_t reg = (uint32_t)i->operands[1].reg;
        uint32_t n = s->definitions.first[reg + 1];

        while (n > s->definitions.first[reg] && s->definitions.items[n - 1] >= at)
            n--;
        if (n == s->definitions.first[reg] || s->definitions.items[n - 1] < block_first)
            return false;
        at = s->definitions.items[n - 1];
        i = &s->f->instructions[at];
    }
    return i->opcode == PTX_MOV && i->guard < 0 && i->operands[1].kind == PTX_INTEGER &&
           i->operands[1].integer == 0;
}

/* Whether register `reg` has one definition, ahead of `at` in the same block. */
static bool is_set_before(const struct slice *s, int32_t reg, uint32_t at)
{
    const uint32_t first = s->definitions.first[reg];

    return s->definitions.first[reg + 1] == first + 1 &&
           s->flow->block_of[s->definitions.items[first]] == s->flow->block_of[at] &&
           s->definitions.items[first] < at &&
           s->f->instructions[s->definitions.items[first]].guard < 0;
}

/* Whether `sum` moves a register that adds up what `product` multiplies: sum = 0, counter =
   0; loop: ... sum += factor, counter += 1. Then sum = counter * factor wherever neither
   step lies in between. clang keeps both (loop strength reduction). */
static bool is_summed_product(const struct slice *s, const struct ptx_instruction *sum,
                              const struct ptx_instruction *product)
{
    struct induction p, c;

    if (sum->opcode != PTX_MOV || product->opcode != PTX_MUL ||
        !ptx_has(product, PTX_PART_LO) || !find_induction(s, &sum->operands[1], &p) ||
        !find_induction(s, &product->operands[1], &c))
        return false;
    const struct ptx_operand *added = &s->f->instructions[p.step].operands[2];
    const struct ptx_operand *one = &s->f->instructions[c.step].operands[2];
    const uint32_t *block_of = s->flow->block_of;

    return block_of[p.first] == block_of[c.first] && block_of[p.step] == block_of[c.step] &&
           moves_zero(s, p.first) && moves_zero(s, c.first) && one->kind == PTX_INTEGER &&
           one->integer == 1 && added->kind == PTX_REGISTER &&
           operands_are_equal(added, &product->operands[2]) &&
           is_set_before(s, added->reg, p.first) && is_set_before(s, added->reg, c.first);
}

int32_t slice_redundant_branch(const struct slice *s, uint32_t at, uint32_t other)
{
    const struct ptx_instruction *a = &s->f->instructions[at];
    const struct ptx_instruction *b = &s->f->instructions[other];
    uint32_t arm = 0, other_arm = 0;

    if (!slice_is_plain(a) || !slice_is_plain(b) ||
        !(are_equal(a, b) || is_summed_product(s, a, b) || is_summed_product(s, b, a)))
        return SLICE_NONE;
    const int32_t branch = find_arm(s, at, &arm);

    if (branch < 0 || find_arm(s, other, &other_arm) != branch || arm == other_arm)
        return SLICE_NONE;
    return branch;
}
