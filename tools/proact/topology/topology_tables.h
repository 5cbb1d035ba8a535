/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Tables of a machine description. */

#include "topology/topology.h"

/* GB/s of payload that long copies carry out of one device. */
double topology_copies_gbps(const struct topology *t);

/* Prints a device, the fabric and the links to stdout. */
void topology_tables_print(const struct topology *t);
