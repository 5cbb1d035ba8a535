/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <proact/status.h>

/* Error message of the applications, which use only the public headers. Writes the sentence
   to `err`, which may be NULL, and returns `status`. */
__attribute__((format(printf, 3, 4))) enum proact_status complain(struct proact_error *err,
                                                                  enum proact_status status,
                                                                  const char *format, ...);

/* Zeroed memory; ends the program if there is none. The caller frees it. */
void *app_calloc(unsigned long count, unsigned long size);
