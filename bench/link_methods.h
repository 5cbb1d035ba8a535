/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* `proact bench link` by method: goodput of an array that a program's launches send. */

#include "bench.h"

/* With a file of measurements the report has only rows of the file. */
void link_methods(const struct bench_request *q, struct bench_report *r);
