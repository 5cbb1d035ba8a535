/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* The largest number that divides both; 0 where both are. */
static inline int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t left = a % b;

        a = b;
        b = left;
    }
    return a < 0 ? -a : a;
}
