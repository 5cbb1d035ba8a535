/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The kernel's view of a graph. Vertices are renumbered: each CTA has consecutive vertices
   with about equal numbers of edges, sorted by descending in-degree. */

#include "graph/graph.h"
#include "pagerank/pagerank.h"

enum { PAGERANK_HUB_DEGREE = 512, PAGERANK_WARP_DEGREE = 16 };

/* One CTA (pagerank.cu). All numbers below are new ones, except in `vertex`. */
struct pagerank_cta {
    uint32_t hubs, warps, threads, end;
};

struct pagerank_plan {
    uint32_t cta_count; /* depends only on the graph */
    struct pagerank_cta *cta;
    uint32_t *vertex; /* number in the graph, by new number */
    uint32_t *first, *source, *out_degree;
};

void pagerank_plan_init(struct pagerank_plan *plan, const struct graph *g);
void pagerank_plan_clear(struct pagerank_plan *plan);

/* The options with defaults. NULL is allowed. */
struct pagerank_options pagerank_defaults(const struct pagerank_options *given);
