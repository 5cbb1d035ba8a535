/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* LogGOP parameters of each initiator of a transfer, derived from a machine file (Groves et
   al. 2020, II-B and III). */

#include <stdbool.h>
#include <stdint.h>

#include "topology/topology.h"

enum model_sender {
    MODEL_SEND_STORE,      /* stores of the kernel to the peers (inline) */
    MODEL_SEND_BULK_STORE, /* the same by bulk stores (TMA) */
    MODEL_SEND_FUSED,      /* the CTA that completes a chunk */
    MODEL_SEND_AGENT,      /* a resident kernel (polling) */
    MODEL_SEND_CHILD,      /* a kernel launched by the completing CTA (dynamic) */
    MODEL_SEND_COPY,       /* a copy of the copy engine after the kernel (bulk) */
    MODEL_SEND_COPY_WAIT,  /* a copy after a stream wait on a counter (copy-engine) */
    MODEL_SEND_RELAY,      /* the same, passed on by a peer to a second one */
    MODEL_SEND_UNIT,       /* the transfer unit of PROACT III-D (emulated) */
    MODEL_SENDERS
};

/* Parameters in ns and bytes. O and G of a message overlap and the larger one counts
   (Groves V-1a). An idle initiator begins o after the message is ready; the next message of
   a busy one begins o after the end of the previous one. */
struct model_loggop {
    double L, o, O, g, G;
    double S; /* until the initiator knows that the message is visible: acknowledgements,
                 fences */
};

/* A message and the size of its initiator. 0 selects the default of the mechanism. */
struct model_path {
    unsigned from, to;
    uint64_t run_bytes; /* consecutive bytes; 0: all of the message */
    uint64_t bytes;     /* of the message; agents and children use CTAs by size; 0: large */
    uint64_t piece_bytes;   /* consecutive bytes that a CTA sends at once; 0: all */
    unsigned receivers;     /* a CTA loads once for all of them; 0: 1 */
    bool is_cached;         /* the L2 contains the bytes */
    unsigned threads;       /* of a CTA of the kernel (STORE, FUSED); 0: 256 */
    unsigned agent_threads; /* of all CTAs of an agent (AGENT); 0: 1024 each */
    unsigned ctas;          /* that send at once (STORE, BULK_STORE, AGENT, CHILD) */
};

/* Name of an initiator on the command line; static. */
const char *model_sender_name(enum model_sender who);
/* Whether the machine has the initiator between the two devices. */
bool model_sender_exists(const struct topology *t, enum model_sender who);
/* Time in which a CTA releases its stores and counts itself in a chunk: part of o of the
   single message of every initiator that follows counters. */
double model_count_ns(const struct topology_device *d);
/* Time of a pass over its flags of an agent that cannot sleep. */
double model_spin_ns(const struct topology_device *d);
/* Parameters for one message of an idle initiator (single), or for one of many in flight
   (pipelined). */
struct model_loggop model_derive_path(const struct topology *t, enum model_sender who,
                                      bool is_pipelined, const struct model_path *path);
/* The same for a path of default size, in ranges of run_bytes. */
struct model_loggop model_derive(const struct topology *t, enum model_sender who,
                                 bool is_pipelined, unsigned from, unsigned to,
                                 uint64_t run_bytes);
/* Time of a message of that size, from its first instruction until the initiator knows that
   it is visible: o + max(O m, max(g, G m) + L + S). Stores leave while a CTA executes the
   next ones. */
double model_message_ns(const struct model_loggop *p, uint64_t bytes);
/* Time between the ends of two messages of that size of a busy initiator: o + max(g, O m,
   G m). */
double model_period_ns(const struct model_loggop *p, uint64_t bytes);
