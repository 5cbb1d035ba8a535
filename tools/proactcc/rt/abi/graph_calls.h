/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Captures and graphs: the implemented calls of the CUDA runtime. */

#include "rt/abi/cuda_abi.h"

struct cuda_event;
struct cuda_graph;
struct cuda_graph_exec;
struct graph_op; /* a cudaGraphNode_t */

struct cuda_allocate_node {
    struct cuda_pool_how {
        int type, handles;
        struct cuda_memory_location where;
        void *security;
        size_t most;
        unsigned short usage;
        unsigned char reserved[54];
    } how;
    const void *access;
    size_t access_count, bytes;
    void *place; /* output */
};

enum cuda_capture_status {
    CUDA_CAPTURE_NONE,
    CUDA_CAPTURE_ACTIVE,
    CUDA_CAPTURE_INVALIDATED
};
enum cuda_capture_mode {
    CUDA_CAPTURE_GLOBAL,
    CUDA_CAPTURE_OF_THREAD,
    CUDA_CAPTURE_RELAXED
};

struct cuda_graph_instantiate {
    unsigned long long flags;
    struct cuda_stream *upload;
    struct graph_op *failed;
    int result;
};
struct cuda_graph_update {
    int result;
    struct graph_op *failed, *failed_from;
};
struct cuda_kernel_node {
    const void *stub;
    struct cuda_dim3 grid, block;
    unsigned shared_bytes;
    void **args, **extra;
};
struct cuda_fill_node {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height; /* in elements, in rows */
};
struct cuda_host_node {
    void (*function)(void *);
    void *context;
};

/* cudaGraphNodeType. */
enum {
    GRAPH_KERNEL,
    GRAPH_COPY,
    GRAPH_FILL,
    GRAPH_HOST,
    GRAPH_CHILD,
    GRAPH_EMPTY,
    GRAPH_EVENT_WAIT,
    GRAPH_EVENT_RECORD,
    GRAPH_ALLOCATE = 10,
    GRAPH_FREE
};
struct cuda_node {
    int type, reserved[3];
    union {
        long long room[29];
        struct cuda_kernel_node kernel;
        struct {
            int flags, reserved[3];
            struct cuda_copy_3d params;
        } copy;
        struct cuda_fill_node fill;
        struct cuda_host_node host;
        struct {
            struct cuda_graph *graph;
            int ownership; /* 0: the node has a copy */
        } child;
        struct cuda_event *event;
        struct cuda_allocate_node allocate;
        void *place; /* the address to free */
    } of;
    long long reserved_too;
};

/* rt_capture.c */
RT_API enum cuda_error cudaStreamBeginCapture(struct cuda_stream *s, int mode);
RT_API enum cuda_error cudaStreamEndCapture(struct cuda_stream *s, struct cuda_graph **out);
RT_API enum cuda_error cudaStreamIsCapturing(struct cuda_stream *s,
                                             enum cuda_capture_status *out);
RT_API enum cuda_error cudaStreamGetCaptureInfo(struct cuda_stream *s,
                                                enum cuda_capture_status *out,
                                                unsigned long long *id,
                                                struct cuda_graph **graph,
                                                struct graph_op *const **after,
                                                const void **edges, size_t *after_count);
RT_API enum cuda_error cudaThreadExchangeStreamCaptureMode(int *mode);

/* rt_graph_calls.c */
RT_API enum cuda_error cudaGraphCreate(struct cuda_graph **out, unsigned flags);
RT_API enum cuda_error cudaGraphDestroy(struct cuda_graph *g);
RT_API enum cuda_error cudaGraphClone(struct cuda_graph **out, struct cuda_graph *g);
RT_API enum cuda_error cudaGraphInstantiate(struct cuda_graph_exec **out,
                                            struct cuda_graph *g, unsigned long long flags);
RT_API enum cuda_error cudaGraphInstantiateWithFlags(struct cuda_graph_exec **out,
                                                     struct cuda_graph *g,
                                                     unsigned long long flags);
RT_API enum cuda_error cudaGraphInstantiateWithParams(struct cuda_graph_exec **out,
                                                      struct cuda_graph *g,
                                                      struct cuda_graph_instantiate *how);
RT_API enum cuda_error cudaGraphExecUpdate(struct cuda_graph_exec *exec,
                                           struct cuda_graph *g,
                                           struct cuda_graph_update *result);
RT_API enum cuda_error cudaGraphExecDestroy(struct cuda_graph_exec *exec);
RT_API enum cuda_error cudaGraphUpload(struct cuda_graph_exec *exec, struct cuda_stream *s);
RT_API enum cuda_error cudaGraphLaunch(struct cuda_graph_exec *exec, struct cuda_stream *s);

/* rt_graph_edge.c; `edges` has eight bytes per edge and always means full completion */
RT_API enum cuda_error cudaGraphGetNodes(struct cuda_graph *g, struct graph_op **out,
                                         size_t *count);
RT_API enum cuda_error cudaGraphGetRootNodes(struct cuda_graph *g, struct graph_op **out,
                                             size_t *count);
RT_API enum cuda_error cudaGraphGetEdges(struct cuda_graph *g, struct graph_op **from,
                                         struct graph_op **to, void *edges, size_t *count);
RT_API enum cuda_error cudaGraphNodeGetDependencies(struct graph_op *op,
                                                    struct graph_op **out, void *edges,
                                                    size_t *count);
RT_API enum cuda_error cudaGraphNodeGetDependentNodes(struct graph_op *op,
                                                      struct graph_op **out, void *edges,
                                                      size_t *count);
RT_API enum cuda_error cudaGraphAddDependencies(struct cuda_graph *g,
                                                struct graph_op *const *from,
                                                struct graph_op *const *to,
                                                const void *edges, size_t count);
RT_API enum cuda_error cudaGraphRemoveDependencies(struct cuda_graph *g,
                                                   struct graph_op *const *from,
                                                   struct graph_op *const *to,
                                                   const void *edges, size_t count);
RT_API enum cuda_error cudaGraphDestroyNode(struct graph_op *op);

/* rt_graph_query.c */
RT_API enum cuda_error cudaGraphNodeGetType(struct graph_op *op, int *type);
RT_API enum cuda_error cudaGraphNodeFindInClone(struct graph_op **out,
                                                struct graph_op *original,
                                                struct cuda_graph *clone);
RT_API enum cuda_error cudaGraphKernelNodeGetParams(struct graph_op *op,
                                                    struct cuda_kernel_node *out);
RT_API enum cuda_error cudaGraphMemcpyNodeGetParams(struct graph_op *op,
                                                    struct cuda_copy_3d *out);
RT_API enum cuda_error cudaGraphMemsetNodeGetParams(struct graph_op *op,
                                                    struct cuda_fill_node *out);
RT_API enum cuda_error cudaGraphHostNodeGetParams(struct graph_op *op,
                                                  struct cuda_host_node *out);
RT_API enum cuda_error cudaGraphChildGraphNodeGetGraph(struct graph_op *op,
                                                       struct cuda_graph **out);
RT_API enum cuda_error cudaGraphNodeSetEnabled(struct cuda_graph_exec *exec,
                                               struct graph_op *op, unsigned is_on);
RT_API enum cuda_error cudaGraphNodeGetEnabled(struct cuda_graph_exec *exec,
                                               struct graph_op *op, unsigned *is_on);
RT_API enum cuda_error cudaGraphExecGetFlags(struct cuda_graph_exec *exec,
                                             unsigned long long *flags);

/* rt_graph_memory.c */
RT_API enum cuda_error cudaGraphAddMemAllocNode(struct graph_op **out, struct cuda_graph *g,
                                                struct graph_op *const *after,
                                                size_t after_count,
                                                struct cuda_allocate_node *node);
RT_API enum cuda_error cudaGraphAddMemFreeNode(struct graph_op **out, struct cuda_graph *g,
                                               struct graph_op *const *after,
                                               size_t after_count, void *place);
RT_API enum cuda_error cudaGraphMemAllocNodeGetParams(struct graph_op *op,
                                                      struct cuda_allocate_node *out);
RT_API enum cuda_error cudaGraphMemFreeNodeGetParams(struct graph_op *op, void *out);
RT_API enum cuda_error cudaDeviceGraphMemTrim(int device);
RT_API enum cuda_error cudaDeviceGetGraphMemAttribute(int device, int what, void *out);
RT_API enum cuda_error cudaDeviceSetGraphMemAttribute(int device, int what,
                                                      const void *value);

/* rt_graph_attribute.c */
RT_API enum cuda_error cudaGraphKernelNodeSetAttribute(struct graph_op *op, int attribute,
                                                       const void *value);
RT_API enum cuda_error cudaGraphKernelNodeGetAttribute(struct graph_op *op, int attribute,
                                                       void *value);
RT_API enum cuda_error cudaGraphKernelNodeCopyAttributes(struct graph_op *to,
                                                         struct graph_op *from);

/* rt_graph_event.c */
RT_API enum cuda_error cudaGraphAddEventRecordNode(struct graph_op **out,
                                                   struct cuda_graph *g,
                                                   struct graph_op *const *after,
                                                   size_t count, struct cuda_event *event);
RT_API enum cuda_error cudaGraphAddEventWaitNode(struct graph_op **out,
                                                 struct cuda_graph *g,
                                                 struct graph_op *const *after,
                                                 size_t count, struct cuda_event *event);
RT_API enum cuda_error cudaGraphEventRecordNodeGetEvent(struct graph_op *op,
                                                        struct cuda_event **out);
RT_API enum cuda_error cudaGraphEventWaitNodeGetEvent(struct graph_op *op,
                                                      struct cuda_event **out);
RT_API enum cuda_error cudaGraphEventRecordNodeSetEvent(struct graph_op *op,
                                                        struct cuda_event *event);
RT_API enum cuda_error cudaGraphEventWaitNodeSetEvent(struct graph_op *op,
                                                      struct cuda_event *event);
RT_API enum cuda_error cudaGraphExecEventRecordNodeSetEvent(struct cuda_graph_exec *exec,
                                                            struct graph_op *op,
                                                            struct cuda_event *event);
RT_API enum cuda_error cudaGraphExecEventWaitNodeSetEvent(struct cuda_graph_exec *exec,
                                                          struct graph_op *op,
                                                          struct cuda_event *event);

/* rt_graph_symbol.c */
RT_API enum cuda_error cudaGraphAddMemcpyNodeToSymbol(
    struct graph_op **out, struct cuda_graph *g, struct graph_op *const *after,
    size_t count, const void *symbol, const void *from, size_t bytes, size_t first,
    enum cuda_copy_kind kind);
RT_API enum cuda_error cudaGraphAddMemcpyNodeFromSymbol(
    struct graph_op **out, struct cuda_graph *g, struct graph_op *const *after,
    size_t count, void *to, const void *symbol, size_t bytes, size_t first,
    enum cuda_copy_kind kind);
RT_API enum cuda_error cudaGraphMemcpyNodeSetParamsToSymbol(struct graph_op *op,
                                                            const void *symbol,
                                                            const void *from, size_t bytes,
                                                            size_t first,
                                                            enum cuda_copy_kind kind);
RT_API enum cuda_error cudaGraphMemcpyNodeSetParamsFromSymbol(struct graph_op *op, void *to,
                                                              const void *symbol,
                                                              size_t bytes, size_t first,
                                                              enum cuda_copy_kind kind);
RT_API enum cuda_error cudaGraphExecMemcpyNodeSetParamsToSymbol(
    struct cuda_graph_exec *exec, struct graph_op *op, const void *symbol, const void *from,
    size_t bytes, size_t first, enum cuda_copy_kind kind);
RT_API enum cuda_error cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    struct cuda_graph_exec *exec, struct graph_op *op, void *to, const void *symbol,
    size_t bytes, size_t first, enum cuda_copy_kind kind);

/* rt_graph_any.c */
RT_API enum cuda_error cudaGraphAddNode(struct graph_op **out, struct cuda_graph *g,
                                        struct graph_op *const *after, const void *edges,
                                        size_t count, struct cuda_node *node);
RT_API enum cuda_error cudaGraphNodeSetParams(struct graph_op *op, struct cuda_node *node);
RT_API enum cuda_error cudaGraphExecNodeSetParams(struct cuda_graph_exec *exec,
                                                  struct graph_op *op,
                                                  struct cuda_node *node);

/* rt_graph_node.c */
RT_API enum cuda_error cudaGraphAddKernelNode(struct graph_op **out, struct cuda_graph *g,
                                              struct graph_op *const *after, size_t count,
                                              const struct cuda_kernel_node *node);
RT_API enum cuda_error cudaGraphAddMemcpyNode(struct graph_op **out, struct cuda_graph *g,
                                              struct graph_op *const *after, size_t count,
                                              const struct cuda_copy_3d *node);
RT_API enum cuda_error cudaGraphAddMemcpyNode1D(struct graph_op **out, struct cuda_graph *g,
                                                struct graph_op *const *after, size_t count,
                                                void *to, const void *from, size_t bytes,
                                                enum cuda_copy_kind kind);
RT_API enum cuda_error cudaGraphAddMemsetNode(struct graph_op **out, struct cuda_graph *g,
                                              struct graph_op *const *after, size_t count,
                                              const struct cuda_fill_node *node);
RT_API enum cuda_error cudaGraphAddHostNode(struct graph_op **out, struct cuda_graph *g,
                                            struct graph_op *const *after, size_t count,
                                            const struct cuda_host_node *node);
RT_API enum cuda_error cudaGraphAddEmptyNode(struct graph_op **out, struct cuda_graph *g,
                                             struct graph_op *const *after, size_t count);
RT_API enum cuda_error cudaGraphAddChildGraphNode(struct graph_op **out,
                                                  struct cuda_graph *g,
                                                  struct graph_op *const *after,
                                                  size_t count, struct cuda_graph *child);
/* ...SetParams: of a node, and of its copy in an executable graph. */
RT_API enum cuda_error cudaGraphKernelNodeSetParams(struct graph_op *op,
                                                    const struct cuda_kernel_node *node);
RT_API enum cuda_error cudaGraphExecKernelNodeSetParams(
    struct cuda_graph_exec *exec, struct graph_op *op, const struct cuda_kernel_node *node);
RT_API enum cuda_error cudaGraphMemcpyNodeSetParams(struct graph_op *op,
                                                    const struct cuda_copy_3d *node);
RT_API enum cuda_error cudaGraphExecMemcpyNodeSetParams(struct cuda_graph_exec *exec,
                                                        struct graph_op *op,
                                                        const struct cuda_copy_3d *node);
RT_API enum cuda_error cudaGraphMemcpyNodeSetParams1D(struct graph_op *op, void *to,
                                                      const void *from, size_t bytes,
                                                      enum cuda_copy_kind kind);
RT_API enum cuda_error cudaGraphExecMemcpyNodeSetParams1D(struct cuda_graph_exec *exec,
                                                          struct graph_op *op, void *to,
                                                          const void *from, size_t bytes,
                                                          enum cuda_copy_kind kind);
RT_API enum cuda_error cudaGraphMemsetNodeSetParams(struct graph_op *op,
                                                    const struct cuda_fill_node *node);
RT_API enum cuda_error cudaGraphExecMemsetNodeSetParams(struct cuda_graph_exec *exec,
                                                        struct graph_op *op,
                                                        const struct cuda_fill_node *node);
RT_API enum cuda_error cudaGraphHostNodeSetParams(struct graph_op *op,
                                                  const struct cuda_host_node *node);
RT_API enum cuda_error cudaGraphExecHostNodeSetParams(struct cuda_graph_exec *exec,
                                                      struct graph_op *op,
                                                      const struct cuda_host_node *node);
