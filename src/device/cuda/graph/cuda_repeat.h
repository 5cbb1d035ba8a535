/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is queued again and again: launches, copies and fills of one stream are kept back
   between begin and end. Where they are what they were the last times, they are one graph's
   launch. Any other call of the driver's comes behind what was kept so far, and the rest is
   queued as ever. */

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
    void *parameters; /* owned, of `room` bytes; kept for the next time */
    size_t room;
};

struct repeat_list {
    struct repeat_op *op;
    size_t count, capacity;
};

struct device_repeat {
    struct device_set *set;
    struct device_stream *stream; /* of what is kept back now */
    struct repeat_list now, before;
    bool is_given_up; /* something else came between */
    unsigned alike;   /* so often it was what it was the time before */
    uint64_t unloads; /* of modules, then: what was a function may be another one */
    cu_graph_exec exec;
    bool is_refused; /* the driver makes no graph of it */
};

/* Whether operations of this stream are kept back now; then these keep them. */
bool cuda_repeats(const struct device_stream *s);
void cuda_repeat_launch(struct device_stream *s, struct device_function *f,
                        const struct device_launch *launch);
void cuda_repeat_copy(struct device_stream *s, const struct device_rows *rows);
void cuda_repeat_fill(struct device_stream *s, device_addr to, unsigned char value,
                      size_t bytes);
/* What is kept back is queued now, one by one, and nothing is kept any more. */
enum proact_status cuda_repeat_flush(struct device_set *set, struct proact_error *err);
/* Within the context, one by one; `captures`: the stream is being captured. What failed,
   and its sentence. */
cu_result cuda_repeat_perform(const struct device_repeat *r, bool captures,
                              const struct repeat_op **failed);
enum proact_status cuda_repeat_result(const struct device_repeat *r,
                                      const struct repeat_op *failed, cu_result result,
                                      struct proact_error *err);

/* Of the contract (cuda_repeat_graph.c). */
enum proact_status cuda_repeat_create(struct device_set *set, struct device_repeat **out,
                                      struct proact_error *err);
void cuda_repeat_begin(struct device_repeat *r);
enum proact_status cuda_repeat_end(struct device_repeat *r, struct proact_error *err);
void cuda_repeat_destroy(struct device_repeat *r);
