/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pointer arguments. A 64-bit word of the parameters counts as an address if it lies in an
   array. The second word of a struct { float *x; short n; } contains padding, so it may
   look like an address without being one. */

#include <stdbool.h>

#include "ptx/ptx.h"

/* By byte of the parameter buffer: whether an address may begin there, since the kernel
   reads these eight bytes at once, or in parts that it may combine. The caller frees it. */
bool *given_addresses_find(const struct ptx_function *kernel);
