/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Plans that the planner considered for a split launch, for its entry in a profile. */

#include "plan/profile.h"

struct plan_record {
    uint64_t number; /* differs between records of a session; 0: nothing is recorded */
    struct profile_candidate *all; /* at most PLAN_RECORD_MAX, the chosen one among them */
    unsigned count, chosen;
    double single_ns; /* predicted on one device */
    double launch_ns; /* part of each prediction: from the launch to the kernel */
};
enum { PLAN_RECORD_MAX = 8 };

void plan_record_copy(struct plan_record *to, const struct plan_record *from);
void plan_record_clear(struct plan_record *r);
