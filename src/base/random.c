/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include <assert.h>

#include "base/hash.h"

uint64_t random_next(uint64_t *state)
{
    return hash_mix(*state += 0x9e3779b97f4a7c15u);
}

uint64_t random_below(uint64_t *state, uint64_t bound)
{
    assert(bound > 0);
    uint64_t uneven = -bound % bound; /* 2^64 modulo bound: smaller draws would bias the
                                         result */
    uint64_t draw;

    do
        draw = random_next(state);
    while (draw < uneven);
    return draw % bound;
}

double random_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}
