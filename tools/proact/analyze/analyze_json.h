/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "analyze/analyze_launch.h"
#include "base/json/json_write.h"

/* One kernel as JSON. `l` is a launch of it, or NULL. */
void analyze_write_kernel(struct json_writer *w, const struct analyze_kernel *k,
                          const struct analyze_launch *l, const struct analyze_request *q);
