/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the links of a machine carry, measured by copies: on GPUs, and on emulated devices
   in their time. */

#include "device/device.h"

struct topology_probe {
    unsigned count;
    uint64_t bytes; /* of a long copy */
    /* From row to column: GB/s of long copies one behind the other, and microseconds of a
       copy of 4 bytes alone. 0 on the diagonal. */
    double gbps[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    double copy_us[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    bool is_staged[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX]; /* through the host */
};

/* On hardware it takes two seconds at most, besides opening the devices, and as much memory
   of each as a copy is long: 64 MiB; 16 of more than eight devices, or where less is free.
 */
enum proact_status topology_probe(const struct device_backend *backend,
                                  const struct topology *topology,
                                  struct topology_probe *out, struct proact_error *err);
