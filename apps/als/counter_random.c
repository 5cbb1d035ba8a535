/* SPDX-License-Identifier: Apache-2.0 */
#include "als/counter_random.h"

#include <math.h>

uint64_t counter_random(uint64_t seed, uint64_t k)
{
    uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double counter_random_unit(uint64_t seed, uint64_t k)
{
    return (double)(counter_random(seed, k) >> 11) * 0x1p-53;
}

double counter_random_normal(uint64_t seed, uint64_t k)
{
    double radius = sqrt(-2 * log(1 - counter_random_unit(seed, 2 * k)));

    return radius * cos(6.283185307179586 * counter_random_unit(seed, 2 * k + 1));
}
