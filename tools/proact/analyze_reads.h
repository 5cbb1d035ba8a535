/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What each device's share of a launch reads, and why it is everything where it is. */

#include "analyze_launch.h"

void analyze_print_reads(const struct analyze_launch *l, const struct analyze_kernel *k,
                         const struct analyze_request *q);
