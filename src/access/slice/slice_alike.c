/* SPDX-License-Identifier: Apache-2.0 */
/* Compilers duplicate address computations into the arms of a branch that use them. */
#include "access/slice/slice_alike.h"

enum { LOOKS_MAX = 64 };

struct search {
    const struct slice *s;
    uint32_t branch, last; /* the branch's block and its last instruction */
    uint32_t looks;
};

int64_t slice_only_definition(const struct slice *s, struct slice_use of)
{
    const uint32_t view = slice_view(s, of.at, of.reg), first = s->reaching.first[view];

    return s->reaching.first[view + 1] == first + 1 ? (int64_t)s->reaching.items[first]
                                                    : -1;
}

bool slice_is_ahead(const struct slice *s, uint32_t at, uint32_t to)
{
    const uint32_t block = s->flow->block_of[at], other = s->flow->block_of[to];

    return block == other ? at < to : slice_dominates(s, block, other);
}

static bool is_behind(const struct search *q, uint32_t at)
{
    const uint32_t block = q->s->flow->block_of[at];

    return block != q->branch && slice_dominates(q->s, q->branch, block);
}

static bool are_alike(struct search *q, struct slice_use a, struct slice_use b);

/* Compares the operands of instructions `at` and `other`. */
static bool operands_alike(struct search *q, uint32_t at, const struct ptx_operand *a,
                           uint32_t other, const struct ptx_operand *b)
{
    if (a->kind != b->kind || a->negated || b->negated || a->is_part || b->is_part)
        return false;
    switch (a->kind) {
    case PTX_REGISTER:
        return are_alike(q, (struct slice_use){at, (uint32_t)a->reg},
                         (struct slice_use){other, (uint32_t)b->reg});
    case PTX_INTEGER:
        return a->integer == b->integer;
    case PTX_SPECIAL:
        return a->special == b->special && a->special <= PTX_NCTAID_Z;
    case PTX_SYMBOL:
    case PTX_MEMORY:
        return a->reg < 0 && b->reg < 0 && a->symbol == b->symbol &&
               a->integer == b->integer;
    default:
        return false;
    }
}

static bool are_alike(struct search *q, struct slice_use a, struct slice_use b)
{
    const struct slice *s = q->s;
    const int64_t x = slice_only_definition(s, a), y = slice_only_definition(s, b);

    if (x < 0 || y < 0 || q->looks++ == LOOKS_MAX)
        return false;
    const uint32_t at = s->definitions.items[x], other = s->definitions.items[y];
    const struct ptx_instruction *i = &s->f->instructions[at],
                                 *k = &s->f->instructions[other];

    if (x == y)
        return slice_is_ahead(s, at, q->last);
    if (!is_behind(q, at) || !is_behind(q, other) || !slice_is_ahead(s, at, a.at) ||
        !slice_is_ahead(s, other, b.at) || !slice_is_plain(i) ||
        !slice_are_spelled_alike(i, k) || !slice_is_plain(k))
        return false;
    for (uint32_t n = 1; n < i->operand_count; n++)
        if (!operands_alike(q, at, &i->operands[n], other, &k->operands[n]))
            return false;
    return true;
}

bool slice_is_alike(const struct slice *s, uint32_t branch, struct slice_use a,
                    struct slice_use b)
{
    const struct ptx_block *block = &s->flow->blocks[branch];
    struct search q = {s, branch, block->first + block->count - 1, 0};

    return are_alike(&q, a, b);
}
