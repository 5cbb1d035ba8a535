/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* Readers of numbers in NUL-terminated text, independent of the locale. */

/* Reads an unsigned number. Returns the position after it, or NULL if there is none or it
   exceeds 64 bits. */
const char *scan_unsigned(const char *at, uint64_t *out);

/* Reads a number with the syntax of C's decimal numbers or Fortran's (1.0D+00, 1.5-300).
   Returns the position after it, or NULL if there is none; "nan" and "inf" are none. The
   result is the nearest f64, infinite beyond the range. */
const char *scan_real(const char *at, double *out);
