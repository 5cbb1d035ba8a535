/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators by Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001),
   once along the edges and once against them. One additional node is the root: it precedes
   the first block, or follows every block that leaves the function. */
#include "ptx/ptx_dominators.h"

#include <stdlib.h>

/* Edges in one direction: those of node n are at start[n] to start[n + 1] - 1. */
struct graph {
    uint32_t count, root;
    uint32_t *out_start, *out, *in_start, *in;
    uint32_t *order;    /* reachable nodes, root last (post-order) */
    uint32_t *position; /* in order, plus one; 0: not reachable */
    uint32_t reached;
    int32_t *dominator;
};

static void add_edges(const uint32_t (*edges)[2], size_t count, unsigned by, uint32_t nodes,
                      uint32_t **start, uint32_t **ends)
{
    *start = must_calloc(nodes + 2u, sizeof **start);
    *ends = must_calloc(count, sizeof **ends);
    for (size_t i = 0; i < count; i++)
        (*start)[edges[i][by] + 2]++;
    for (uint32_t i = 2; i < nodes + 2; i++)
        (*start)[i] += (*start)[i - 1];
    for (size_t i = 0; i < count; i++)
        (*ends)[(*start)[edges[i][by] + 1]++] = edges[i][1 - by];
}

static void build(const struct ptx_flow *flow, const bool *leaves, bool against,
                  struct graph *g)
{
    size_t count = 0, most = flow->block_count + 1u;

    for (uint32_t b = 0; b < flow->block_count; b++)
        most += flow->blocks[b].successor_count;
    uint32_t(*edges)[2] = must_calloc(most, sizeof *edges);
    uint32_t root = flow->block_count;

    for (uint32_t b = 0; b < flow->block_count; b++) {
        const struct ptx_block *block = &flow->blocks[b];

        for (uint32_t i = 0; i < block->successor_count; i++, count++) {
            edges[count][against] = b;
            edges[count][!against] = block->successors[i];
        }
        if (against ? leaves[b] : b == 0) {
            edges[count][0] = root;
            edges[count++][1] = b;
        }
    }
    g->count = root + 1;
    g->root = root;
    add_edges((const uint32_t(*)[2])edges, count, 0, g->count, &g->out_start, &g->out);
    add_edges((const uint32_t(*)[2])edges, count, 1, g->count, &g->in_start, &g->in);
    g->order = must_calloc(g->count, sizeof *g->order);
    g->position = must_calloc(g->count, sizeof *g->position);
    g->dominator = must_calloc(g->count, sizeof *g->dominator);
    free(edges);
}

static void number(struct graph *g)
{
    uint32_t *stack = must_calloc(g->count, sizeof *stack);
    uint32_t *next = must_calloc(g->count, sizeof *next); /* visited edges of a node */
    uint32_t depth = 0;
    bool *visited = must_calloc(g->count, sizeof *visited);

    stack[depth++] = g->root;
    visited[g->root] = true;
    while (depth) {
        uint32_t node = stack[depth - 1], edge = g->out_start[node] + next[node];

        if (edge < g->out_start[node + 1]) {
            uint32_t to = g->out[edge];

            next[node]++;
            if (!visited[to]) {
                visited[to] = true;
                stack[depth++] = to;
            }
        } else {
            depth--;
            g->order[g->reached++] = node;
            g->position[node] = g->reached;
        }
    }
    free(stack);
    free(next);
    free(visited);
}

static uint32_t meet(const struct graph *g, uint32_t a, uint32_t b)
{
    while (a != b)
        if (g->position[a] < g->position[b])
            a = (uint32_t)g->dominator[a];
        else
            b = (uint32_t)g->dominator[b];
    return a;
}

static void settle(struct graph *g)
{
    bool changed = true;

    for (uint32_t i = 0; i < g->count; i++)
        g->dominator[i] = -1;
    g->dominator[g->root] = (int32_t)g->root;
    while (changed) {
        changed = false;
        for (uint32_t i = g->reached - 1; i-- > 0;) {
            uint32_t node = g->order[i];
            int32_t best = -1;

            for (uint32_t e = g->in_start[node]; e < g->in_start[node + 1]; e++) {
                uint32_t from = g->in[e];

                if (g->dominator[from] >= 0)
                    best =
                        best < 0 ? (int32_t)from : (int32_t)meet(g, (uint32_t)best, from);
            }
            changed |= g->dominator[node] != best;
            g->dominator[node] = best;
        }
    }
}

/* Numbers the blocks such that the blocks dominated by one follow it. A dominance test then
   compares numbers instead of walking up the tree. */
static void number_tree(struct ptx_flow *flow, const struct graph *g)
{
    uint32_t *next = must_calloc(g->count, sizeof *next);

    for (uint32_t b = 0; b < flow->block_count; b++)
        flow->blocks[b].dominated = 0;
    for (uint32_t i = 0; i + 1 < g->reached; i++) {
        struct ptx_block *b = &flow->blocks[g->order[i]];

        b->dominated++;
        if (b->dominator >= 0)
            flow->blocks[b->dominator].dominated += b->dominated;
    }
    for (uint32_t i = g->reached - 1; i-- > 0;) {
        struct ptx_block *b = &flow->blocks[g->order[i]];
        uint32_t *at = &next[b->dominator >= 0 ? (uint32_t)b->dominator : g->root];

        b->number = *at;
        next[g->order[i]] = *at + 1;
        *at += b->dominated;
    }
    free(next);
}

bool ptx_dominates(const struct ptx_flow *flow, uint32_t above, uint32_t below)
{
    const struct ptx_block *a = &flow->blocks[above], *b = &flow->blocks[below];

    if (above == below || !b->dominated)
        return above == below;
    return b->number >= a->number && b->number - a->number < a->dominated;
}

static void clear(struct graph *g)
{
    free(g->out_start);
    free(g->out);
    free(g->in_start);
    free(g->in);
    free(g->order);
    free(g->position);
    free(g->dominator);
}

void ptx_dominators_find(struct ptx_flow *flow, const bool *leaves)
{
    for (int against = 0; against < 2; against++) {
        struct graph g = {0};

        build(flow, leaves, against, &g);
        number(&g);
        settle(&g);
        for (uint32_t b = 0; b < flow->block_count; b++) {
            int32_t d = g.dominator[b] == (int32_t)g.root ? -1 : g.dominator[b];

            if (against)
                flow->blocks[b].post_dominator = d;
            else
                flow->blocks[b].dominator = d;
        }
        if (!against)
            number_tree(flow, &g);
        clear(&g);
    }
}
