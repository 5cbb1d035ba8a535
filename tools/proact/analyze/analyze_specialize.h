/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a launch never comes to, as its numbers say. */

#include "analyze/analyze_launch.h"

/* The module's text without that, as the runtime reads a kernel that cannot be split with
   it; NULL where nothing is left out. free() it. */
char *analyze_specialize(const struct analyze_kernel *k, const struct analyze_launch *l,
                         const struct analyze_request *q, size_t *bytes);
