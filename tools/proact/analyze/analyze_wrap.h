/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* 32-bit arithmetic of a kernel's stores that may wrap in a launch. */

#include "analyze/analyze_launch.h"

typedef void analyze_wrap_report(void *context, const char *sentence);

/* Reports one sentence per store whose address may depend on a wrapped value. */
void analyze_wraps(const struct analyze_launch *l, const struct analyze_kernel *k,
                   const struct analyze_request *q, analyze_wrap_report *report,
                   void *context);
