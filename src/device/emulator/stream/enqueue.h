/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stream operations of the device contract: they are checked, stamped with the host's clock
   and queued. */

#include "device/emulator/machine.h"

struct operation;

enum proact_status enqueue_copy(struct device_stream *s, device_addr to, device_addr from,
                                size_t bytes, struct proact_error *err);
enum proact_status enqueue_copy_rows(struct device_stream *s,
                                     const struct device_rows *rows,
                                     struct proact_error *err);
enum proact_status enqueue_write(struct device_stream *s, device_addr to, const void *from,
                                 size_t bytes, struct proact_error *err);
enum proact_status enqueue_read(struct device_stream *s, void *into, device_addr from,
                                size_t bytes, struct proact_error *err);
enum proact_status enqueue_fill(struct device_stream *s, device_addr to,
                                unsigned char value, size_t bytes,
                                struct proact_error *err);
enum proact_status enqueue_record(struct device_stream *s, struct device_event *event,
                                  struct proact_error *err);
enum proact_status enqueue_wait_event(struct device_stream *s, struct device_event *event,
                                      struct proact_error *err);
enum proact_status enqueue_wait_value(struct device_stream *s, device_addr word,
                                      uint32_t value, const struct device_reason *reason,
                                      struct proact_error *err);
enum proact_status enqueue_write_value(struct device_stream *s, device_addr word,
                                       uint32_t value, struct proact_error *err);
enum proact_status enqueue_launch(struct device_stream *s, struct device_function *f,
                                  const struct device_launch *launch,
                                  struct proact_error *err);

/* host_time.c: charges the host for a call. An operation costs `us`; its part `turn_us` is
   serialized. Other threads may queue operations of a batch for other devices
   concurrently. */
void host_take(struct device_set *set, double us);
void host_take_for(struct operation *o, double us, double turn_us);
void host_batch_begin(struct device_set *set);
enum proact_status host_batch_end(struct device_set *set, struct proact_error *err);

/* enqueue_parts.c: copies that also accept distributed memory. */
enum proact_status parts_copy(struct device_stream *s, device_addr to, device_addr from,
                              size_t bytes, struct proact_error *err);
enum proact_status parts_copy_rows(struct device_stream *s, const struct device_rows *rows,
                                   struct proact_error *err);
enum proact_status parts_write(struct device_stream *s, device_addr to, const void *from,
                               size_t bytes, struct proact_error *err);
enum proact_status parts_read(struct device_stream *s, void *into, device_addr from,
                              size_t bytes, struct proact_error *err);
enum proact_status parts_fill(struct device_stream *s, device_addr to, unsigned char value,
                              size_t bytes, struct proact_error *err);
