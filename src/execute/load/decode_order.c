/* SPDX-License-Identifier: Apache-2.0 */
/* Compilers place blocks to minimize jumps: a loop's last block before its first, or the
   code after a loop in its middle. */
#include "execute/load/decode_order.h"

#include <string.h>

struct sorter {
    const struct ptx_flow *flow;
    uint32_t *order; /* blocks, by position */
    uint32_t *work;  /* one word per block */
    bool *in_loop;   /* by block */
};

static bool is_reached(const struct ptx_flow *flow, uint32_t block)
{
    return flow->blocks[block].dominated;
}

/* True if the edge from `block` to `header` closes a loop: `header` dominates `block`. */
static bool leads_back(const struct sorter *s, uint32_t block, uint32_t header)
{
    return is_reached(s->flow, block) && ptx_dominates(s->flow, header, block);
}

static bool begins_loop(const struct sorter *s, uint32_t block)
{
    const struct ptx_block *b = &s->flow->blocks[block];

    for (uint32_t n = 0; n < b->predecessor_count; n++)
        if (leads_back(s, b->predecessors[n], block))
            return true;
    return false;
}

/* Walks predecessors from the latch blocks up to the loop's header. */
static void loop_find(struct sorter *s, uint32_t header)
{
    uint32_t left = 0;

    memset(s->in_loop, 0, s->flow->block_count);
    s->in_loop[header] = true;
    s->work[left++] = header;
    while (left) {
        uint32_t block = s->work[--left];
        const struct ptx_block *b = &s->flow->blocks[block];

        for (uint32_t n = 0; n < b->predecessor_count; n++) {
            uint32_t from = b->predecessors[n];

            if (s->in_loop[from] || (block == header && !leads_back(s, from, header)))
                continue;
            s->in_loop[from] = true;
            s->work[left++] = from;
        }
    }
}

/* Positions of the loop's first and last block. */
static void loop_span(const struct sorter *s, uint32_t *first, uint32_t *last)
{
    *first = s->flow->block_count;
    *last = 0;
    for (uint32_t n = 0; n < s->flow->block_count; n++)
        if (s->in_loop[s->order[n]]) {
            *first = n < *first ? n : *first;
            *last = n;
        }
}

/* Moves other blocks among the loop's blocks after them. */
static void loop_gather(struct sorter *s)
{
    uint32_t first, last, others = 0;

    loop_span(s, &first, &last);
    uint32_t to = first;

    for (uint32_t n = first; n <= last; n++) {
        uint32_t block = s->order[n];

        if (s->in_loop[block])
            s->order[to++] = block;
        else
            s->work[others++] = block;
    }
    memcpy(s->order + to, s->work, others * sizeof *s->order);
}

/* True if every block follows all its predecessors, except along back edges. */
static bool is_forward(const struct sorter *s)
{
    for (uint32_t b = 0; b < s->flow->block_count; b++) {
        const struct ptx_block *block = &s->flow->blocks[b];

        for (uint32_t n = 0; n < block->successor_count; n++)
            if (block->successors[n] <= b && is_reached(s->flow, b) &&
                !leads_back(s, b, block->successors[n]))
                return false;
    }
    return true;
}

/* Depth-first order built from the end. The successor that is last in the text is visited
   first, so that of two paths the upper one stays first. */
static uint32_t next_successor(const struct sorter *s, uint32_t block, const bool *visited)
{
    const struct ptx_block *b = &s->flow->blocks[block];
    uint32_t next = s->flow->block_count;

    for (uint32_t n = 0; n < b->successor_count; n++)
        if (!visited[b->successors[n]] &&
            (next == s->flow->block_count || b->successors[n] > next))
            next = b->successors[n];
    return next;
}

static void sort_forward(struct sorter *s)
{
    uint32_t count = s->flow->block_count, depth = 1, place = count;
    bool *visited = s->in_loop;

    memset(visited, 0, count);
    for (uint32_t b = count; b-- > 1;) /* unreachable blocks are last */
        if (!is_reached(s->flow, b))
            s->order[--place] = b;
    s->work[0] = 0;
    visited[0] = true;
    while (depth) {
        uint32_t next = next_successor(s, s->work[depth - 1], visited);

        if (next < count) {
            visited[next] = true;
            s->work[depth++] = next;
        } else {
            s->order[--place] = s->work[--depth];
        }
    }
}

const uint32_t *blocks_order(struct decoder *d, const struct ptx_flow *flow)
{
    uint32_t count = flow->block_count;
    struct sorter s = {.flow = flow};

    s.order = arena_alloc(&d->arena, (count + 1) * sizeof *s.order);
    s.work = arena_alloc(&d->arena, (count + 1) * sizeof *s.work);
    s.in_loop = arena_alloc(&d->arena, count + 1);
    for (uint32_t b = 0; b < count; b++)
        s.order[b] = b;
    if (count && !is_forward(&s))
        sort_forward(&s);
    for (uint32_t b = 0; b < count; b++)
        if (begins_loop(&s, b)) {
            loop_find(&s, b);
            loop_gather(&s);
        }
    return s.order;
}
