/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The key of a graph in checkpoints. */

#include "base/text.h"
#include "graph/graph.h"

/* Adds a line with the counts and a hash of the edges and weights. */
void graph_key_add(const struct graph *g, struct text *key);
