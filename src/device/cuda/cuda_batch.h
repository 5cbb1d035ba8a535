/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Batches: launches, copies, fills, words, records and waits that are queued on several
   devices concurrently. */

#include "device/cuda/cuda_set.h"

/* Starts the worker threads. `threads` includes the caller; 0: one per device, limited by
   the number of processors. Without helpers nothing is deferred. */
void cuda_batch_open(struct device_set *set, unsigned threads);
void cuda_batch_close(struct device_set *set);

void cuda_batch_begin(struct device_set *set);
enum proact_status cuda_batch_end(struct device_set *set, struct proact_error *err);
/* Queues all deferred operations. */
enum proact_status cuda_batch_flush(struct device_set *set, struct proact_error *err);

/* Whether operations of the stream are deferred now, by the calls below. */
bool cuda_batches(const struct device_stream *s);
void cuda_batch_launch(struct device_stream *s, struct device_function *f,
                       const struct device_launch *launch);
enum proact_status cuda_batch_record(struct device_stream *s, struct device_event *e,
                                     struct proact_error *err);
/* Records the event on the stream. */
void cuda_batch_mark(struct device_stream *s, cu_event mark);
enum proact_status cuda_batch_wait(struct device_stream *s, struct device_event *e,
                                   struct proact_error *err);
enum proact_status cuda_batch_copy(struct device_stream *s, const struct device_rows *rows,
                                   struct proact_error *err);
enum proact_status cuda_batch_fill(struct device_stream *s, device_addr to,
                                   unsigned char value, size_t bytes,
                                   struct proact_error *err);
enum proact_status cuda_batch_write_value(struct device_stream *s, device_addr word,
                                          uint32_t value, struct proact_error *err);
/* Defers a wait, which joins the set's waits when it is queued. `wait->before`: an event
   that is recorded immediately before it; NULL: none. */
enum proact_status cuda_batch_wait_value(const struct cuda_wait *wait,
                                         struct proact_error *err);
