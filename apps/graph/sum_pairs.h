/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The host's twin of cta_sum_pairs() in cta_sum.h: the same additions in the same order, so
   that the host decides as the devices do. */

#include <stddef.h>

enum { SUM_THREADS = 256, SUM_WARP = 32 };

struct sum_pair {
    double a, b;
};

struct sum_pair sum_pairs(const struct sum_pair *pairs, size_t count);
