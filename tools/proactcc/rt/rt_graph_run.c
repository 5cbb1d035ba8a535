/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes of graphs do that no stream is given. */
#include <stdlib.h>
#include <string.h>

#include "graph_calls.h"
#include "rt_graph.h"

enum cuda_error rt_run_fill(struct rt *rt, const void *data)
{
    const struct cuda_fill_node *f = data;

    return rt_fill(rt, f->to, f->pitch, (int)(f->value & 255), f->width * f->element_bytes,
                   f->height);
}

/* All others are copied from the host, a row at a time. */
enum cuda_error rt_run_fill_wide(struct rt *rt, const void *data)
{
    const struct cuda_fill_node *f = data;
    enum cuda_error error = cudaSuccess;
    size_t bytes = f->width * f->element_bytes;
    char *row = malloc(bytes + 1);

    if (!row)
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < f->width; i++)
        memcpy(row + i * f->element_bytes, &f->value, f->element_bytes);
    for (size_t y = 0; y < f->height && !error; y++)
        error = rt_copy(rt, (char *)f->to + y * f->pitch, row, bytes, CUDA_HOST_TO_DEVICE,
                        true);
    free(row);
    return error;
}

enum cuda_error rt_run_host(struct rt *rt, const void *data)
{
    const struct cuda_host_node *h = data;
    enum cuda_error error = rt_wait(rt);

    if (!error)
        h->function(h->context);
    return error;
}

enum cuda_error rt_run_nothing(struct rt *rt, const void *data)
{
    (void)data;
    return rt->broken;
}

/* A copy of the child, which nobody changes any more: it is kept until the process ends. */
enum cuda_error rt_run_child(struct rt *rt, const void *data)
{
    struct cuda_graph *child;

    memcpy(&child, data, sizeof(struct cuda_graph *));
    return graph_run_all(rt, child);
}
