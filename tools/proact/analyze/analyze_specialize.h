/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Specialization of a kernel for the values of a launch. */

#include "analyze/analyze_launch.h"

/* The module's text without branches that the launch decides, as the runtime reads a kernel
   that cannot be split with them. NULL: no branch is decided. The caller frees it. */
char *analyze_specialize(const struct analyze_kernel *k, const struct analyze_launch *l,
                         const struct analyze_request *q, size_t *bytes);
