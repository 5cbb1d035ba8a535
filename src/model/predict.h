/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Candidates of a launch on a machine: from numbers about the kernel and a mechanism to the
   input of model_candidate_time(). */

#include <stddef.h>

#include "model/candidate.h"

/* A launch. Its time is that of the device that sends most; all others are taken as equal
   to it, except for `sent`. */
struct model_problem {
    unsigned devices;      /* the first of the machine; 0: all */
    unsigned senders;      /* the first of them: execute the kernel; 0: all */
    unsigned receivers;    /* of the bytes of a sender, from the next device on; 0: all */
    uint64_t bytes;        /* from a sender to each of its receivers */
    const uint64_t *sent;  /* bytes from each device (row) to each device; NULL: `bytes`
                              from each sender to each of its receivers */
    uint64_t run_bytes;    /* consecutive bytes that a warp stores at once; 0: 512 */
    uint64_t piece_bytes;  /* consecutive bytes of a chunk; 0: all of it */
    uint64_t extent_bytes; /* from the first to the last byte of a CTA; 0: no chunk more */
    double extent_ranges;  /* of them, which the CTA writes; 0: one */
    double extent_share;   /* of the extent of all CTAs of the device: a chunk is complete
                              after that part of them; 0: the next one */
    uint64_t ctas;         /* of each sender; 0: kernel_ns is one wave per CTA slot */
    unsigned threads;      /* of a CTA; 0: 256 */
    bool in_waves;         /* its CTAs wait more than they compute */
    double kernel_ns;      /* of a sender, without transfers, from its launch to its end */
    bool is_kernel_only;   /* kernel_ns is without the launch, and without the event by
                              which copies follow it */
    bool is_recorded;      /* launched as a part of a graph, without the host */
    bool is_queued;        /* the host queues it while an earlier launch runs */
    double fetch_ns, footprint_ns;
    /* Written arrays, where there are several, or they are sent in part. */
    unsigned arrays;    /* with chunks of their own; 0: 1 */
    unsigned copies;    /* of a sender to all of its receivers; 0: one for each */
    unsigned slots;     /* arrays in whose chunks a CTA counts; 0: 1 */
    bool has_lists;     /* a CTA reads a list of its chunks in each of them */
    double chunk_share; /* CTAs that count, as a part of all; 0: all */
    /* Stores that the compiler repeats for the peers (inline). 0 stores: none. */
    double stores;     /* of a thread */
    double sent_share; /* part of them that have peers; 0: all */
    unsigned regions;  /* ranges of the array by which a store finds its peers; 0: its CTA
                          has them */
};

/* A mechanism with its parameters. */
struct model_plan {
    enum model_sender who;
    struct model_schedule chunks; /* 0: those of the model for COPY_WAIT, else 64 KB */
    unsigned threads;             /* of the agent; 0: the default */
};

/* Method of proact_method_names() that uses the initiator; static. */
const char *model_method_name(enum model_sender who);
/* Whether the mechanism sends chunks. */
bool model_sends_chunks(enum model_sender who);
/* The problem with the values that its zeros stand for. */
struct model_problem model_problem_complete(const struct topology *t,
                                            const struct model_problem *given);
/* CTAs of that size that a device executes at once, as far as threads decide. */
double model_wave(const struct topology_device *d, unsigned threads);
/* ns in which each sender sends a byte to each of its receivers, all senders at the same
   time: the time of the busiest device, link, bridge or bus (traffic.c). `serial`: part of
   the sends that follow each other, from 0 (to all receivers at once) to 1 (one receiver
   after another). */
double model_gap_to_all(const struct topology *t, const struct model_problem *p,
                        enum model_initiator who, double serial, uint64_t run_bytes);
/* The engine of the sender whose copies take longest, in copies of run_bytes, outside of a
   graph. */
struct model_engine model_engine_to_all(const struct topology *t,
                                        const struct model_problem *p, uint64_t run_bytes);
/* Time of bulk copies of the problem's bytes, without the kernel. */
double model_copies_ns(const struct topology *t, const struct model_problem *p);

struct model_candidate model_candidate_of(const struct topology *t,
                                          const struct model_problem *p,
                                          const struct model_plan *plan);
