/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Check of maps that the user gives against the write set of a launch. */

#include "access/write_set.h"

struct launching;

/* Fails with PROACT_EINVAL if the launch, whose write set is `w`, writes outside the maps
   of the user. The message names the array, the byte and the CTA. */
enum proact_status derive_check_slots(const struct launching *l, const struct write_set *w,
                                      struct proact_error *err);
