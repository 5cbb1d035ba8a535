/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Cost model: closed forms for the cost of a transfer by range length and initiator. LogGOP
   (Groves et al. 2020, III) gives the form; docs/measuring.md describes the fit. */

#include <stdint.h>

#include "topology/topology.h"

enum model_initiator { MODEL_SM, MODEL_COPY_ENGINE };

/* Bytes on the wire for `bytes` sent in ranges of `run_bytes` consecutive bytes. */
double model_wire_bytes(const struct topology_fabric *f, enum model_initiator who,
                        uint64_t bytes, uint64_t run_bytes);

/* Goodput in GB/s from one device to its peers with ranges of that length (PROACT Figure
   2). */
double model_goodput_gbps(const struct topology_fabric *f, enum model_initiator who,
                          uint64_t run_bytes);

/* Packets for `bytes` in such ranges. */
uint64_t model_packets(const struct topology_fabric *f, enum model_initiator who,
                       uint64_t bytes, uint64_t run_bytes);

/* Nanoseconds of a copy-engine copy that follows another one (LogGOP: g + (n - 1) G). */
double model_copy_ns(const struct topology *t, unsigned from, unsigned to, uint64_t bytes);

/* Copies that are queued ahead, each after the chunk that it sends (copy-engine). */
struct model_copies {
    uint64_t bytes;     /* that a device's kernel writes and sends */
    double compute_ns;  /* of the kernel, which writes at a constant rate */
    double ns_per_byte; /* of the copies to all peers, one after the other */
    double start_ns;    /* additional cost of each chunk's copies after other copies */
    double wait_ns;     /* from a complete chunk to its copies on idle streams */
    unsigned streams;   /* receive the chunks in turn; at least 1 */
};

/* Chunk i (from 0) has first + i * step bytes; the last one has the remainder. */
struct model_schedule {
    uint64_t first_bytes, step_bytes;
};

/* Copies of device 0 to all its peers, with `senders` devices sending at the same time. The
   kernel takes `ratio` times as long as the bytes of the copies of one sender, without
   their start costs. */
struct model_copies model_copies_of(const struct topology *t, unsigned streams,
                                    unsigned senders, uint64_t bytes, double ratio);

/* Time from the start of the kernel to the end of the last copy, and the number of
   chunks. */
double model_schedule_ns(const struct model_copies *c, const struct model_schedule *s);
double model_schedule_chunks(const struct model_schedule *s, uint64_t bytes);

/* Fastest schedule whose first chunk and step (or no step) are least_bytes times a power of
   two, up to most_bytes. */
struct model_schedule model_schedule_best(const struct model_copies *c,
                                          uint64_t least_bytes, uint64_t most_bytes);
