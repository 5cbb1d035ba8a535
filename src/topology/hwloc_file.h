/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Machines that hwloc described (lstopo box.xml), with NVLink bandwidths between GPUs. */

#include "topology/topology.h"

#define HWLOC_LIBRARY "libhwloc.so.15"

/* Links are the file's; figures of the GPUs and of the fabric that hwloc does not know are
   those of the nearest machine that we ship. `library` is opened with dlopen. */
enum proact_status hwloc_file_load(const char *path, const char *library,
                                   struct topology *out, struct proact_error *err);
