/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rules of the planner, one file each. */

#include "plan/candidates.h"

extern const struct plan_rule plan_rule_method, plan_rule_chunk, plan_rule_threads;
