/* SPDX-License-Identifier: Apache-2.0 */
/* https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md */
#include "analyze/analyze_lz4.h"

#include <string.h>

enum { LENGTH_CONTINUES = 15, MATCH_MIN = 4 };

/* Adds the bytes that continue a length of 15; false at the end of the block. */
static bool lz4_length(const unsigned char **in, const unsigned char *end, size_t *length)
{
    unsigned more = 255;

    if (*length != LENGTH_CONTINUES)
        return true;
    while (more == 255) {
        if (*in == end)
            return false;
        more = *(*in)++;
        *length += more;
    }
    return true;
}

bool analyze_lz4(const unsigned char *in, size_t in_bytes, unsigned char *out,
                 size_t out_bytes)
{
    const unsigned char *end = in + in_bytes;
    size_t at = 0;

    while (in < end) {
        const unsigned token = *in++;
        size_t literals = token >> 4, match = token & 15;

        if (!lz4_length(&in, end, &literals) || literals > (size_t)(end - in) ||
            literals > out_bytes - at)
            return false;
        memcpy(out + at, in, literals);
        in += literals;
        at += literals;
        if (in == end)
            break; /* the last sequence has no match */
        if (end - in < 2)
            return false;
        const size_t distance = in[0] | (size_t)in[1] << 8;

        in += 2;
        if (!lz4_length(&in, end, &match) || !distance || distance > at ||
            match + MATCH_MIN > out_bytes - at)
            return false;
        for (match += MATCH_MIN; match; match--, at++)
            out[at] = out[at - distance];
    }
    return at == out_bytes;
}
