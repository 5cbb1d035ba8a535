/* SPDX-License-Identifier: Apache-2.0 */
#include "access/flow/regions.h"

#include <stdlib.h>
#include <string.h>

/* Postorder with an explicit stack: kernels have thousands of blocks. */
static void find_order(struct regions *r, struct arena *arena)
{
    uint32_t n = r->flow->block_count, depth = 0, left = n;
    uint32_t *stack = must_calloc(n, sizeof *stack), *next = must_calloc(n, sizeof *next);
    bool *visited = must_calloc(n, sizeof *visited);
    uint32_t *backwards = must_calloc(n, sizeof *backwards);

    stack[depth++] = 0;
    visited[0] = true;
    while (depth) {
        const struct ptx_block *b = &r->flow->blocks[stack[depth - 1]];
        uint32_t *at = &next[stack[depth - 1]];

        if (*at == b->successor_count) {
            backwards[--left] = stack[--depth];
            continue;
        }
        uint32_t to = b->successors[(*at)++];

        if (!visited[to]) {
            visited[to] = true;
            stack[depth++] = to;
        }
    }
    r->order_count = n - left;
    r->order = arena_alloc(arena, n * sizeof *r->order);
    r->position = arena_alloc(arena, n * sizeof *r->position);
    memset(r->position, -1, n * sizeof *r->position);
    memcpy(r->order, backwards + left, r->order_count * sizeof *r->order);
    for (uint32_t i = 0; i < r->order_count; i++)
        r->position[r->order[i]] = (int32_t)i;
    free(stack), free(next), free(visited), free(backwards);
}

bool regions_dominate(const struct regions *r, uint32_t above, uint32_t below)
{
    return ptx_dominates(r->flow, above, below);
}

static void gather_loop(const struct regions *r, struct region_loop *l, uint32_t latch)
{
    uint32_t *stack = must_calloc(r->flow->block_count, sizeof *stack), depth = 0;

    if (!l->contains[latch]) {
        l->contains[latch] = true;
        l->size++;
        stack[depth++] = latch;
    }
    while (depth) {
        const struct ptx_block *b = &r->flow->blocks[stack[--depth]];

        for (uint32_t i = 0; i < b->predecessor_count; i++) {
            uint32_t from = b->predecessors[i];

            if (l->contains[from] || r->position[from] < 0)
                continue;
            l->contains[from] = true;
            l->size++;
            stack[depth++] = from;
        }
    }
    free(stack);
}

static void note_back_edge(struct regions *r, uint32_t latch, uint32_t header,
                           size_t *capacity, struct arena *arena)
{
    uint32_t at = 0;

    while (at < r->loop_count && r->loops[at].header != header)
        at++;
    if (at == r->loop_count) {
        r->loops = must_grow(r->loops, at + 1, capacity, sizeof *r->loops);
        r->loops[at] = (struct region_loop){.header = header, .parent = -1, .size = 1};
        r->loops[at].contains = arena_alloc(arena, r->flow->block_count * sizeof(bool));
        r->loops[at].contains[header] = true;
        r->loop_count++;
    }
    gather_loop(r, &r->loops[at], latch);
}

static int inner_first(const void *a, const void *b)
{
    const struct region_loop *x = a, *y = b;

    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->header < y->header ? -1 : x->header > y->header;
}

static void nest_loops(struct regions *r)
{
    for (uint32_t i = 0; i < r->loop_count; i++)
        for (uint32_t k = i + 1; k < r->loop_count && r->loops[i].parent < 0; k++)
            if (r->loops[k].contains[r->loops[i].header])
                r->loops[i].parent = (int32_t)k;
    for (uint32_t b = 0; b < r->flow->block_count; b++) {
        r->loop_of[b] = -1;
        for (uint32_t i = 0; i < r->loop_count && r->loop_of[b] < 0; i++)
            if (r->loops[i].contains[b])
                r->loop_of[b] = (int32_t)i;
    }
}

static void find_loops(struct regions *r, struct arena *arena)
{
    struct region_loop *found;
    size_t capacity = 0;

    for (uint32_t i = 0; i < r->order_count; i++) {
        const struct ptx_block *b = &r->flow->blocks[r->order[i]];

        for (uint32_t k = 0; k < b->successor_count; k++) {
            uint32_t to = b->successors[k];

            if (r->position[to] > (int32_t)i)
                continue;
            if (regions_dominate(r, to, r->order[i]))
                note_back_edge(r, r->order[i], to, &capacity, arena);
            else
                r->irreducible = true;
        }
    }
    found = r->loops;
    if (r->loop_count)
        qsort(found, r->loop_count, sizeof *found, inner_first);
    r->loops = arena_alloc(arena, r->loop_count * sizeof *found);
    if (r->loop_count)
        memcpy(r->loops, found, r->loop_count * sizeof *found);
    free(found);
    nest_loops(r);
}

struct regions *regions_build(const struct ptx_function *f, struct arena *arena)
{
    struct regions *r = arena_alloc(arena, sizeof *r);

    r->function = f;
    r->flow = ptx_flow_build(f, arena);
    r->loop_of = arena_alloc(arena, r->flow->block_count * sizeof *r->loop_of);
    if (!r->flow->block_count)
        return r;
    r->irreducible = r->flow->blocks[0].predecessor_count > 0; /* another entry */
    find_order(r, arena);
    find_loops(r, arena);
    return r;
}

int32_t regions_header_of(const struct regions *r, uint32_t block)
{
    int32_t l = r->loop_of[block];

    return l >= 0 && r->loops[l].header == block ? l : -1;
}

/* One sweep in reverse postorder finds all blocks after the header: within one iteration of
   the surrounding loops, only back edges of other loops go backward. */
bool regions_reach(const struct regions *r, uint32_t loop, uint32_t to)
{
    const struct region_loop *l = &r->loops[loop];
    bool *reached = must_calloc(r->flow->block_count, sizeof *reached), found;
    bool *ends = must_calloc(r->flow->block_count, sizeof *ends);

    for (int32_t up = l->parent; up >= 0; up = r->loops[up].parent)
        ends[r->loops[up].header] = true;
    reached[l->header] = true;
    for (uint32_t i = (uint32_t)r->position[l->header]; i < r->order_count; i++) {
        const struct ptx_block *b = &r->flow->blocks[r->order[i]];

        if (!reached[r->order[i]])
            continue;
        for (uint32_t k = 0; k < b->successor_count; k++)
            if (!ends[b->successors[k]])
                reached[b->successors[k]] = true;
    }
    found = reached[to];
    free(reached), free(ends);
    return found;
}

bool regions_is_only_way(const struct regions *r, uint32_t from, uint32_t to)
{
    const struct ptx_block *b = &r->flow->blocks[to];

    for (uint32_t i = 0; i < b->predecessor_count; i++)
        if (b->predecessors[i] != from && !regions_dominate(r, to, b->predecessors[i]))
            return false;
    return true;
}
