/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact topo` for the GPUs of this computer, and tables of measured links. */

#include "topology/topology_probe.h"

struct topology_local_options {
    bool json;  /* print the measurements as JSON */
    bool fresh; /* ignore the cache */
};

/* Prints to stdout. */
enum proact_status topology_local(const struct topology *t,
                                  const struct topology_local_options *options,
                                  struct proact_error *err);

/* A table in GB/s and a table in microseconds, with one row and one column per device. */
void topology_probe_print(const struct topology_probe *p);
