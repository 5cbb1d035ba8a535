/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers in NUL-terminated text; faster than strtod() and independent of the locale's
   digit grouping. Both return the position after the number, or NULL if there is none. */

#include <stdint.h>

const char *scan_unsigned(const char *at, uint64_t *out); /* NULL beyond 64 bits, too */
const char *scan_real(const char *at, double *out);       /* finite, correctly rounded */
