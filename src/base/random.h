/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random numbers: SplitMix64. The caller owns the state, whose initial value is the
   seed. */

#include <stdint.h>

uint64_t random_next(uint64_t *state);

/* Uniform in 0 .. bound - 1; bound > 0. */
uint64_t random_below(uint64_t *state, uint64_t bound);

/* Uniform in 0 <= x < 1; a multiple of 2^-53. */
double random_unit(uint64_t *state);
