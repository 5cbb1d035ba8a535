/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reader of METIS graph files: a line with the vertices, the edges and the format, then a
   line for each vertex with its sizes or weights and its neighbours, from 1. Each edge is
   listed by both vertices. https://github.com/KarypisLab/METIS (manual, section 4.1) */

#include "graph/matrix_market.h"

/* An edge {i, j} becomes the entries (i, j) and (j, i). Vertex sizes and weights are
   skipped. `text` has a NUL at `bytes`. Messages have the form "name:line: ...". Refused:
   an edge that only one of its vertices lists, and a wrong number of edges. */
enum proact_status metis_parse(const char *name, const char *text, size_t bytes,
                               enum matrix_values values, struct matrix *out,
                               struct proact_error *err);
