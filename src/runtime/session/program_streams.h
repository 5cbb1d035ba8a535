/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Streams of a program. Operations in different streams may run concurrently on device 0.
   For all other code they form its kernel stream: operations without a stream, and all
   events, follow every stream, and every stream follows earlier operations without one.
   This is the rule of CUDA's default stream. */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct device_event;
struct device_stream;
struct proact;

/* Between the two calls the current program stream replaces the kernel stream of device 0.
   Without a current stream the first call is streams_join(). */
enum proact_status streams_enter(struct proact *p, struct proact_error *err);
void streams_leave(struct proact *p);

/* Orders the next operation, which has no stream, after all streams. */
enum proact_status streams_join(struct proact *p, struct proact_error *err);

/* Selects the current stream, 1 to PROACT_STREAMS_MAX; 0: none. */
enum proact_status streams_use(struct proact *p, unsigned number, struct proact_error *err);
/* Event after all work of the current stream, which must exist. */
enum proact_status streams_end(struct proact *p, struct device_event **out,
                               struct proact_error *err);

/* The current stream. Returns false if it was never used. */
bool streams_in_use(const struct proact *p, struct device_stream **out);
bool streams_are_used(const struct proact *p); /* a stream is current */

/* Count an operation of the current stream: a copy between host and device, or a kernel. */
void streams_copied(struct proact *p, bool to_device, uint64_t bytes);
void streams_launched(struct proact *p);
/* Link time of recent copies per kernel, in each direction, if several streams are active
   and one is current; otherwise 0. */
struct streams_beside {
    uint64_t to_device_ns, from_device_ns;
};
struct streams_beside streams_beside(const struct proact *p);

void streams_quiesced(struct proact *p); /* all queued work has ended */
void streams_close(struct proact *p);
