/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact bench link` by method: goodput of an array as launches of a program send it. */

#include "bench.h"

/* Where the report has what was measured before, of these rows alone. */
void link_methods(const struct bench_request *q, struct bench_report *r);
