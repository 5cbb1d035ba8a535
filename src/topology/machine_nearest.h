/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The shipped machine that is most similar to a described one. */

#include "topology/topology.h"

/* True if two names of GPUs denote one chip: they have a word such as P100 in common. */
bool machine_same_chip(const char *a, const char *b);

/* Loads the shipped machine with the same chip and the nearest links. If no machine has
   that chip, the compute capability decides, then the links; of equal ones, the number of
   devices. The message names `path`. */
struct machine_traits {
    const char *model;   /* name of the GPU; NULL: unknown */
    unsigned capability; /* 0: unknown */
    double egress_gbps;  /* raw rate out of a device; 0: unknown */
    unsigned devices;    /* 0: unknown */
};
enum proact_status machine_nearest(const char *path, const struct machine_traits *traits,
                                   struct topology *out, struct proact_error *err);
