/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where among its parameters a kernel may be given addresses. Words of 64 bits are taken
   for such where they lie in memory of the program's; but of a struct { float *x; short n;
   } the last word is n and whatever was behind it, and may look like one. */

#include <stdbool.h>

#include "ptx/ptx.h"

/* By byte of its block: whether an address may begin there, for the kernel reads these
   eight bytes at once, or in parts, all of them, that it may put together. free() it. */
bool *given_addresses_find(const struct ptx_function *kernel);
