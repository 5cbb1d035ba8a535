/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Queued copies that wait for counters, shared by the mechanisms that use copy engines. */

#include "agent.h"
#include "transfer/transfer.h"

/* Makes a stream of `device` wait until all writers of the chunk have counted. */
enum proact_status copies_await(const struct transfer_binding *b, unsigned device,
                                const struct proact_partition *partition,
                                struct agent_item item, struct device_stream *stream,
                                struct proact_error *err);
/* Copies the part of the chunk that `owner` owns from one replica to another, if the
   binding's part has the pair of `owner` and `to`. No-op if the plan skips transfers. */
enum proact_status copies_move(const struct transfer_binding *b, unsigned owner,
                               struct agent_item item, unsigned from, unsigned to,
                               struct device_stream *stream, struct proact_error *err);

/* Copy streams of a device, used in turn for its chunks: one stream waits for a counter
   while another copies. Copies in one direction are serial in any case. */
struct copies_lanes {
    struct device_stream *stream[TRANSFER_COPY_STREAMS];
    struct device_event *begin, *end[TRANSFER_COPY_STREAMS];
};

/* Opens the streams; call copies_close() also after a failure. */
enum proact_status copies_open(const struct transfer_devices *t, unsigned device,
                               struct copies_lanes *l, struct proact_error *err);
void copies_close(const struct transfer_devices *t, struct copies_lanes *l);
/* copies_fork(): the copy streams wait for the transfer stream. copies_join(): the transfer
   stream waits for the copy streams. */
enum proact_status copies_fork(const struct transfer_devices *t, unsigned device,
                               const struct copies_lanes *l, struct proact_error *err);
enum proact_status copies_join(const struct transfer_devices *t, unsigned device,
                               const struct copies_lanes *l, struct proact_error *err);
