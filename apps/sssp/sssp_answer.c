/* SPDX-License-Identifier: Apache-2.0 */
#include "sssp/sssp_answer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "graph/complain.h"

#define SSSP_VERTICES_MAX 0x80000000u /* kernels add the window to a vertex */

enum proact_status sssp_defaults(const struct graph *g, const struct sssp_options *given,
                                 struct sssp_options *out, struct proact_error *err)
{
    struct sssp_options o = {0};

    if (given)
        o = *given;
    if (o.source >= g->vertex_count)
        return complain(err, PROACT_EINVAL, "source %llu: the graph has %u vertices",
                        (unsigned long long)o.source + 1, g->vertex_count);
    if (g->vertex_count > SSSP_VERTICES_MAX)
        return complain(err, PROACT_EINVAL, "sssp: %u vertices, the limit is %u",
                        g->vertex_count, SSSP_VERTICES_MAX);
    o.rounds_max = o.rounds_max ? o.rounds_max : g->vertex_count;
    *out = o;
    return PROACT_OK;
}

int32_t sssp_through_int32(int32_t distance, int32_t weight)
{
    int64_t sum = (int64_t)distance + weight;

    if (distance == SSSP_UNREACHABLE || distance == INT32_MAX)
        return distance;
    return sum > INT32_MAX ? INT32_MAX : sum < -INT32_MAX ? -INT32_MAX : (int32_t)sum;
}

float sssp_through_f32(float distance, float weight)
{
    float sum = distance + weight;

    if (distance >= FLT_MAX)
        return distance;
    return sum > FLT_MAX ? FLT_MAX : sum < -FLT_MAX ? -FLT_MAX : sum;
}

bool sssp_less_int32(int32_t a, int32_t b)
{
    return a != SSSP_UNREACHABLE && (b == SSSP_UNREACHABLE || a < b);
}

bool sssp_has_negative_weight(const struct graph *g)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->weight[e] < 0)
            return true;
    return false;
}

double sssp_distance(const struct sssp_result *r, uint32_t vertex)
{
    if (r->type == SSSP_F32)
        return (double)r->distance.f32[vertex];
    int32_t d = r->distance.int32[vertex];

    return d == SSSP_UNREACHABLE ? (double)INFINITY : (double)d;
}

/* The distance of v through edge e, in the arithmetic of the type. */
static double through_edge(const struct graph *g, const struct sssp_result *r, uint32_t e)
{
    uint32_t from = g->source[e];

    if (r->type == SSSP_F32)
        return (double)sssp_through_f32(r->distance.f32[from], (float)g->weight[e]);
    int32_t d = sssp_through_int32(r->distance.int32[from], (int32_t)g->weight[e]);

    return d == SSSP_UNREACHABLE ? (double)INFINITY : (double)d;
}

/* The edge that gives a reached vertex the smallest distance, if that is at most its own;
   of equal ones the first. Otherwise edge_count. */
static uint32_t shortest_edge(const struct graph *g, const struct sssp_result *r,
                              uint32_t v)
{
    double best = sssp_distance(r, v);
    uint32_t found = g->edge_count;

    for (uint32_t e = g->in_first[v]; e < g->in_first[v + 1] && isfinite(best); e++) {
        double through = through_edge(g, r, e);

        if (through < best || (through <= best && found == g->edge_count)) {
            best = through;
            found = e;
        }
    }
    return found;
}

/* The weight of the cycle of shortest edges through v; *first is its first vertex. */
static double cycle_weight(const struct graph *g, const uint32_t *edge, uint32_t v,
                           uint32_t *first)
{
    double sum = 0;
    uint32_t at = v;

    *first = v;
    do {
        sum += g->weight[edge[at]];
        at = g->source[edge[at]];
        *first = at < *first ? at : *first;
    } while (at != v);
    return sum;
}

/* Without a negative cycle the shortest edges form a tree, or cycles of weight 0. With one
   they form a cycle once a distance is below the weight of every simple path. */
enum proact_status sssp_refuse_cycle(const struct graph *g, enum sssp_type type,
                                     union sssp_distances distance,
                                     struct proact_error *err)
{
    const struct sssp_result r = {.type = type, .distance = distance};
    uint32_t n = g->vertex_count, first = n;
    uint32_t *edge = app_calloc(n, sizeof *edge);
    uint32_t *walk = app_calloc(n, sizeof *walk); /* 1 + the vertex where the walk began */

    for (uint32_t v = 0; v < n; v++)
        edge[v] = shortest_edge(g, &r, v);
    for (uint32_t v = 0; v < n && first == n; v++) {
        uint32_t at = v;

        for (; !walk[at] && edge[at] < g->edge_count; at = g->source[edge[at]])
            walk[at] = v + 1;
        if (walk[at] == v + 1 && edge[at] < g->edge_count &&
            cycle_weight(g, edge, at, &first) >= 0)
            first = n;
    }
    free(edge);
    free(walk);
    if (first == n)
        return PROACT_OK;
    return complain(err, PROACT_EINVAL,
                    "a negative cycle goes through vertex %u: distances have no minimum",
                    first + 1);
}

enum proact_status sssp_refuse_unfinished(const struct graph *g,
                                          const struct sssp_result *r,
                                          struct proact_error *err)
{
    bool lowest = false;

    for (uint32_t v = 0; v < g->vertex_count && r->type == SSSP_INT32; v++)
        lowest |= r->distance.int32[v] == -INT32_MAX;
    if (!lowest && (r->converged || r->rounds < g->vertex_count))
        return PROACT_OK;
    enum proact_status status = sssp_refuse_cycle(g, r->type, r->distance, err);

    if (!status && lowest)
        return complain(err, PROACT_EINVAL, "a distance is below -2147483646");
    return status;
}

struct sssp_summary sssp_summarize(uint32_t vertex_count, const struct sssp_result *r)
{
    struct sssp_summary s = {.greatest = -INFINITY};

    for (uint32_t v = 0; v < vertex_count; v++) {
        double d = sssp_distance(r, v);

        if (!isfinite(d))
            continue;
        s.reached++;
        s.sum += d;
        if (d > s.greatest) {
            s.greatest = d;
            s.farthest = v;
        }
    }
    return s;
}

void sssp_clear(struct sssp_result *r)
{
    free(r->distance.any);
    free(r->schedule.launches);
    *r = (struct sssp_result){0};
}
