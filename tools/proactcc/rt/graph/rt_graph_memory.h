/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory of graph nodes. It is allocated when the node is created, so that each launch uses
   the same address. It is freed when no node refers to it and the program has freed it. */

#include "rt/graph/rt_graph.h"

/* The reference of a node. After a device reset another allocation may have the address. */
struct graph_memory {
    void *place;
    uint64_t number;
};
struct rt_range *graph_memory_range(struct rt *rt,
                                    const void *kept); /* NULL: not allocated */

/* cudaGraphMemAttributeType. USED and RESERVED are bytes with their maxima. */
enum {
    GRAPH_MEMORY_USED,
    GRAPH_MEMORY_USED_MOST,
    GRAPH_MEMORY_RESERVED,
    GRAPH_MEMORY_RESERVED_MAX,
    GRAPH_MEMORY_ATTRIBUTES
};
uint64_t graph_memory_count(struct rt *rt, int what);

/* Operations that allocate and free memory of a graph. An allocation node retains the
   memory; retain and drop ignore all other operations. */
enum cuda_error graph_memory_allocates(struct rt *rt, const void *kept);
enum cuda_error graph_memory_frees(struct rt *rt, const void *kept);
void rt_graph_memory_retain(const struct graph_op *op);
void rt_graph_memory_drop(const struct graph_op *op);
/* GRAPH_ALLOCATE or GRAPH_FREE; -1: neither. */
int rt_graph_memory_type(const struct graph_op *op);

/* Allocation and free in a captured stream. */
enum cuda_error rt_graph_memory_take(struct rt *rt, void **out, size_t bytes,
                                     const struct cuda_stream *stream);
enum cuda_error rt_graph_memory_free(struct rt *rt, void *place,
                                     const struct cuda_stream *stream);
