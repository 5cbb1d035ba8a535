/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Control flow and addressing that depend on the bits of a pointer (`p | mask`, `p /
   4096`). Such a kernel behaves differently on each device: the replicas of an array agree
   only in their low address bits. */

#include <stdbool.h>
#include <stdint.h>

struct launching;
struct look_up;
struct ptx_function;

/* By byte of the parameter buffer: the number of low bits of a pointer there that affect
   control flow or addresses. The caller frees it. `look_ups`: by instruction, or NULL. */
uint8_t *address_bits_find(const struct ptx_function *kernel,
                           const struct look_up *look_ups);
/* Whether the replicas of the launch's arrays differ in any of these bits. */
bool address_bits_differ(const struct launching *l, const uint8_t *bits);
