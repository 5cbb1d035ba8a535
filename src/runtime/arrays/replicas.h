/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The memory that each device has of an array. */

#include "runtime/session/session.h"

enum array_sharing { ARRAY_OWN, ARRAY_MANAGED, ARRAY_PINNED, ARRAY_DISTRIBUTED };

/* On the devices that are there and have none; what is shared is so on the first one. Fails
   with PROACT_ENOSPACE. */
enum proact_status array_replicas_make(struct proact_array *a, enum array_sharing sharing,
                                       struct proact_error *err);
