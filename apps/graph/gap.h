/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reader of the binary graphs of the GAP Benchmark Suite: .sg, and .wsg with 32-bit integer
   weights. https://github.com/sbeamer/gapbs */

#include "graph/graph.h"

/* Reads a file through a mapping. Lists that are not sorted, duplicates and self-loops are
   treated as in graph_from_matrix(). Refused: a file whose size does not match its counts
   (both sizes), offsets that fall, a vertex that does not exist. */
enum proact_status gap_read(const char *path, bool is_weighted, enum matrix_values values,
                            struct graph *out, struct proact_error *err);
