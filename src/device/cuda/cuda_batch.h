/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launches, copies, fills, words, records and waits that are queued on several devices at
   once. */

#include "device/cuda/cuda_set.h"

/* `threads`, the caller's among them; 0: one a device, where there are processors enough.
   Without helpers nothing is ever kept back. */
void cuda_batch_open(struct device_set *set, unsigned threads);
void cuda_batch_close(struct device_set *set);

void cuda_batch_begin(struct device_set *set);
enum proact_status cuda_batch_end(struct device_set *set, struct proact_error *err);
/* All that was kept back is queued now. */
enum proact_status cuda_batch_flush(struct device_set *set, struct proact_error *err);

/* Whether operations of this stream are kept back now; then these keep them. */
bool cuda_batches(const struct device_stream *s);
void cuda_batch_launch(struct device_stream *s, struct device_function *f,
                       const struct device_launch *launch);
enum proact_status cuda_batch_record(struct device_stream *s, struct device_event *e,
                                     struct proact_error *err);
void cuda_batch_mark(struct device_stream *s, cu_event mark); /* recorded there */
enum proact_status cuda_batch_wait(struct device_stream *s, struct device_event *e,
                                   struct proact_error *err);
enum proact_status cuda_batch_copy(struct device_stream *s, const struct device_rows *rows,
                                   struct proact_error *err);
enum proact_status cuda_batch_fill(struct device_stream *s, device_addr to,
                                   unsigned char value, size_t bytes,
                                   struct proact_error *err);
enum proact_status cuda_batch_write_value(struct device_stream *s, device_addr word,
                                          uint32_t value, struct proact_error *err);
/* The wait is one of the set's as soon as it is queued. `wait->before`: an event that is
   recorded right ahead of it; NULL for none. */
enum proact_status cuda_batch_wait_value(const struct cuda_wait *wait,
                                         struct proact_error *err);
