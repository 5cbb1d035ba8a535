/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <proact/status.h>

struct launching;

/* Replaces the kernel by its version for the distributed arrays of this launch
   (distributed.h). All other steps of the launch follow. */
enum proact_status launch_variant(struct launching *l, struct proact_error *err);
