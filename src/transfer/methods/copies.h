/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Copies that are queued ahead, behind waits for the counters: what the mechanisms that use
   copy engines share. */

#include "agent.h"
#include "transfer/transfer.h"

/* The stream, one of `device`, goes on when all writers of the chunk have counted. */
enum proact_status copies_await(const struct transfer_binding *b, unsigned device,
                                const struct proact_partition *partition,
                                struct agent_item item, struct device_stream *stream,
                                struct proact_error *err);
/* What `owner` owns of the chunk, from one replica to another; nothing where the plan
   elides. */
enum proact_status copies_move(const struct transfer_binding *b, unsigned owner,
                               struct agent_item item, unsigned from, unsigned to,
                               struct device_stream *stream, struct proact_error *err);

/* TRANSFER_COPY_STREAMS of a device take its chunks in turns, so that one waits while the
   other copies; copies of one direction go one behind the other anyway. */
struct copies_lanes {
    struct device_stream *stream[TRANSFER_COPY_STREAMS];
    struct device_event *begin, *end[TRANSFER_COPY_STREAMS];
};

/* Close them also after a failure. */
enum proact_status copies_open(const struct transfer_devices *t, unsigned device,
                               struct copies_lanes *l, struct proact_error *err);
void copies_close(const struct transfer_devices *t, struct copies_lanes *l);
/* They come after lane SIDE; it comes after them. */
enum proact_status copies_fork(const struct transfer_devices *t, unsigned device,
                               const struct copies_lanes *l, struct proact_error *err);
enum proact_status copies_join(const struct transfer_devices *t, unsigned device,
                               const struct copies_lanes *l, struct proact_error *err);
