/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/seeded.h"

#include <math.h>

/* The output function of SplitMix64. */
static uint64_t mix_bits(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t seeded_bits(uint64_t seed, uint64_t k)
{
    return mix_bits(seed + (k + 1) * 0x9e3779b97f4a7c15u);
}

double seeded_unit(uint64_t seed, uint64_t k)
{
    return (double)(seeded_bits(seed, k) >> 11) * 0x1p-53;
}

double seeded_normal(uint64_t seed, uint64_t k)
{
    double radius = sqrt(-2 * log(1 - seeded_unit(seed, 2 * k)));

    return radius * cos(6.283185307179586 * seeded_unit(seed, 2 * k + 1));
}

uint64_t pair_counter(uint32_t i, uint32_t j)
{
    return (uint64_t)i << 32 | j;
}
