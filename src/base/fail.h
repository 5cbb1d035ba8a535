/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <proact/status.h>

/* Writes the message (err may be NULL) and returns `status`. The place that detects a
   failure is then one line: return fail(err, ...). */
__attribute__((format(printf, 3, 4))) enum proact_status fail(struct proact_error *err,
                                                              enum proact_status status,
                                                              const char *format, ...);

/* Required arguments of a call, such as "proact_wait(p)", in the order of its names.
   Returns PROACT_EINVAL, with the name, if one is NULL. */
enum proact_status fail_if_null(const char *call, const void *const *arguments,
                                struct proact_error *err);
