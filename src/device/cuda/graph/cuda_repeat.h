/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Loop capture. Launches, copies and fills of one stream are deferred between begin and
   end. If they equal those of the previous times, they become one graph launch. Other
   parameters and sizes of a launch change its node in the graph. Any other driver call
   first queues the deferred operations, and the remaining ones are queued directly. */

#include "device/cuda/cuda_set.h"

enum repeat_kind { REPEAT_LAUNCH, REPEAT_COPY, REPEAT_FILL };

struct repeat_op {
    enum repeat_kind kind;
    struct device_function *function;
    struct device_launch launch;
    struct device_rows rows;
    device_addr to;
    size_t bytes;
    unsigned char value;
    void *parameters; /* owned, `room` bytes; reused */
    size_t room;
};

struct repeat_list {
    struct repeat_op *op;
    size_t count, capacity;
};

struct device_repeat {
    struct device_set *set;
    struct device_stream *stream; /* stream of the deferred operations */
    struct repeat_list now, before;
    bool is_given_up; /* an operation of another kind occurred */
    unsigned alike;   /* number of repetitions in a row */
    uint64_t unloads; /* unloaded modules at that time; afterwards function handles may
                         be stale */
    cu_graph graph;   /* NULL: none; `exec` executes it with the operations `before` */
    cu_graph_exec exec;
    cu_graph_node *node; /* by operation; NULL: unknown */
    size_t node_capacity;
    bool is_refused; /* the driver cannot capture the sequence */
};

/* Whether operations of the stream are deferred now, by the calls below. */
bool cuda_repeats(const struct device_stream *s);
void cuda_repeat_launch(struct device_stream *s, struct device_function *f,
                        const struct device_launch *launch);
void cuda_repeat_copy(struct device_stream *s, const struct device_rows *rows);
void cuda_repeat_fill(struct device_stream *s, device_addr to, unsigned char value,
                      size_t bytes);
/* Queues the deferred operations one by one; no further ones are deferred. */
enum proact_status cuda_repeat_flush(struct device_set *set, struct proact_error *err);
/* Performs the operations one by one within the context; `captures`: the stream is being
   captured. Returns the failed operation; cuda_repeat_result() writes its message. */
cu_result cuda_repeat_perform(struct device_repeat *r, bool captures,
                              const struct repeat_op **failed);
enum proact_status cuda_repeat_result(const struct device_repeat *r,
                                      const struct repeat_op *failed, cu_result result,
                                      struct proact_error *err);

/* cuda_repeat_update.c */
/* Whether the operations equal those of the previous time, except for launches that
   cuda_repeat_update() can change. */
bool cuda_repeat_is_as_before(const struct device_repeat *r);
/* Notes the node of the operation that was captured last. */
void cuda_repeat_note_node(struct device_repeat *r, size_t op);
/* Changes the launches of the graph to the present ones. Launches of the graph that are
   queued already keep theirs. False: a node cannot be changed. */
bool cuda_repeat_update(const struct device_repeat *r);

/* Calls of the device contract (cuda_repeat_graph.c). */
enum proact_status cuda_repeat_create(struct device_set *set, struct device_repeat **out,
                                      struct proact_error *err);
void cuda_repeat_begin(struct device_repeat *r);
enum proact_status cuda_repeat_end(struct device_repeat *r, struct proact_error *err);
void cuda_repeat_destroy(struct device_repeat *r);
