/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Hashes of bytes, identical on every machine, so that files may contain them. Not for
   secrets. */

#include <stddef.h>
#include <stdint.h>

/* Hash of `bytes` bytes. `seed` is 0, or the hash of the preceding bytes. */
uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed);
uint64_t hash_text(const char *text, uint64_t seed);

/* A bijection. Every bit of the result depends on every bit of `word`. */
uint64_t hash_mix(uint64_t word);
