/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CUDA graphs. A graph stores calls. A launch of the graph makes the calls one by one, or
   replays a recording of them (rt_graph_replay.h). */

#include "rt/graph/rt_graph_replay.h"

/* A stored call of a stream: a function and its data. */
typedef enum cuda_error graph_run(struct rt *rt, const void *data);

struct graph_op {
    struct cuda_graph *graph; /* the owner */
    graph_run *run;
    void *data;
    size_t bytes;
    struct graph_op **after; /* its predecessors; empty: none given by the program */
    size_t after_count, after_capacity;
    size_t turn;                   /* position during the sort, from 1 */
    void **args;                   /* arguments of a kernel node, as the program reads them
                                      back; or NULL */
    bool is_off;                   /* disabled in an executable graph */
    const struct graph_op *origin; /* the original of a copy */
};

struct cuda_graph {
    uint64_t id;    /* of the capture, never reused; 0: none */
    bool is_broken; /* a call broke a rule of captures (rt_capture_rules.h) */
    int mode;       /* of the capture */
    const struct rt_thread *thread; /* that began the capture */
    struct capture_point *points;   /* while under capture, in the order of the calls */
    size_t point_count, point_capacity;
    struct rt_handles *handles; /* of its nodes, if the program can obtain them */
    struct graph_op **ops;
    size_t count, capacity;
};

/* A position in the work of a captured stream. Points have numbers from 1; 0: none. */
struct capture_point {
    size_t before[2]; /* the points that it follows */
    bool is_work;     /* a captured call, not a wait for an event */
    bool is_joined;   /* the end of the capture follows it */
};

/* A copy of a graph, sorted in an order in which it can run. */
struct cuda_graph_exec {
    struct cuda_graph graph;
    struct proact_loop *repeat; /* of its launches; NULL before the first */
    unsigned long long flags;
    struct graph_replay replay;
};

/* A stream of the program. Its handle is a driver stream if the program may pass it to
   libraries. */
struct rt_stream {
    struct rt_stream *next;
    struct cuda_stream *handle;
    unsigned flags;
    int priority;
    unsigned long long id;
    unsigned number; /* for proact_stream_set_current(); streams may share a number */
    bool is_drivers;
    struct cuda_graph *capture; /* receives the stream's calls; NULL: they run */
    bool began_it;
    size_t point; /* its last in the capture */
    struct rt_stream_hint hints[RT_STREAM_HINTS];
};
/* NULL: a default stream, or an unknown handle. */
struct rt_stream *rt_stream_find(struct rt *rt, const struct cuda_stream *handle);
bool rt_stream_is_default(const struct cuda_stream *s);
/* The link to the stream, or to the NULL at the end of the list. */
struct rt_stream **rt_stream_link(struct rt *rt, const struct cuda_stream *handle);
bool rt_streams_may_be_drivers(const struct rt *rt);

/* A scope for the work of one stream. A default stream, or one that may be a driver stream,
   has no number of its own. */
enum cuda_error rt_stream_enter(struct rt *rt, const struct cuda_stream *s);
void rt_stream_leave(struct rt *rt);

/* Runs the call, or stores it with a copy of `data` if the stream is captured. */
enum cuda_error rt_in_stream(struct rt *rt, const struct cuda_stream *s, graph_run *run,
                             const void *data, size_t bytes);
/* The capture that includes the stream; 0: none. */
uint64_t rt_capture_of(struct rt *rt, const struct cuda_stream *s);
/* The stream's last point in its capture, for an event; 0: none. */
size_t rt_capture_point(struct rt *rt, const struct cuda_stream *s);
/* A wait of the stream for an event at that point of that capture, which the stream joins.
   The error invalidates the captures: two of them cannot merge, and a captured stream
   cannot wait for an event of no capture (0) or of one that has ended. */
enum cuda_error rt_capture_join(struct rt *rt, const struct cuda_stream *s,
                                uint64_t capture, size_t point);

/* Destruction of the stream, which ends a capture that the stream began. */
void rt_capture_drop(struct rt *rt, struct rt_stream *s);

/* Creation and destruction of graphs with a handle. */
struct cuda_graph *rt_graph_create(struct rt *rt);
void rt_graph_destroy(struct rt *rt, struct cuda_graph *g);

struct graph_op *graph_add(struct cuda_graph *g, graph_run *run, const void *data,
                           size_t bytes);
void graph_after(struct graph_op *op, struct graph_op *before);
void graph_forget(struct graph_op *op, const struct graph_op *before);
/* Appends copies of all operations in topological order. False if their dependencies form a
   cycle. */
bool graph_append(struct cuda_graph *to, const struct cuda_graph *from);
void graph_clear(struct cuda_graph *g);
void graph_remove(struct graph_op *op);
/* `to` is empty before, `from` afterwards. */
void graph_move(struct cuda_graph *to, struct cuda_graph *from);

/* True if the program owns such a handle. */
bool graph_is(const struct rt *rt, const struct cuda_graph *g);
bool graph_is_exec(const struct rt *rt, const struct cuda_graph_exec *exec);
bool graph_is_node(const struct rt *rt, const struct graph_op *op);
/* Replacement of a call by another one of the same kind. */
enum cuda_error graph_change(struct graph_op *op, graph_run *run, const void *data,
                             size_t bytes);
/* The copy of an operation of the original graph, or NULL. */
struct graph_op *graph_copy_of(const struct cuda_graph *g, const struct graph_op *origin);
/* A node of the program, and its copy in an executable graph; NULL if it does not exist. */
struct graph_op *graph_node_of(const struct rt *rt, struct graph_op *op);
struct graph_op *graph_copy_in(const struct rt *rt, struct cuda_graph_exec *exec,
                               const struct graph_op *op);
/* The position of a new node. */
struct graph_place {
    struct graph_op **out;
    struct cuda_graph *graph;
    struct graph_op *const *after;
    size_t count;
};
enum cuda_error graph_node_add(struct rt *rt, const struct graph_place *at, graph_run *run,
                               const void *data, size_t bytes);
enum cuda_error graph_run_all(struct rt *rt, const struct cuda_graph *g);

/* Stored calls that several entry points share: a struct cuda_copy_3d, and a kernel, for
   which the caller frees *out. */
enum cuda_error rt_run_copy_3d(struct rt *rt, const void *data);
struct rt_kept_copy {
    void *to;
    const void *from;
    size_t bytes;
    enum cuda_copy_kind kind;
};
enum cuda_error rt_run_copy(struct rt *rt, const void *data);
struct rt_kept_rows {
    struct rt_rows rows;
    enum cuda_copy_kind kind;
};
enum cuda_error rt_run_rows(struct rt *rt, const void *data);
struct rt_kept_fill {
    struct cuda_pitched to;
    int value;
    struct cuda_extent extent;
};
enum cuda_error rt_run_fill_3d(struct rt *rt, const void *data);
struct rt_kept_symbol_copy {
    const void *symbol;
    void *to;
    const void *from;
    size_t bytes, first;
    enum cuda_copy_kind kind;
};
enum cuda_error rt_run_symbol_write(struct rt *rt, const void *data);
enum cuda_error rt_run_symbol_read(struct rt *rt, const void *data);
enum cuda_error rt_symbol_check(const struct rt_kept_symbol_copy *c);
/* A struct cuda_event *. A wait inside a graph does nothing, because a graph follows all
   work that was queued before it. */
enum cuda_error rt_run_event_record(struct rt *rt, const void *data);
enum cuda_error rt_run_event_wait(struct rt *rt, const void *data);
/* Nodes: a struct cuda_fill_node, a cuda_host_node, a struct cuda_graph *. */
enum cuda_error rt_run_fill(struct rt *rt, const void *data);
enum cuda_error rt_run_fill_wide(struct rt *rt, const void *data);
/* True if a byte fill suffices: each element of two or four bytes repeats one byte. */
struct cuda_fill_node;
bool rt_is_fill_of_bytes(const struct cuda_fill_node *f);
enum cuda_error rt_run_host(struct rt *rt, const void *data);
enum cuda_error rt_run_nothing(struct rt *rt, const void *data);
enum cuda_error rt_run_child(struct rt *rt, const void *data);
enum cuda_error rt_run_launch(struct rt *rt, const void *data);
struct rt_kept_launch;
/* The parameters that the program gave. The arguments belong to the operation until it
   changes. */
struct cuda_kernel_node;
void rt_launch_show(struct graph_op *op, struct cuda_kernel_node *out);
/* The launch of a kernel node, which the caller may change; NULL: not a kernel node. */
struct proact_grid *rt_launch_grid(const struct graph_op *op, struct cuda_kernel **k);
enum cuda_error rt_launch_keep(struct rt *rt, struct cuda_kernel *k,
                               const struct proact_grid *grid, void **args,
                               struct rt_kept_launch **out, size_t *bytes);
