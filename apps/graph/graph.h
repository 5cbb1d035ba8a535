/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A directed graph for algorithms that pull: by vertex, who points at it. */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/matrix_market.h"

struct graph {
    uint32_t vertex_count;
    uint32_t edge_count;
    uint32_t *in_first;   /* vertex v is pointed at by source[in_first[v]] and so on, */
    uint32_t *source;     /* ascending, up to in_first[v + 1] */
    uint32_t *out_degree; /* by vertex */
    size_t duplicates;    /* entries of the file that were merged */
    size_t self_loops;    /* and dropped */
    char *names_file;     /* beside the graph, if its comment names one; or NULL */
};

/* An entry (i, j) is an edge from i to j, values are not looked at. `name` is for messages.
   Time and memory are linear in the matrix. Fails if it is not square or has no row. */
enum proact_status graph_from_matrix(const char *name, const struct matrix *m,
                                     struct graph *out, struct proact_error *err);
enum proact_status graph_read(const char *path, struct graph *out,
                              struct proact_error *err);
void graph_clear(struct graph *g);
