/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pattern of the 32 addresses in a register. */

#include <string.h>

#include "execute/program.h"

enum { STRIDE_MAX = 64 }; /* larger strides count as SPREAD_ANY */

static inline void spread_conclude(struct spread *s, uint64_t first, uint64_t second,
                                   uint64_t stride, bool is_halves)
{
    bool is_line = second == first + LANES / 2 * stride;

    s->first = first;
    s->second = second;
    s->stride = (uint32_t)stride;
    s->kind = !is_halves || stride > STRIDE_MAX ? SPREAD_ANY
              : is_line                         ? SPREAD_LINE
                                                : SPREAD_HALVES;
    s->words = s->kind == SPREAD_ANY ? WORDS_ANY
               : stride == 4         ? WORDS_UNIT
               : stride == 0         ? WORDS_EQUAL
                                     : WORDS_ANY;
}

static inline void spread_find(struct spread *s, const void *base, unsigned bytes)
{
    uint32_t first, second, stride, halves = 0;
    const uint32_t *a = base;

    if (bytes == 4) {
        first = a[0], second = a[LANES / 2], stride = a[1] - a[0];
        for (uint32_t l = 0; l < LANES / 2; l++)
            halves |=
                (a[l] ^ (first + l * stride)) | (a[l + LANES / 2] ^ (second + l * stride));
        /* addresses that wrap around 32 bits have no constant stride */
        bool wraps = first > UINT32_MAX - LANES * STRIDE_MAX ||
                     second > UINT32_MAX - LANES * STRIDE_MAX;

        spread_conclude(s, first, second, stride, !halves && !wraps);
    } else {
        const uint64_t *b = base;
        uint64_t wide_halves = 0, step = b[1] - b[0];

        stride = (uint32_t)step;
        for (uint32_t l = 0; l < LANES / 2; l++)
            wide_halves |= (b[l] ^ (b[0] + (uint64_t)l * stride)) |
                           (b[l + LANES / 2] ^ (b[LANES / 2] + (uint64_t)l * stride));
        spread_conclude(s, b[0], b[LANES / 2], step, !wide_halves);
    }
}
