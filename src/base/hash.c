/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

uint64_t hash_mix(uint64_t word)
{
    /* Output function of SplitMix64. */
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

/* Little-endian on any host. */
static uint64_t word_at(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;

    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

/* Eight bytes; compilers emit one load. */
static uint64_t whole_word_at(const unsigned char *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 |
           (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 |
           (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    uint64_t hash = hash_mix(seed + 0x9e3779b97f4a7c15u * (bytes + 1));
    size_t left = bytes;

    for (; left >= 8; left -= 8, at += 8)
        hash = hash_mix((hash ^ whole_word_at(at)) + 0x9e3779b97f4a7c15u);
    return hash_mix((hash ^ word_at(at, left)) + 0x9e3779b97f4a7c15u);
}

uint64_t hash_text(const char *text, uint64_t seed)
{
    return hash_bytes(text, strlen(text), seed);
}
