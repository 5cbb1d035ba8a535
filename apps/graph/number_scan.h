/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Reads a number in NUL-terminated text, independent of the locale. Returns the position
   after it, or NULL if there is none or it exceeds 64 bits. */
const char *scan_unsigned(const char *at, uint64_t *out);
