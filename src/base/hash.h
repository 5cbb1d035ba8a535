/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Hashes of bytes: the same on every machine, so that they may stand in files. Not for
   secrets. */

#include <stddef.h>
#include <stdint.h>

/* Of `bytes` bytes. `seed` is 0, or the hash of what came before. */
uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed);
uint64_t hash_text(const char *text, uint64_t seed);

/* A bijection in which every bit of the result depends on every bit of `word`. */
uint64_t hash_mix(uint64_t word);
