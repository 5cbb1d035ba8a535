/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "graph/complain.h"
#include "pagerank/pagerank.h"
#include "pagerank/pagerank_plan.h"

/* One iteration; returns the L1 change. */
static double step(const struct graph *g, double damping, const double *rank, double *next)
{
    double n = g->vertex_count, dangling = 0, change = 0;

    for (uint32_t v = 0; v < g->vertex_count; v++)
        if (g->out_degree[v] == 0)
            dangling += rank[v];
    for (uint32_t v = 0; v < g->vertex_count; v++) {
        double sum = 0;

        for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1]; e++)
            sum += rank[g->source[e]] / g->out_degree[g->source[e]];
        next[v] = (1 - damping) / n + damping * (dangling / n + sum);
        change += fabs(next[v] - rank[v]);
    }
    return change;
}

void pagerank_reference(const struct graph *g, const struct pagerank_options *given,
                        struct pagerank_result *out)
{
    struct pagerank_options options = pagerank_defaults(given);
    double *rank[2] = {app_calloc(g->vertex_count, sizeof *rank[0]),
                       app_calloc(g->vertex_count, sizeof *rank[1])}; /* in turn */
    struct pagerank_result r = {0};

    for (uint32_t v = 0; v < g->vertex_count; v++)
        rank[0][v] = 1.0 / g->vertex_count;
    while (!r.converged && r.iterations < options.iterations_max) {
        const unsigned now = r.iterations % 2;

        r.residual = step(g, options.damping, rank[now], rank[!now]);
        r.converged = r.residual < options.tolerance;
        r.iterations++;
        if (options.progress)
            options.progress(options.context, r.iterations, r.residual);
    }
    r.ranks = rank[r.iterations % 2];
    free(rank[r.iterations % 2 == 0]);
    *out = r;
}

void pagerank_clear(struct pagerank_result *r)
{
    free(r->ranks);
    free(r->schedule.launches);
    *r = (struct pagerank_result){0};
}
