/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A machine as its file says, for people. */

#include "topology/topology.h"

/* Useful GB/s that long copies carry out of one device. */
double topology_copies_gbps(const struct topology *t);

/* A device, the fabric, and the links, to stdout. */
void topology_tables_print(const struct topology *t);
