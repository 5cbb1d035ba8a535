/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random numbers by counter: the k-th number of a seed does not depend on the numbers drawn
   before it, so every machine makes the same data. */

#include <stdint.h>

/* The output function of SplitMix64. */
uint64_t mix_bits(uint64_t z);

/* The k-th output, from 0, of SplitMix64 with a seed, as a number in [0, 1). */
double seeded_unit(uint64_t seed, uint64_t k);

/* The counter of a pair of indices. */
uint64_t pair_counter(uint32_t i, uint32_t j);
