/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Time of the transfers of one launch under unified memory. All of them share the links:
   each one takes as long as the busiest resource on its way. */

#include "topology/topology.h"

enum { PAGES_HOST = TOPOLOGY_DEVICES_MAX, PAGES_PLACES };

/* Bytes between two places, the host or a device. */
struct pages_moves {
    double migrated[PAGES_PLACES][PAGES_PLACES]; /* the receiver waits */
    double loaded[PAGES_PLACES][PAGES_PLACES];   /* by single accesses; likewise */
    double stored[PAGES_PLACES][PAGES_PLACES];   /* by single accesses; the sender waits */
};

void pages_moves_time(const struct topology *t, const struct pages_moves *m,
                      double wait_ns[TOPOLOGY_DEVICES_MAX]);
