/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/complain.h"
#include "graph/seeded.h"
#include "sssp/sssp.h"

static double hash_weight(uint32_t from, uint32_t to)
{
    return (double)(1 + seeded_bits(pair_counter(from, to), 0) % 255);
}

void sssp_set_weights(struct graph *g, enum sssp_weights weights)
{
    if (weights == SSSP_FILE_WEIGHTS)
        return;
    if (!g->weight)
        g->weight = app_calloc(g->edge_count, sizeof *g->weight);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1]; e++)
            g->weight[e] = weights == SSSP_HASH_WEIGHTS ? hash_weight(g->source[e], v) : 1;
}
