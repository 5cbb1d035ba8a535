/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the kernel sees a graph: vertices are renumbered so that each CTA has a contiguous
   run of them with about as many edges as any other, sorted by falling in-degree. */

#include "graph/graph.h"
#include "pagerank/pagerank.h"

enum { PAGERANK_HUB_DEGREE = 512, PAGERANK_WARP_DEGREE = 16 };

/* Numbers below are new ones, but for `vertex`. One CTA: see pagerank.cu. */
struct pagerank_cta {
    uint32_t hubs, warps, threads, end;
};

struct pagerank_plan {
    uint32_t cta_count; /* depends on the graph alone */
    struct pagerank_cta *cta;
    uint32_t *vertex; /* which one of the graph it is */
    uint32_t *first, *source, *out_degree;
};

void pagerank_plan_init(struct pagerank_plan *plan, const struct graph *g);
void pagerank_plan_clear(struct pagerank_plan *plan);

/* The options with what was left to choose chosen. NULL is fine. */
struct pagerank_options pagerank_defaults(const struct pagerank_options *given);
