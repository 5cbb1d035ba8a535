/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* UTF-8 in NUL-terminated text that anyone may have written. */

#include <stddef.h>

/* Length of the sequence at `s` (RFC 3629: neither overlong nor a surrogate); 0: none. */
size_t utf8_length(const unsigned char *s);
