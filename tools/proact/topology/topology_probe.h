/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Link measurements by copies, on GPUs or in the virtual time of emulated devices. */

#include "device/device.h"

struct topology_probe {
    unsigned count;
    uint64_t bytes; /* of a long copy */
    /* From row to column: GB/s of consecutive long copies, and microseconds of a single
       4-byte copy. 0 on the diagonal. */
    double gbps[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    double copy_us[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    bool is_staged[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX]; /* through the host */
};

/* A measurement of all pairs. On hardware it takes at most two seconds after opening the
   devices. It uses 64 MiB of memory per device, or 16 MiB with more than eight devices or
   with less free memory. */
enum proact_status topology_probe(const struct device_backend *backend,
                                  const struct topology *topology,
                                  struct topology_probe *out, struct proact_error *err);
