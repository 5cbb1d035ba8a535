/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Candidates of a launch on a machine: from numbers about the kernel and a mechanism to the
   input of model_candidate_time(). */

#include <stddef.h>

#include "model/candidate.h"

/* A launch. All devices that execute it are equal. */
struct model_problem {
    unsigned devices;      /* the first of the machine; all receive; 0: all */
    unsigned senders;      /* the first of them: execute the kernel; 0: all */
    uint64_t bytes;        /* that each sender writes and the others need */
    uint64_t run_bytes;    /* consecutive bytes that a warp stores at once; 0: 512 */
    uint64_t piece_bytes;  /* consecutive bytes of a chunk; 0: all of it */
    uint64_t extent_bytes; /* from the first to the last byte of a CTA; 0: no chunk more */
    uint64_t ctas;         /* of each sender; 0: kernel_ns is one wave per CTA slot */
    unsigned threads;      /* of a CTA; 0: 256 */
    bool in_waves;         /* its CTAs wait more than they compute */
    unsigned receivers;    /* of the bytes of a sender; 0: all other devices */
    double kernel_ns;      /* of a sender, without transfers, from its launch to its end */
    double fetch_ns, footprint_ns;
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
/* CTAs of that size that a device executes at once, as far as threads decide. */
double model_wave(const struct topology_device *d, unsigned threads);
/* ns in which each sender sends a byte to each of its receivers, all senders at the same
   time. `serial`: part of the sends that follow each other, from 0 (to all receivers at
   once) to 1 (one receiver after another). */
double model_gap_to_all(const struct topology *t, const struct model_problem *p,
                        enum model_initiator who, double serial, uint64_t run_bytes);
/* Time of bulk copies of the problem's bytes, without the kernel. */
double model_copies_ns(const struct topology *t, const struct model_problem *p);

struct model_candidate model_candidate_of(const struct topology *t,
                                          const struct model_problem *p,
                                          const struct model_plan *plan);
