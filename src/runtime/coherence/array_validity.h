/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who holds what of an array, as a session's calls change it. */

#include "runtime/session/session.h"

enum { FIRST = 1 }; /* as a set of devices */
uint32_t all_devices(const struct proact *p);

/* Before its holdings are looked at from elsewhere. */
void array_catch_up(struct proact_array *a);
/* Of which one may hold what another does not. */
bool array_has_replicas(const struct proact_array *a);
/* Written by these devices together, in place of what was there. */
void array_written(struct proact_array *a, uint64_t first, uint64_t end, uint32_t devices);
