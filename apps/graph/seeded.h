/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Random numbers by counter: the k-th number of a seed does not depend on the numbers drawn
   before it, so every machine makes the same data. */

#include <stdint.h>

/* The k-th output, from 0, of SplitMix64 with a seed. */
uint64_t seeded_bits(uint64_t seed, uint64_t k);

/* In 0 <= x < 1: the upper 53 bits of output k. */
double seeded_unit(uint64_t seed, uint64_t k);

/* Standard normal, by Box and Muller from outputs 2 k and 2 k + 1. */
double seeded_normal(uint64_t seed, uint64_t k);

/* The counter of a pair of indices. */
uint64_t pair_counter(uint32_t i, uint32_t j);
