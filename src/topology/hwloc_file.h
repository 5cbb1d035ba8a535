/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Machines from hwloc files (lstopo box.xml), with NVLink bandwidths between GPUs. */

#include "topology/topology.h"

#define HWLOC_LIBRARY "libhwloc.so.15"

/* Contents of a file. 0: unknown. */
struct hwloc_values {
    unsigned gpu_count;
    char model[64]; /* of the first GPU */
    unsigned sm_count;
    uint64_t memory_bytes, l2_bytes;
    double link_gbps[TOPOLOGY_DEVICES_MAX][TOPOLOGY_DEVICES_MAX];
    double egress_gbps; /* of the GPU with the highest bandwidth, to all its peers */
    double host_gbps;
};

/* Reads a file with a link between two GPUs. `library` is opened with dlopen. */
enum proact_status hwloc_file_values(const char *path, const char *library,
                                     struct hwloc_values *out, struct proact_error *err);

/* Loads a machine. The links are those of the file. Properties of GPUs and fabric that
   hwloc does not provide come from the nearest shipped machine. */
enum proact_status hwloc_file_load(const char *path, const char *library,
                                   struct topology *out, struct proact_error *err);
