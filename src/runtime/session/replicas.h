/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory of an array on each device. */

#include <proact/status.h>

struct proact_array;

enum array_sharing { ARRAY_OWN, ARRAY_MANAGED, ARRAY_PINNED, ARRAY_DISTRIBUTED };

/* Allocates missing replicas on the open devices. Host-accessible memory belongs to device
   0. Fails with PROACT_ENOSPACE. */
enum proact_status array_replicas_make(struct proact_array *a, enum array_sharing sharing,
                                       struct proact_error *err);
