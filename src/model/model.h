/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Face of the room of closed forms: what a transfer costs by its run length and initiator.
   LogGOP (Groves et al. 2020, III) gives the form; docs/measuring.md the fit. */

#include <stdint.h>

#include "topology/topology.h"

enum model_initiator { MODEL_SM, MODEL_COPY_ENGINE };

/* Bytes on the wire for `bytes` sent in runs of `run_bytes` consecutive bytes. */
double model_wire_bytes(const struct topology_fabric *f, enum model_initiator who,
                        uint64_t bytes, uint64_t run_bytes);

/* Useful GB/s from one device to its peers in runs of that length (PROACT Figure 2). */
double model_goodput_gbps(const struct topology_fabric *f, enum model_initiator who,
                          uint64_t run_bytes);

/* Packets for `bytes` in such runs. */
uint64_t model_packets(const struct topology_fabric *f, enum model_initiator who,
                       uint64_t bytes, uint64_t run_bytes);

/* Nanoseconds of one copy-engine copy behind another (g + (n - 1) G in LogGOP's words). */
double model_copy_ns(const struct topology *t, unsigned from, unsigned to, uint64_t bytes);
