/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Greatest common divisor; 0 if both numbers are 0. */
static inline int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t left = a % b;

        a = b;
        b = left;
    }
    return a < 0 ? -a : a;
}
