/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Greatest common divisor. If one number is 0, the other one. */
static inline uint64_t common_step(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}
