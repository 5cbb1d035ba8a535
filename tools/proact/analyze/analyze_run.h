/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "analyze/analyze_launch.h"

/* Returns an exit status; clear it in any case. Start from zero. */
int analyze_launch_run(struct analyze_launch *l, const struct analyze_kernel *k,
                       const struct analyze_request *q);
