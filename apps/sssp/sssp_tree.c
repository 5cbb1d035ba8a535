/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "graph/complain.h"
#include "sssp/sssp_answer.h"

/* Edges by their source: those of v are edge[first[v]] to edge[first[v + 1] - 1]. */
struct out_edges {
    uint32_t *first, *edge, *target;
};

static struct out_edges out_edges_make(const struct graph *g)
{
    uint32_t n = g->vertex_count;
    struct out_edges out = {.first = app_calloc((size_t)n + 1, sizeof *out.first),
                            .edge = app_calloc(g->edge_count, sizeof *out.edge),
                            .target = app_calloc(g->edge_count, sizeof *out.target)};
    uint32_t *place = app_calloc((size_t)n + 1, sizeof *place);

    for (uint32_t v = 0; v < n; v++)
        place[v + 1] = out.first[v + 1] = out.first[v] + g->out_degree[v];
    for (uint32_t v = 0; v < n; v++)
        for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1]; e++) {
            uint32_t at = place[g->source[e]]++;

            out.edge[at] = e;
            out.target[at] = v;
        }
    free(place);
    return out;
}

static bool is_shortest(const struct graph *g, const struct sssp_result *r, uint32_t from,
                        uint32_t e, uint32_t to)
{
    if (r->type == SSSP_F32)
        return sssp_through_f32(r->distance.f32[from], (float)g->weight[e]) <=
               r->distance.f32[to];
    return sssp_through_int32(r->distance.int32[from], (int32_t)g->weight[e]) ==
           r->distance.int32[to];
}

/* Breadth-first search from the source over the edges of shortest paths. A parent chosen by
   distance alone could be on a cycle of weight 0. */
uint32_t *sssp_parents(const struct graph *g, uint32_t source, const struct sssp_result *r)
{
    struct out_edges out = out_edges_make(g);
    uint32_t *parent = app_calloc(g->vertex_count, sizeof *parent);
    uint32_t *queue = app_calloc(g->vertex_count, sizeof *queue), count = 1;

    for (uint32_t v = 0; v < g->vertex_count; v++)
        parent[v] = SSSP_NO_PARENT;
    queue[0] = source;
    for (uint32_t next = 0; next < count; next++) {
        uint32_t from = queue[next];

        for (uint32_t i = out.first[from]; i < out.first[from + 1]; i++) {
            uint32_t to = out.target[i];

            if (to == source || parent[to] != SSSP_NO_PARENT ||
                !is_shortest(g, r, from, out.edge[i], to))
                continue;
            parent[to] = from;
            queue[count++] = to;
        }
    }
    free(queue);
    free(out.first);
    free(out.edge);
    free(out.target);
    return parent;
}
