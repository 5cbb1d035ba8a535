/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A directed graph, stored by incoming edges, for algorithms that pull. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/matrix_market.h"

struct graph {
    uint32_t vertex_count;
    uint32_t edge_count;
    uint32_t *in_first;   /* incoming edges of v: source[in_first[v]] to */
    uint32_t *source;     /* source[in_first[v + 1] - 1], ascending */
    uint32_t *out_degree; /* by vertex */
    double *weight;       /* by incoming edge; NULL: the matrix has no values */
    size_t duplicates;    /* duplicate entries of the file, which were combined */
    size_t self_loops;    /* self-loops, which were dropped */
    char *names_file;     /* next to the graph, if its comment names one; or NULL */
};

/* An entry (i, j) is an edge from i to j, and its value the weight. Of duplicates the
   smallest weight is kept. `name` is for messages. Time and memory are linear in the
   matrix. Fails if the matrix is not square or is empty. */
enum proact_status graph_from_matrix(const char *name, const struct matrix *m,
                                     struct graph *out, struct proact_error *err);
/* The name of the file selects the format: .sg and .wsg are binary graphs of the GAP
   Benchmark Suite, .graph and .graph.gz are METIS graphs, others Matrix Market files. */
enum proact_status graph_read(const char *path, enum matrix_values values,
                              struct graph *out, struct proact_error *err);
void graph_clear(struct graph *g);
