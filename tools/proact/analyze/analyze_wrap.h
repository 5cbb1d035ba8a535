/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where the 32-bit arithmetic of a kernel's stores may wrap in a launch. */

#include "analyze/analyze_launch.h"

typedef void analyze_wrap_report(void *context, const char *sentence);

/* Says one sentence a store whose address may come from a number that left its range. */
void analyze_wraps(const struct analyze_launch *l, const struct analyze_kernel *k,
                   const struct analyze_request *q, analyze_wrap_report *report,
                   void *context);
