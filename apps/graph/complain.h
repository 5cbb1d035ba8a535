/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <proact/status.h>

/* Applications see only the public headers, so they have a fail() of their own: writes the
   sentence (err may be NULL) and returns `status`. */
__attribute__((format(printf, 3, 4))) enum proact_status complain(struct proact_error *err,
                                                                  enum proact_status status,
                                                                  const char *format, ...);

/* Zeroed memory, or the end of the program: bookkeeping is small. free() it. */
void *app_calloc(unsigned long count, unsigned long size);
