/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Stores of an annotated kernel, compared with its maps before a launch. */

#include <proact/status.h>

struct annotated_stores;
struct launching;
struct proact_kernel;

/* Whether every slot with a map has an array, and whether an annotated kernel stores by a
   slot only to the array of that slot. A kernel without any map may store to no replicated
   array. PROACT_EINVAL otherwise. Stores whose array the analysis does not know are not
   checked, nor are plain stores of a kernel that has maps. */
enum proact_status launch_check_slots(const struct launching *l, struct proact_error *err);

/* To be called before needs_drop(). */
void annotated_stores_drop(struct proact_kernel *k);
