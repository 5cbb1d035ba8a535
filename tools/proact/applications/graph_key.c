/* SPDX-License-Identifier: Apache-2.0 */
#include "applications/graph_key.h"

#include "base/hash.h"

void graph_key_add(const struct graph *g, struct text *key)
{
    const size_t vertices = g->vertex_count, edges = g->edge_count;
    uint64_t hash = hash_bytes(g->in_first, (vertices + 1) * sizeof *g->in_first, 0);

    hash = hash_bytes(g->source, edges * sizeof *g->source, hash);
    if (g->weight)
        hash = hash_bytes(g->weight, edges * sizeof *g->weight, hash);
    text_print(key, "graph of %u vertices and %u edges, hash %016llx\n", g->vertex_count,
               g->edge_count, (unsigned long long)hash);
}
