/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "analyze/analyze_launch.h"
#include "base/json/json_write.h"

/* One kernel as data; `l` is NULL, or a launch of it. */
void analyze_write_kernel(struct json_writer *w, const struct analyze_kernel *k,
                          const struct analyze_launch *l, const struct analyze_request *q);
