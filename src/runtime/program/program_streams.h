/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Streams of a program: what it queues on the first device alone may run beside what it
   queues there in another stream. To everything else they are lane MAIN of that device:
   what is of no stream, and every event of that lane, comes after all of them, and they
   come after what was of none before, as CUDA's streams do with its default stream. */

#include "runtime/session/session.h"

struct program_streams;

/* What is queued on that lane between the two belongs to the stream in use, which the lane
   then is. Where none is: as streams_join(). */
enum proact_status streams_enter(struct proact *p, struct proact_error *err);
void streams_leave(struct proact *p);

/* What is queued there next is of no stream. */
enum proact_status streams_join(struct proact *p, struct proact_error *err);

/* 1 to PROACT_STREAMS_MAX is in use from now on; 0: none. */
enum proact_status streams_use(struct proact *p, unsigned number, struct proact_error *err);
/* An event behind what the one in use was given; there is one. */
enum proact_status streams_end(struct proact *p, struct device_event **out,
                               struct proact_error *err);

/* The one in use; false: it was never given anything. */
bool streams_in_use(const struct proact *p, struct device_stream **out);
bool streams_are_used(const struct proact *p); /* one is in use now */

/* What the stream in use was given: a copy between host and device, a kernel. */
void streams_copied(struct proact *p, bool to_device, uint64_t bytes);
void streams_launched(struct proact *p);
/* Where several streams are at work, and one is in use: how long copies of late take the
   host's link for each kernel, either way. Else 0. */
struct streams_beside {
    uint64_t to_device_ns, from_device_ns;
};
struct streams_beside streams_beside(const struct proact *p);

void streams_quiesced(struct proact *p); /* all that was queued has ended */
void streams_close(struct proact *p);
