/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The kernel's view of a graph. By default vertices are renumbered: each CTA has
   consecutive vertices, as many as every other one, with about equal numbers of edges and
   sorted by descending in-degree. Devices have consecutive CTAs, so that their numbers of
   edges are about equal too. The paper's kernel keeps the order of the file. */

#include "graph/graph.h"
#include "pagerank/pagerank.h"
#include "pagerank/pagerank_size.h"

enum { PAGERANK_HUB_DEGREE = 512, PAGERANK_WARP_DEGREE = 16 };

struct pagerank_plan {
    uint32_t cta_count, cta_size; /* depend only on the graph and the options */
    struct pagerank_cta *cta;     /* in new numbers, as all below except `vertex` */
    uint32_t *vertex;             /* number in the graph, by new number */
    uint32_t *first, *source, *out_degree;
};

void pagerank_plan_init(struct pagerank_plan *plan, const struct graph *g,
                        const struct pagerank_options *options);
void pagerank_plan_clear(struct pagerank_plan *plan);

/* The options with defaults. NULL is allowed. */
struct pagerank_options pagerank_defaults(const struct pagerank_options *given);
/* Refuses a tolerance that the type does not reach. */
enum proact_status pagerank_check(const struct pagerank_options *given,
                                  struct proact_error *err);
