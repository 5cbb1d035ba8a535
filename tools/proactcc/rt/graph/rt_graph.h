/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Graphs: calls that are kept, and made one by one each time the graph is launched; or
   recorded, and replayed (rt_graph_replay.h). */

#include "rt/graph/rt_graph_replay.h"

/* A call that a stream is given, as a function and what it needs. */
typedef enum cuda_error graph_run(struct rt *rt, const void *data);

struct graph_op {
    struct cuda_graph *graph; /* that it is in */
    graph_run *run;
    void *data;
    size_t bytes;
    struct graph_op **after; /* what must run before, if the program said so */
    size_t after_count, after_capacity;
    size_t turn;                   /* while an order is looked for: 1 and up */
    void **args;                   /* of a kernel, as the program was shown them; or NULL */
    bool is_off;                   /* of what was made of a graph: left out */
    const struct graph_op *origin; /* of a copy */
};

struct cuda_graph {
    uint64_t id;                /* of the capture, never used again; 0: none */
    bool is_broken;             /* somebody waited for what was being captured */
    struct rt_handles *handles; /* of its operations, where the program may have them */
    struct graph_op **ops;
    size_t count, capacity;
};

/* A copy of the graph, in an order in which it can run. */
struct cuda_graph_exec {
    struct cuda_graph graph;
    struct proact_loop *repeat; /* of its launches; NULL: there was none */
    unsigned long long flags;
    struct graph_replay replay;
};

/* Made by the program, by its handle: the driver's where libraries may be given it. */
struct rt_stream {
    struct rt_stream *next;
    struct cuda_stream *handle;
    unsigned flags;
    int priority;
    unsigned long long id;
    unsigned number; /* as proact_stream_set_current() has it; others may have the same */
    bool is_drivers;
    struct cuda_graph *capture; /* what it is given goes there; NULL: it runs */
    bool began_it;
    struct rt_stream_hint hints[RT_STREAM_HINTS];
};
/* NULL: a default stream, or none. */
struct rt_stream *rt_stream_find(struct rt *rt, const struct cuda_stream *handle);
bool rt_stream_is_default(const struct cuda_stream *s);
/* Where the list leads to the stream, or to NULL: there is none. */
struct rt_stream **rt_stream_link(struct rt *rt, const struct cuda_stream *handle);
bool rt_streams_may_be_drivers(const struct rt *rt);

/* What is queued between the two is of that stream; of none, where it is a default one or
   may be the driver's. */
enum cuda_error rt_stream_enter(struct rt *rt, const struct cuda_stream *s);
void rt_stream_leave(struct rt *rt);

/* Makes the call, or keeps a copy of `data` for later where the stream is captured. */
enum cuda_error rt_in_stream(struct rt *rt, const struct cuda_stream *s, graph_run *run,
                             const void *data, size_t bytes);
/* Of the capture that the stream takes part in; 0: of none. */
uint64_t rt_capture_of(struct rt *rt, const struct cuda_stream *s);
/* The same, for a call that breaks it. */
uint64_t rt_capture_break(struct rt *rt, const struct cuda_stream *s);
/* The stream waits for something of that capture: if it is still open, it takes part. */
void rt_capture_join(struct rt *rt, const struct cuda_stream *s, uint64_t capture);

/* The stream is about to go: a capture that it began ends with it. */
void rt_capture_drop(struct rt *rt, struct rt_stream *s);

/* Of which the program has the handle. */
struct cuda_graph *rt_graph_create(struct rt *rt);
void rt_graph_destroy(struct rt *rt, struct cuda_graph *g);

struct graph_op *graph_add(struct cuda_graph *g, graph_run *run, const void *data,
                           size_t bytes);
void graph_after(struct graph_op *op, struct graph_op *before);
void graph_forget(struct graph_op *op, const struct graph_op *before);
/* Appends copies of all operations, each after those it must come after. False: they wait
   for each other in a circle. */
bool graph_append(struct cuda_graph *to, const struct cuda_graph *from);
void graph_clear(struct cuda_graph *g);
void graph_remove(struct graph_op *op);
/* `from` is empty then; so was `to`. */
void graph_move(struct cuda_graph *to, struct cuda_graph *from);

/* Whether the program has such a handle. */
bool graph_is(const struct rt *rt, const struct cuda_graph *g);
bool graph_is_exec(const struct rt *rt, const struct cuda_graph_exec *exec);
bool graph_is_node(const struct rt *rt, const struct graph_op *op);
/* Another call of the same kind in its place. */
enum cuda_error graph_change(struct graph_op *op, graph_run *run, const void *data,
                             size_t bytes);
/* The copy of the graph's operation, or NULL. */
struct graph_op *graph_copy_of(const struct cuda_graph *g, const struct graph_op *origin);
/* The program's node, and its copy in what was made of its graph; NULL: it has none. */
struct graph_op *graph_node_of(const struct rt *rt, struct graph_op *op);
struct graph_op *graph_copy_in(const struct rt *rt, struct cuda_graph_exec *exec,
                               const struct graph_op *op);
/* A node where the program wants it. */
struct graph_place {
    struct graph_op **out;
    struct cuda_graph *graph;
    struct graph_op *const *after;
    size_t count;
};
enum cuda_error graph_node_add(struct rt *rt, const struct graph_place *at, graph_run *run,
                               const void *data, size_t bytes);
enum cuda_error graph_run_all(struct rt *rt, const struct cuda_graph *g);

/* Kept calls that have more than one way in: a struct cuda_copy_3d; and a kernel, for which
   the caller frees *out. */
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
/* A struct cuda_event *. To wait for one is to do nothing: a graph comes after all that was
   queued before. */
enum cuda_error rt_run_event_record(struct rt *rt, const void *data);
enum cuda_error rt_run_event_wait(struct rt *rt, const void *data);
/* Of nodes: a struct cuda_fill_node, a cuda_host_node, a struct cuda_graph *. */
enum cuda_error rt_run_fill(struct rt *rt, const void *data);
enum cuda_error rt_run_fill_wide(struct rt *rt, const void *data);
/* Which of the two: elements of two or four bytes whose bytes are alike are filled as bytes
   are. */
struct cuda_fill_node;
bool rt_is_fill_of_bytes(const struct cuda_fill_node *f);
enum cuda_error rt_run_host(struct rt *rt, const void *data);
enum cuda_error rt_run_nothing(struct rt *rt, const void *data);
enum cuda_error rt_run_child(struct rt *rt, const void *data);
enum cuda_error rt_run_launch(struct rt *rt, const void *data);
struct rt_kept_launch;
/* What the program asked for; the arguments are the operation's, until it changes. */
struct cuda_kernel_node;
void rt_launch_show(struct graph_op *op, struct cuda_kernel_node *out);
/* Of what a kernel node keeps, which may change; NULL: it is no kernel. */
struct proact_grid *rt_launch_grid(const struct graph_op *op, struct cuda_kernel **k);
enum cuda_error rt_launch_keep(struct rt *rt, struct cuda_kernel *k,
                               const struct proact_grid *grid, void **args,
                               struct rt_kept_launch **out, size_t *bytes);
