/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random numbers by counter: number k of a seed is output k of SplitMix64 and does not
   depend on the numbers that were drawn before it. Every machine makes the same data. */

#include <stdint.h>

uint64_t counter_random(uint64_t seed, uint64_t k);

/* In 0 <= x < 1: the upper 53 bits. */
double counter_random_unit(uint64_t seed, uint64_t k);

/* Standard normal, by Box and Muller from outputs 2 k and 2 k + 1. */
double counter_random_normal(uint64_t seed, uint64_t k);
