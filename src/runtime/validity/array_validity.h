/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Updates of an array's validity map by the calls of a session. */

#include <stdbool.h>
#include <stdint.h>

struct proact;
struct proact_array;

enum { FIRST = 1 }; /* device 0, as a set of devices */
uint32_t all_devices(const struct proact *p);

/* Applies postponed changes to the validity map. Callers outside this component call it
   before they read the map. */
void array_catch_up(struct proact_array *a);
/* Whether replicas of the array can differ: several devices, not distributed. */
bool array_has_replicas(const struct proact_array *a);
/* Marks the range [first, end) as current on `devices` only, after these devices wrote
   it. */
void array_written(struct proact_array *a, uint64_t first, uint64_t end, uint32_t devices);
