/* SPDX-License-Identifier: Apache-2.0 */
/* Launches. Arguments are an array of pointers, or one buffer in the layout of the
   parameters. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/driver/rt_driver.h"
#include "rt/launch/rt_cluster.h"

struct buffer {
    const unsigned char *bytes;
    size_t size;
};

static enum cuda_error buffer_of(void **extra, struct buffer *out)
{
    enum { POINTER = 1, SIZE };

    *out = (struct buffer){NULL, 0};
    for (; *extra; extra += 2) {
        if ((uintptr_t)extra[0] == POINTER)
            out->bytes = extra[1];
        else if ((uintptr_t)extra[0] == SIZE)
            memcpy(&out->size, extra[1], sizeof out->size);
        else
            return cudaErrorInvalidValue;
    }
    return out->bytes ? cudaSuccess : cudaErrorInvalidValue;
}

/* Pointers into the buffer; the caller frees them. */
static enum cuda_error args_of(const struct cuda_kernel *k, const struct buffer *b,
                               void ***out)
{
    void **args = must_calloc(k->info.parameter_count + 1u, sizeof(void *));

    for (unsigned i = 0; i < k->info.parameter_count; i++) {
        const struct proact_parameter *at = &k->info.parameters[i];

        if (at->offset + at->bytes > b->size) {
            free(args);
            return cudaErrorInvalidValue;
        }
        args[i] = (void *)(uintptr_t)(b->bytes + at->offset);
    }
    *out = args;
    return cudaSuccess;
}

static enum cuda_error launch(struct rt *rt, struct cuda_kernel *handle,
                              const struct proact_grid *grid, struct cuda_stream *stream,
                              void **args, void **extra)
{
    struct cuda_kernel *k = rt_kernel_find(rt, handle);
    void **made = NULL;
    struct buffer b;
    enum cuda_error error = k ? driver_kernel_load(rt, k) : cudaErrorInvalidResourceHandle;

    if (!error && args && extra)
        error = cudaErrorInvalidValue;
    if (!error && extra && !(error = buffer_of(extra, &b)))
        error = args_of(k, &b, &made);
    if (!error && !args && !made && k->info.parameter_count)
        error = cudaErrorInvalidValue;
    if (!error)
        error = rt_launch(rt, k, grid, stream, made ? made : args);
    free(made);
    return error;
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cuLaunchKernel(struct cuda_kernel *k, unsigned grid_x, unsigned grid_y,
                               unsigned grid_z, unsigned block_x, unsigned block_y,
                               unsigned block_z, unsigned shared_bytes,
                               struct cuda_stream *stream, void **args, void **extra)
{
    const struct proact_grid grid = {.ctas = {grid_x, grid_y, grid_z},
                                     .threads = {block_x, block_y, block_z},
                                     .dynamic_shared_bytes = shared_bytes};
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    return driver_end(rt, error ? error : launch(rt, k, &grid, stream, args, extra));
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cuLaunchCooperativeKernel(struct cuda_kernel *k, unsigned grid_x,
                                          unsigned grid_y, unsigned grid_z,
                                          unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned shared_bytes,
                                          struct cuda_stream *stream, void **args)
{
    const struct proact_grid grid = {.ctas = {grid_x, grid_y, grid_z},
                                     .threads = {block_x, block_y, block_z},
                                     .dynamic_shared_bytes = shared_bytes,
                                     .is_cooperative = true};
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    return driver_end(rt, error ? error : launch(rt, k, &grid, stream, args, NULL));
}

enum cuda_error cuLaunchKernelEx(const struct driver_launch *l, struct cuda_kernel *k,
                                 void **args, void **extra)
{
    const struct cuda_launch_config config = driver_config(l);
    struct proact_grid grid = {.ctas = {0}};
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error)
        error = rt_config_read(&config, "cuLaunchKernelEx", &grid);
    return driver_end(rt, error ? error : launch(rt, k, &grid, l->stream, args, extra));
}

/* The arguments of a node become pointers. */
static enum cuda_error add_node(struct rt *rt, struct graph_op **out, struct cuda_graph *g,
                                struct graph_op *const *after, size_t count,
                                const struct driver_kernel_node *node)
{
    struct cuda_kernel_node n = node->node;
    struct buffer b;
    void **made = NULL;
    enum cuda_error error = cudaSuccess;

    if (!n.stub)
        n.stub = node->kernel;
    struct cuda_kernel *k = rt_kernel_find(rt, n.stub);

    if (!k)
        return cudaErrorInvalidResourceHandle;
    if ((error = driver_kernel_load(rt, k)))
        return error;
    if (n.extra && !(error = buffer_of(n.extra, &b)) && !(error = args_of(k, &b, &made)))
        n.args = made;
    if (!error && !n.args && !k->info.parameter_count)
        n.args = n.extra = made = must_calloc(1, sizeof(void *));
    if (!error)
        error = cudaGraphAddKernelNode(out, g, after, count, &n);
    free(made);
    return error;
}

enum cuda_error cuGraphAddKernelNode_v2(struct graph_op **out, struct cuda_graph *g,
                                        struct graph_op *const *after, size_t count,
                                        const struct driver_kernel_node *node)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error)
        error = add_node(rt, out, g, after, count, node);
    return driver_end(rt, error);
}

enum cuda_error cuGraphKernelNodeGetParams_v2(struct graph_op *op,
                                              struct driver_kernel_node *out)
{
    struct cuda_kernel_node node;
    enum cuda_error error = driver_enter(DRIVER_ANY);

    if (!error && !(error = cudaGraphKernelNodeGetParams(op, &node)))
        *out = (struct driver_kernel_node){.node = node};
    return driver_leave(error);
}
