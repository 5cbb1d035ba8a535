/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the room of closed forms: what a transfer costs by its run length and initiator.
   LogGOP (Groves et al. 2020, III) gives the form; docs/measuring.md the fit. */

#include <stdint.h>

#include "topology/topology.h"

enum model_initiator { MODEL_SM, MODEL_COPY_ENGINE };

/* Bytes on the wire for `bytes` sent in runs of `run_bytes` consecutive bytes. */
double model_wire_bytes(const struct topology_fabric *f, enum model_initiator who,
                        uint64_t bytes, uint64_t run_bytes);

/* Useful GB/s from one device to its peers in runs of that length (PROACT Figure 2). */
double model_goodput_gbps(const struct topology_fabric *f, enum model_initiator who,
                          uint64_t run_bytes);

/* Packets for `bytes` in such runs. */
uint64_t model_packets(const struct topology_fabric *f, enum model_initiator who,
                       uint64_t bytes, uint64_t run_bytes);

/* Nanoseconds of one copy-engine copy behind another (g + (n - 1) G in LogGOP's words). */
double model_copy_ns(const struct topology *t, unsigned from, unsigned to, uint64_t bytes);

/* Copies that are queued ahead, each behind the chunk that it sends (copy-engine). */
struct model_copies {
    uint64_t bytes;     /* what a device's kernel writes, and sends */
    double compute_ns;  /* of the kernel, which writes at an even pace */
    double ns_per_byte; /* of the copies to all peers, one after the other */
    double start_ns;    /* each chunk's copies cost that more, behind others */
    double wait_ns;   /* from a complete chunk to its copies, where nothing else goes on */
    unsigned streams; /* that take the chunks in turns, at least 1 */
};

/* Chunk i (from 0 on) is of first + i step bytes; the last is what is left. */
struct model_schedule {
    uint64_t first_bytes, step_bytes;
};

/* As device 0 sends to all its peers, alone or as one of several senders, with a kernel
   that takes `ratio` times as long as the copies of one without their starts. */
struct model_copies model_copies_of(const struct topology *t, unsigned streams,
                                    unsigned senders, uint64_t bytes, double ratio);

/* From the kernel's begin to the end of the last copy; the number of chunks. */
double model_schedule_ns(const struct model_copies *c, const struct model_schedule *s);
double model_schedule_chunks(const struct model_schedule *s, uint64_t bytes);

/* The soonest of all whose first chunk and step (or none) are a power of two times
   least_bytes, up to most_bytes. */
struct model_schedule model_schedule_best(const struct model_copies *c,
                                          uint64_t least_bytes, uint64_t most_bytes);
