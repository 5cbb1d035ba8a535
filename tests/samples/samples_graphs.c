/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on a random directed graph with up to 15 edges for each vertex; some vertices
   have none. */
#include <string.h>

#include "samples/samples_fill.h"

enum { FAR = 0x7fffffff, THREADS = 128 };

static const double reordered = 1e-5;
static const float damping = 0.85f;

struct graph {
    int vertices, edges;
    int32_t *row;                /* vertices + 1 */
    int32_t *from, *to, *weight; /* by edge */
};

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static struct graph graph_make(struct samples_case *c, bool large)
{
    struct graph g = {.vertices = large ? 200000 : 999};
    size_t most = (size_t)g.vertices * 15 * sizeof *g.to;
    uint32_t seed = 7;

    g.row = arena_alloc(&c->arena, ((size_t)g.vertices + 1) * sizeof *g.row);
    g.from = arena_alloc(&c->arena, most);
    g.to = arena_alloc(&c->arena, most);
    g.weight = arena_alloc(&c->arena, most);
    for (int v = 0; v < g.vertices; v++) {
        for (uint32_t left = draw(&seed) >> 20; left; left--) {
            g.from[g.edges] = v;
            g.to[g.edges] = (int32_t)(draw(&seed) % (uint32_t)g.vertices);
            g.weight[g.edges++] = (int32_t)(draw(&seed) >> 19);
        }
        g.row[v + 1] = g.edges;
    }
    return g;
}

static void add_ints(struct samples_case *c, const char *name, const int32_t *content,
                     int count)
{
    memcpy(samples_ints(c, name, (size_t)count), content, (size_t)count * sizeof *content);
}

static void grid_for(struct samples_case *c, int items)
{
    samples_grid(c, samples_parts(items, THREADS), 1, THREADS, 1);
}

void fill_pr_pull(struct samples_case *c, bool large)
{
    struct graph g = graph_make(c, large);
    size_t n = (size_t)g.vertices;

    add_ints(c, "row", g.row, g.vertices + 1);
    add_ints(c, "column", g.to, g.edges);
    const float *contribution = samples_floats(c, "contribution", n);

    samples_floats(c, "rank", n);
    float *rank = samples_output(c, reordered);

    samples_map(c, samples_contiguous(THREADS * 4));
    samples_floats(c, "next", n);
    float *next = samples_output(c, reordered);

    samples_map(c, samples_contiguous(THREADS * 4));
    int32_t *degree = samples_ints(c, "degree", n);

    for (int v = 0; v < g.vertices; v++) {
        double sum = 0;

        for (int e = g.row[v]; e < g.row[v + 1]; e++)
            sum += (double)contribution[g.to[e]];
        degree[v] = g.row[v + 1] - g.row[v];
        rank[v] = (float)((1 - (double)damping) / g.vertices + (double)damping * sum);
        next[v] = degree[v] ? rank[v] / (float)degree[v] : 0;
    }
    samples_pass_all(c);
    samples_pass_int(c, g.vertices);
    samples_pass_float(c, damping);
    grid_for(c, g.vertices);
}

void fill_pr_push(struct samples_case *c, bool large)
{
    struct graph g = graph_make(c, large);

    add_ints(c, "row", g.row, g.vertices + 1);
    add_ints(c, "column", g.to, g.edges);
    const float *rank = samples_floats(c, "rank", (size_t)g.vertices);

    memset(samples_floats(c, "next", (size_t)g.vertices), 0, (size_t)g.vertices * 4);
    float *next = samples_output(c, reordered);
    double *sum = arena_alloc(&c->arena, (size_t)g.vertices * sizeof *sum);

    for (int e = 0; e < g.edges; e++) {
        int v = g.from[e];

        sum[g.to[e]] += (double)damping * (double)rank[v] / (g.row[v + 1] - g.row[v]);
    }
    for (int v = 0; v < g.vertices; v++)
        next[v] = (float)sum[v];
    samples_pass_all(c);
    samples_pass_int(c, g.vertices);
    samples_pass_float(c, damping);
    grid_for(c, g.vertices);
}

static int32_t *add_distances(struct samples_case *c, const char *name, int vertices)
{
    int32_t *distance = samples_ints(c, name, (size_t)vertices);

    for (int v = 0; v < vertices; v++)
        distance[v] = v % 3 ? FAR : v * 13 % 997;
    return distance;
}

/* One step: every vertex takes the minimum of its row, from the previous values. */
void fill_relax_csr(struct samples_case *c, bool large)
{
    struct graph g = graph_make(c, large);

    add_ints(c, "row", g.row, g.vertices + 1);
    add_ints(c, "column", g.to, g.edges);
    add_ints(c, "weight", g.weight, g.edges);
    const int32_t *before = add_distances(c, "in", g.vertices);

    samples_ints(c, "out", (size_t)g.vertices);
    int32_t *after = samples_output(c, 0);

    memcpy(after, before, (size_t)g.vertices * sizeof *after);
    for (int e = 0; e < g.edges; e++) {
        int32_t through = before[g.to[e]];

        if (through != FAR && through + g.weight[e] < after[g.from[e]])
            after[g.from[e]] = through + g.weight[e];
    }
    samples_map(c, samples_contiguous(THREADS * 4));
    samples_ints(c, "changed", 1);
    samples_pass_all(c);
    samples_pass_int(c, g.vertices);
    grid_for(c, g.vertices);
}

/* In place, until nothing changes. */
void fill_relax_edges(struct samples_case *c, bool large)
{
    struct graph g = graph_make(c, large);
    bool changed = true;

    add_ints(c, "from", g.from, g.edges);
    add_ints(c, "to", g.to, g.edges);
    add_ints(c, "weight", g.weight, g.edges);
    add_distances(c, "distance", g.vertices);
    int32_t *distance = samples_output(c, 0);

    while (changed) {
        changed = false;
        for (int e = 0; e < g.edges; e++) {
            int32_t before = distance[g.from[e]];

            if (before == FAR || before + g.weight[e] >= distance[g.to[e]])
                continue;
            distance[g.to[e]] = before + g.weight[e];
            changed = true;
        }
    }
    samples_ints(c, "changed", 1);
    c->again = 4;
    samples_pass_all(c);
    samples_pass_int(c, g.edges);
    grid_for(c, g.edges);
}
