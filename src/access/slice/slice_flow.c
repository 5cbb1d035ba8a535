/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow: the ends of blocks, and the branches that decide whether a block executes.
   Paths that trap or never end are removed, because a launch that takes them has no
   result. */
#include <stdlib.h>
#include <string.h>

#include "access/slice/slice.h"
#include "base/fail.h"
#include "ptx/ptx_dominators.h"

struct slice_list slice_list_make(struct slice *s, uint32_t count,
                                  const uint32_t (*pairs)[2], size_t pair_count)
{
    struct slice_list list = {
        .first = arena_alloc(s->arena, (count + 2u) * sizeof *list.first),
        .items = arena_alloc(s->arena, (pair_count + 1) * sizeof *list.items)};

    for (size_t n = 0; n < pair_count; n++)
        list.first[pairs[n][0] + 2]++;
    for (uint32_t n = 2; n <= count + 1; n++)
        list.first[n] += list.first[n - 1];
    for (size_t n = 0; n < pair_count; n++)
        list.items[list.first[pairs[n][0] + 1]++] = pairs[n][1];
    return list;
}

uint32_t slice_list_find(const struct slice_list *list, uint32_t number, uint32_t item)
{
    uint32_t from = list->first[number], end = list->first[number + 1];

    while (end - from > 1) {
        uint32_t middle = from + (end - from) / 2;

        if (list->items[middle] <= item)
            from = middle;
        else
            end = middle;
    }
    return from;
}

static int32_t block_at(const struct slice *s, uint32_t instruction)
{
    return instruction < s->f->instruction_count ? (int32_t)s->flow->block_of[instruction]
                                                 : SLICE_EXIT;
}

static struct slice_end end_of(const struct slice *s, uint32_t block)
{
    const struct ptx_instruction *last = slice_last(s, block);
    const struct ptx_block *b = &s->flow->blocks[block];
    struct slice_end end = {.target = SLICE_NONE, .next = block_at(s, b->first + b->count)};

    switch (last->opcode) {
    case PTX_BRA:
        end.target = block_at(
            s, s->f->labels[last->operands[last->operand_count - 1].label].instruction);
        break;
    case PTX_BRX:
        end.is_table = true;
        break;
    case PTX_RET:
    case PTX_EXIT:
    case PTX_TRAP:
        end.target = SLICE_EXIT;
        break;
    default:
        return end;
    }
    if (last->guard < 0)
        end.next = SLICE_NONE;
    return end;
}

static bool comes_out(const bool *doomed, const struct ptx_block *b)
{
    for (uint32_t n = 0; n < b->successor_count; n++)
        if (!doomed[b->successors[n]])
            return true;
    return false;
}

static bool never_returns(const struct slice *s, const struct ptx_block *b)
{
    for (uint32_t n = 0; n < b->count; n++)
        if (slice_never_returns(s, &s->f->instructions[b->first + n]))
            return true;
    return false;
}

/* Blocks from which every path traps or loops forever. Compilers leave such loops in places
   that are never reached: the four-fold unrolled loop of `j < n % 3`. */
static bool *find_doomed(const struct slice *s, const bool *leaves)
{
    bool *doomed = must_calloc(s->flow->block_count, sizeof *doomed), changed = true;

    memset(doomed, true, s->flow->block_count * sizeof *doomed);
    while (changed) {
        changed = false;
        for (uint32_t b = s->flow->block_count; b-- > 0;) {
            const struct ptx_block *block = &s->flow->blocks[b];

            if (doomed[b] && (leaves[b] || comes_out(doomed, block)) &&
                !never_returns(s, block)) {
                doomed[b] = false;
                changed = true;
            }
        }
    }
    return doomed;
}

static void drop_doomed(struct slice *s, const bool *doomed, bool *leaves)
{
    for (uint32_t b = 0; b < s->flow->block_count; b++) {
        struct ptx_block *block = &s->flow->blocks[b];
        struct slice_end *end = &s->ends[b];
        uint32_t left = 0;

        if (doomed[b]) { /* only blocks that are doomed as well lead here */
            block->successor_count = 0;
            *end = (struct slice_end){.target = SLICE_EXIT, .next = SLICE_NONE};
            leaves[b] = true;
            continue;
        }
        if (slice_last(s, b)->opcode == PTX_TRAP) { /* has a guard */
            end->target = SLICE_NONE;
            leaves[b] = end->next == SLICE_EXIT;
        }
        if (end->target >= 0 && end->next != SLICE_NONE && doomed[end->target])
            end->target = SLICE_NONE;
        if (end->next >= 0 && end->target != SLICE_NONE && doomed[end->next])
            end->next = SLICE_NONE;
        for (uint32_t n = 0; n < block->successor_count; n++)
            if (end->is_table || (int32_t)block->successors[n] == end->target ||
                (int32_t)block->successors[n] == end->next)
                block->successors[left++] = block->successors[n];
        block->successor_count = left;
    }
}

static void link_back(struct slice *s)
{
    struct ptx_flow *flow = s->flow;

    for (uint32_t b = 0; b < flow->block_count; b++)
        flow->blocks[b].predecessor_count = 0;
    for (uint32_t b = 0; b < flow->block_count; b++)
        for (uint32_t n = 0; n < flow->blocks[b].successor_count; n++) {
            struct ptx_block *to = &flow->blocks[flow->blocks[b].successors[n]];

            to->predecessors[to->predecessor_count++] = b;
        }
}

static void mark(const struct ptx_flow *flow, bool *visited, uint32_t block, bool against)
{
    uint32_t *stack = must_calloc(flow->block_count + 1u, sizeof *stack), depth = 0;

    if (!visited[block])
        stack[depth++] = block;
    visited[block] = true;
    while (depth) {
        const struct ptx_block *b = &flow->blocks[stack[--depth]];
        uint32_t count = against ? b->predecessor_count : b->successor_count;

        for (uint32_t n = 0; n < count; n++) {
            uint32_t to = against ? b->predecessors[n] : b->successors[n];

            if (!visited[to])
                stack[depth++] = to;
            visited[to] = true;
        }
    }
    free(stack);
}

/* Every remaining block has a path to the exit; otherwise nothing would post-dominate it.
   The only error is that no block remains: a kernel that always traps has no result. */
static enum proact_status check_leaving(struct slice *s, const bool *doomed,
                                        struct proact_error *err)
{
    const uint32_t count = s->flow->block_count, first = s->flow->blocks[0].first;

    s->reached = arena_alloc(s->arena, count * sizeof *s->reached);
    mark(s->flow, s->reached, 0, false);
    if (!doomed[0])
        return PROACT_OK;
    for (uint32_t b = 0; b < count; b++)
        if (never_returns(s, &s->flow->blocks[b]))
            return PROACT_OK;
    return fail(err, PROACT_EREFUSED,
                "kernel '%s', %s:%u: no path from here leads to its end", s->f->name,
                s->module->name, s->f->instructions[first].line);
}

/* Control dependence by Ferrante, Ottenstein and Warren (1987): the blocks from a branch's
   successor up to the branch's post-dominator depend on the branch. */
static void find_controls(struct slice *s)
{
    uint32_t(*pairs)[2] = NULL;
    size_t count = 0, capacity = 0;

    for (uint32_t b = 0; b < s->flow->block_count; b++) {
        const struct ptx_block *block = &s->flow->blocks[b];

        if (!s->reached[b] || !slice_is_branch(s, b))
            continue;
        for (uint32_t n = 0; n < block->successor_count; n++)
            for (int32_t to = (int32_t)block->successors[n];
                 to >= 0 && to != block->post_dominator;
                 to = s->flow->blocks[to].post_dominator) {
                pairs = must_grow(pairs, count, &capacity, sizeof *pairs);
                pairs[count][0] = (uint32_t)to;
                pairs[count++][1] = b;
            }
    }
    s->controls =
        slice_list_make(s, s->flow->block_count, (const uint32_t(*)[2])pairs, count);
    free(pairs);
}

enum proact_status slice_find_flow(struct slice *s, struct proact_error *err)
{
    s->flow = ptx_flow_build(s->f, s->arena);
    uint32_t count = s->flow->block_count;
    bool *leaves = must_calloc(count, sizeof *leaves);

    s->ends = arena_alloc(s->arena, count * sizeof *s->ends);
    for (uint32_t b = 0; b < count; b++) {
        s->ends[b] = end_of(s, b);
        leaves[b] = s->ends[b].target == SLICE_EXIT || s->ends[b].next == SLICE_EXIT;
    }
    bool *doomed = find_doomed(s, leaves);

    drop_doomed(s, doomed, leaves);
    link_back(s);
    ptx_dominators_find(s->flow, leaves);
    enum proact_status status = check_leaving(s, doomed, err);

    if (!status)
        find_controls(s);
    free(doomed);
    free(leaves);
    return status;
}

bool slice_dominates(const struct slice *s, uint32_t block, uint32_t other)
{
    return ptx_dominates(s->flow, block, other);
}

/* A natural loop: blocks that reach `head` without leaving the region that `head`
   dominates. */
bool slice_loop_mark(const struct slice *s, uint32_t head, bool *in)
{
    bool found = false;

    for (uint32_t n = 0; n < s->flow->blocks[head].predecessor_count; n++) {
        uint32_t latch = s->flow->blocks[head].predecessors[n];

        if (!s->reached[latch] || !slice_dominates(s, head, latch))
            continue;
        found = in[head] = true; /* the backward walk ends there */
        mark(s->flow, in, latch, true);
    }
    return found;
}

bool slice_in_loop(const struct slice *s, uint32_t head, uint32_t block)
{
    if (!s->reached[block] || !slice_dominates(s, head, block))
        return false;
    bool *in = must_calloc(s->flow->block_count, sizeof *in);
    bool found = slice_loop_mark(s, head, in) && in[block];

    free(in);
    return found;
}
