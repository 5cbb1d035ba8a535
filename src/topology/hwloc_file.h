/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Machines from hwloc files (lstopo box.xml), with NVLink bandwidths between GPUs. */

#include "topology/topology.h"

#define HWLOC_LIBRARY "libhwloc.so.15"

/* Loads a machine. The links are those of the file. Properties of GPUs and fabric that
   hwloc does not provide come from the nearest shipped machine. `library` is opened with
   dlopen. */
enum proact_status hwloc_file_load(const char *path, const char *library,
                                   struct topology *out, struct proact_error *err);
