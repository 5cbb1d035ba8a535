/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "analyze/analyze_launch.h"

/* Returns an exit status. `l` starts zeroed; clear it in any case. */
int analyze_launch_run(struct analyze_launch *l, const struct analyze_kernel *k,
                       const struct analyze_request *q);
