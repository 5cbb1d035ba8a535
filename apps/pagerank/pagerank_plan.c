/* SPDX-License-Identifier: Apache-2.0 */
#include "pagerank/pagerank_plan.h"

#include <math.h>
#include <stdlib.h>

#include "graph/complain.h"

enum {
    /* Edges and vertices of a CTA of 256 threads: at least few, and many with the most CTAs
       whose sums are added in one level. A second level adds a launch to each iteration. */
    EDGES_FEW = 1024,
    EDGES_MANY = 4096,
    CTAS_MIN = 16,      /* one per device of the largest machine */
    CTA_SIZE_STEP = 32, /* vertices: full sectors are stored */
};

struct pagerank_options pagerank_defaults(const struct pagerank_options *given)
{
    struct pagerank_options o = {0};

    if (given)
        o = *given;
    o.damping = o.damping != 0 ? o.damping : 0.85;
    if (!(fabs(o.tolerance) > 0))
        o.tolerance = o.type == PAGERANK_F32 ? PAGERANK_F32_TOLERANCE_MIN : 1e-12;
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

enum proact_status pagerank_check(const struct pagerank_options *given,
                                  struct proact_error *err)
{
    struct pagerank_options o = pagerank_defaults(given);

    if (o.type == PAGERANK_F32 && o.tolerance > 0 &&
        o.tolerance < PAGERANK_F32_TOLERANCE_MIN)
        return complain(err, PROACT_EINVAL,
                        "pagerank: the tolerance is %g, but f32 reaches no change below %g",
                        o.tolerance, PAGERANK_F32_TOLERANCE_MIN);
    return PROACT_OK;
}

/* CTAs, or parts of the grid, that receive vertices. */
struct bin {
    uint64_t edges;
    uint32_t room; /* vertices that it still takes */
    uint32_t ctas, number;
};

/* The CTAs with room, the lightest one at the root. */
struct bin_heap {
    struct bin *bin;
    uint32_t count;
};

static bool is_lighter(const struct bin *a, const struct bin *b)
{
    uint64_t left = a->edges * b->ctas, right = b->edges * a->ctas;

    return left != right ? left < right : a->number < b->number;
}

/* Restores the heap after its root changed. */
static void bin_heap_sift(struct bin_heap *heap)
{
    for (uint32_t i = 0, child; (child = 2 * i + 1) < heap->count; i = child) {
        struct bin *bin = heap->bin;

        if (child + 1 < heap->count && is_lighter(&bin[child + 1], &bin[child]))
            child++;
        if (!is_lighter(&bin[child], &bin[i]))
            break;
        struct bin swap = bin[i];

        bin[i] = bin[child];
        bin[child] = swap;
    }
}

/* Adds a vertex to the lightest bin and returns its number. */
static uint32_t bin_heap_put(struct bin_heap *heap, uint32_t edges)
{
    uint32_t number = heap->bin->number;

    heap->bin->edges += edges;
    if (--heap->bin->room == 0)
        heap->bin[0] = heap->bin[--heap->count];
    bin_heap_sift(heap);
    return number;
}

/* Consecutive CTAs by halves, quarters, eighths, sixteenths and thirds of these, which are
   the blocks. */
enum { LEVELS = 5, BLOCKS = 48, PARTS = 2 + 4 + 8 + 16 + BLOCKS };
static const uint32_t parts_a_part[LEVELS] = {2, 2, 2, 2, 3};

struct grid_parts {
    struct bin bin[PARTS]; /* level by level */
    struct bin_heap block[BLOCKS];
};

static void grid_parts_init(struct grid_parts *parts, const struct pagerank_plan *plan,
                            uint32_t vertex_count, struct bin *cta)
{
    struct bin *bin = parts->bin;

    for (uint32_t level = 0, count = 1; level < LEVELS; level++) {
        count *= parts_a_part[level];
        for (uint32_t i = 0; i < count; i++, bin++) {
            uint64_t first = (uint64_t)plan->cta_count * i / count;
            uint64_t end = (uint64_t)plan->cta_count * (i + 1) / count;
            uint64_t last = end * plan->cta_size;

            last = last < vertex_count ? last : vertex_count;
            *bin = (struct bin){.room = (uint32_t)(last - first * plan->cta_size),
                                .ctas = (uint32_t)(end - first),
                                .number = i};
            if (count == BLOCKS)
                parts->block[i] = (struct bin_heap){&cta[first], bin->ctas};
        }
    }
    for (uint32_t c = 0; c < plan->cta_count; c++) {
        uint32_t left = vertex_count - c * plan->cta_size;

        cta[c] = (struct bin){
            .room = left < plan->cta_size ? left : plan->cta_size, .ctas = 1, .number = c};
    }
}

/* Adds a vertex to the lightest half, there to the lightest quarter and so on. Returns the
   CTA. */
static uint32_t grid_parts_put(struct grid_parts *parts, uint32_t edges)
{
    struct bin *level_bin = parts->bin;
    uint32_t number = 0;

    for (uint32_t level = 0, count = 1; level < LEVELS; level++) {
        struct bin *child = &level_bin[number * parts_a_part[level]], *best = NULL;

        for (uint32_t i = 0; i < parts_a_part[level]; i++)
            if (child[i].room && (!best || is_lighter(&child[i], best)))
                best = &child[i];
        best->edges += edges;
        best->room--;
        number = best->number;
        count *= parts_a_part[level];
        level_bin += count;
    }
    return bin_heap_put(&parts->block[number], edges);
}

/* Greedy assignment of the heaviest remaining vertex to the lightest part of the grid.
   Vertices that are heavier than a CTA would otherwise all be on the first device. Returns
   the CTA by rank in `sorted`. */
static uint32_t *deal(const struct pagerank_plan *plan, const struct graph *g,
                      const uint32_t *sorted)
{
    uint32_t *owner = app_calloc(g->vertex_count, sizeof *owner);
    struct bin *cta = app_calloc(plan->cta_count, sizeof *cta);
    struct grid_parts parts;

    grid_parts_init(&parts, plan, g->vertex_count, cta);
    for (uint32_t i = 0; i < g->vertex_count; i++)
        owner[i] = grid_parts_put(&parts, in_degree(g, sorted[i]));
    free(cta);
    return owner;
}

/* New numbers: the vertices of CTA 0, then of CTA 1 and so on, sorted within each CTA. */
static void place_vertices(struct pagerank_plan *plan, const struct graph *g)
{
    uint32_t *sorted = sort_by_degree(g), *owner = deal(plan, g, sorted);
    uint32_t *at = app_calloc(plan->cta_count, sizeof *at);

    plan->cta = app_calloc(plan->cta_count, sizeof *plan->cta);
    for (uint32_t c = 0; c < plan->cta_count; c++)
        at[c] = plan->cta[c].warps = plan->cta[c].threads = c * plan->cta_size;
    for (uint32_t i = 0; i < g->vertex_count; i++) {
        struct pagerank_cta *cta = &plan->cta[owner[i]];
        uint32_t degree = in_degree(g, sorted[i]);

        cta->threads += degree >= PAGERANK_WARP_DEGREE;
        cta->warps += degree >= PAGERANK_HUB_DEGREE;
        plan->vertex[at[owner[i]]++] = sorted[i];
    }
    free(at);
    free(sorted);
    free(owner);
}

static uint32_t choose_cta_count(const struct graph *g)
{
    uint64_t weight = (uint64_t)g->edge_count + g->vertex_count;
    uint64_t ctas = weight / EDGES_FEW;

    if (ctas > REPEAT_DIRECT_MAX)
        ctas = weight / EDGES_MANY < 2 * REPEAT_DIRECT_MAX ? REPEAT_DIRECT_MAX
                                                           : weight / EDGES_MANY;
    return (uint32_t)(ctas > REPEAT_CTAS_MAX ? REPEAT_CTAS_MAX
                      : ctas < CTAS_MIN      ? CTAS_MIN
                                             : ctas);
}

static uint32_t choose_cta_size(const struct graph *g)
{
    uint32_t count = choose_cta_count(g), size = (g->vertex_count - 1) / count + 1;

    if (size <= CTA_SIZE_STEP / 2)
        return size;
    if (count == REPEAT_DIRECT_MAX)
        size += CTA_SIZE_STEP / 2 - 1; /* no more CTAs */
    return (size + CTA_SIZE_STEP / 2) / CTA_SIZE_STEP * CTA_SIZE_STEP;
}

void pagerank_plan_init(struct pagerank_plan *plan, const struct graph *g,
                        const struct pagerank_options *options)
{
    uint32_t n = g->vertex_count, at = 0;

    plan->cta_size = options->cta_vertices ? options->cta_vertices : choose_cta_size(g);
    plan->cta_count = (n - 1) / plan->cta_size + 1;
    plan->vertex = app_calloc(n, sizeof *plan->vertex);
    plan->first = app_calloc((size_t)n + 1, sizeof *plan->first);
    plan->source = app_calloc(g->edge_count, sizeof *plan->source);
    plan->out_degree = app_calloc(n, sizeof *plan->out_degree);
    if (options->kernel != PAGERANK_PAPER)
        place_vertices(plan, g);
    else
        for (uint32_t v = 0; v < n; v++)
            plan->vertex[v] = v;

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
