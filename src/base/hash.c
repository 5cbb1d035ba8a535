/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

uint64_t hash_mix(uint64_t word)
{
    /* The output function of SplitMix64. */
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

/* Little-endian whatever the host is. */
static uint64_t word_at(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;

    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    uint64_t hash = hash_mix(seed + 0x9e3779b97f4a7c15u * (bytes + 1));
    size_t left = bytes;

    for (; left >= 8; left -= 8, at += 8)
        hash = hash_mix((hash ^ word_at(at, 8)) + 0x9e3779b97f4a7c15u);
    return hash_mix((hash ^ word_at(at, left)) + 0x9e3779b97f4a7c15u);
}

uint64_t hash_text(const char *text, uint64_t seed)
{
    return hash_bytes(text, strlen(text), seed);
}
