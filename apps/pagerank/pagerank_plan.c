/* SPDX-License-Identifier: Apache-2.0 */
#include "pagerank/pagerank_plan.h"

#include <stdlib.h>

#include "graph/complain.h"

enum {
    EDGES_A_CTA = 1024, /* edges and vertices: sufficient for a CTA of 256 threads */
    CTAS_MAX = 2048,    /* each CTA reads one sum of every other CTA */
    CTAS_MIN = 16,      /* one per device of the largest machine */
};

struct pagerank_options pagerank_defaults(const struct pagerank_options *given)
{
    struct pagerank_options o = {0};

    if (given)
        o = *given;
    o.damping = o.damping != 0 ? o.damping : 0.85;
    o.tolerance = o.tolerance != 0 ? o.tolerance : 1e-12;
    o.iterations_max = o.iterations_max ? o.iterations_max : 1000;
    return o;
}

static uint32_t in_degree(const struct graph *g, uint32_t v)
{
    return g->in_first[v + 1] - g->in_first[v];
}

/* Vertices by descending in-degree; a stable counting sort in linear time. */
static uint32_t *sort_by_degree(const struct graph *g)
{
    uint32_t n = g->vertex_count;
    uint32_t *sorted = app_calloc(n, sizeof *sorted);
    uint32_t *place =
        app_calloc((size_t)n + 1, sizeof *place); /* no degree exceeds n - 1 */
    uint32_t at = 0;

    for (uint32_t v = 0; v < n; v++)
        place[in_degree(g, v)]++;
    for (uint32_t degree = n; degree-- > 0;) {
        uint32_t count = place[degree];

        place[degree] = at;
        at += count;
    }
    for (uint32_t v = 0; v < n; v++)
        sorted[place[in_degree(g, v)]++] = v;
    free(place);
    return sorted;
}

struct load {
    uint64_t edges;
    uint32_t cta;
};

static int lighter(struct load a, struct load b)
{
    return a.edges != b.edges ? a.edges < b.edges : a.cta < b.cta;
}

/* Restores the heap after the weight of its root grew. */
static void sift_down(struct load *heap, uint32_t count)
{
    for (uint32_t i = 0, child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && lighter(heap[child + 1], heap[child]))
            child++;
        if (!lighter(heap[child], heap[i]))
            break;
        struct load swap = heap[i];

        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* Greedy assignment of the heaviest remaining vertex to the lightest CTA. Returns the CTA
   by rank in `sorted`. The weight of a vertex is its edges plus one for its own update. */
static uint32_t *deal(const struct graph *g, const uint32_t *sorted, uint32_t cta_count)
{
    uint32_t *owner = app_calloc(g->vertex_count, sizeof *owner);
    struct load *heap = app_calloc(cta_count, sizeof *heap);

    for (uint32_t i = 0; i < cta_count; i++)
        heap[i].cta = i; /* equal weights form a heap */
    for (uint32_t i = 0; i < g->vertex_count; i++) {
        owner[i] = heap[0].cta;
        heap[0].edges += in_degree(g, sorted[i]) + 1;
        sift_down(heap, cta_count);
    }
    free(heap);
    return owner;
}

/* New numbers: the vertices of CTA 0, then of CTA 1 and so on, sorted within each CTA. */
static void place_vertices(struct pagerank_plan *plan, const struct graph *g)
{
    uint32_t *sorted = sort_by_degree(g), *owner = deal(g, sorted, plan->cta_count);
    uint32_t at = 0;

    for (uint32_t i = 0; i < g->vertex_count; i++) {
        struct pagerank_cta *cta = &plan->cta[owner[i]];
        uint32_t degree = in_degree(g, sorted[i]);

        cta->end++; /* a count at first */
        cta->threads += degree >= PAGERANK_WARP_DEGREE;
        cta->warps += degree >= PAGERANK_HUB_DEGREE;
    }
    for (uint32_t c = 0; c < plan->cta_count; c++) {
        struct pagerank_cta *cta = &plan->cta[c];

        cta->hubs = at;
        cta->warps += at;
        cta->threads += at;
        at += cta->end;
        cta->end = cta->hubs; /* position of the next vertex, until the loop below ends */
    }
    for (uint32_t i = 0; i < g->vertex_count; i++)
        plan->vertex[plan->cta[owner[i]].end++] = sorted[i];
    free(sorted);
    free(owner);
}

void pagerank_plan_init(struct pagerank_plan *plan, const struct graph *g)
{
    uint32_t n = g->vertex_count, at = 0;
    uint64_t ctas = ((uint64_t)g->edge_count + n) / EDGES_A_CTA;

    ctas = ctas > CTAS_MAX ? CTAS_MAX : ctas < CTAS_MIN ? CTAS_MIN : ctas;
    plan->cta_count = ctas < n ? (uint32_t)ctas : n;
    plan->cta = app_calloc(plan->cta_count, sizeof *plan->cta);
    plan->vertex = app_calloc(n, sizeof *plan->vertex);
    plan->first = app_calloc((size_t)n + 1, sizeof *plan->first);
    plan->source = app_calloc(g->edge_count, sizeof *plan->source);
    plan->out_degree = app_calloc(n, sizeof *plan->out_degree);
    place_vertices(plan, g);

    uint32_t *number = app_calloc(n, sizeof *number); /* new number, by vertex of the
                                                         graph */

    for (uint32_t i = 0; i < n; i++)
        number[plan->vertex[i]] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = plan->vertex[i];

        plan->out_degree[i] = g->out_degree[v];
        for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1]; e++)
            plan->source[at++] = number[g->source[e]];
        plan->first[i + 1] = at;
    }
    free(number);
}

void pagerank_plan_clear(struct pagerank_plan *plan)
{
    free(plan->cta);
    free(plan->vertex);
    free(plan->first);
    free(plan->source);
    free(plan->out_degree);
    *plan = (struct pagerank_plan){0};
}
