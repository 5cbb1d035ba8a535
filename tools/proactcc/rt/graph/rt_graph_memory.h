/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory of graphs: taken when its node is made, so that each launch has it at the same
   place, and given back when no node of it is left and nobody has it. */

#include "rt/graph/rt_graph.h"

/* What a node keeps: after a reset the place may be another one's. */
struct graph_memory {
    void *place;
    uint64_t number;
};
struct rt_range *graph_memory_range(struct rt *rt, const void *kept); /* or NULL */

/* cudaGraphMemAttributeType. Bytes of one of the two; the most is kept in mind. */
enum {
    GRAPH_MEMORY_USED,
    GRAPH_MEMORY_USED_MOST,
    GRAPH_MEMORY_RESERVED,
    GRAPH_MEMORY_RESERVED_MAX,
    GRAPH_MEMORY_ATTRIBUTES
};
uint64_t graph_memory_count(struct rt *rt, int what);

/* Operations of a graph. One that allocates keeps the memory; all others do not matter to
   hold and drop. */
enum cuda_error graph_memory_allocates(struct rt *rt, const void *kept);
enum cuda_error graph_memory_frees(struct rt *rt, const void *kept);
void rt_graph_memory_retain(const struct graph_op *op);
void rt_graph_memory_drop(const struct graph_op *op);
/* GRAPH_ALLOCATE or GRAPH_FREE; -1: neither. */
int rt_graph_memory_type(const struct graph_op *op);

/* What the captured stream is given allocates it, or says that nobody has it. */
enum cuda_error rt_graph_memory_take(struct rt *rt, void **out, size_t bytes,
                                     const struct cuda_stream *stream);
enum cuda_error rt_graph_memory_free(struct rt *rt, void *place,
                                     const struct cuda_stream *stream);
