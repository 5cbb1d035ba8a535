/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Time of the loops over vectors by which CTAs send. */

#include <stdbool.h>

#include "topology/topology.h"

/* PTX instructions of a warp, by round and by vector of a thread in it, and the same again
   for each receiver. */
struct model_loop {
    double threads, unroll; /* of a CTA; vectors of a thread in a round */
    bool waits_each;        /* loads under a condition are waited for one after another */
    bool loads_address;     /* of each receiver's replica, from memory */
    double step, vector;
    double receiver, store;
};

struct model_loop model_loop_fused(double threads);
struct model_loop model_loop_agent(double threads);
struct model_loop model_loop_child(void);
/* Bytes of a full round. */
double model_loop_bytes(const struct model_loop *l);
/* Time of a round in which a CTA sends `bytes` bytes to each receiver. */
double model_loop_ns(const struct model_loop *l, const struct topology_device *d,
                     double receivers, double load_ns, double bytes);
