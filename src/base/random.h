/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Chance as a parameter: SplitMix64. The state is the caller's and starts as its seed. */

#include <stdint.h>

uint64_t random_next(uint64_t *state);

/* 0 .. bound - 1, each equally likely; bound > 0. */
uint64_t random_below(uint64_t *state, uint64_t bound);

/* 0 <= x < 1, a multiple of 2^-53. */
double random_unit(uint64_t *state);
