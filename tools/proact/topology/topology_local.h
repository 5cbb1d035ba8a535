/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact topo` of the GPUs of this box, and what a probe found, as tables. */

#include "topology/topology_probe.h"

struct topology_local_options {
    bool json;  /* print what was measured, for programs */
    bool fresh; /* measure again what is known */
};

/* Prints to stdout. */
enum proact_status topology_local(const struct topology *t,
                                  const struct topology_local_options *options,
                                  struct proact_error *err);

/* GB/s and microseconds, a row and a column for each device. */
void topology_probe_print(const struct topology_probe *p);
