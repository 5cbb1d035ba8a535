/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a program for one GPU copies or fills, by each device in its own replica, where
   split launches left the array to several: nothing is gathered, and who held a part of
   what was copied holds it there, too. */

#include "runtime/session/session.h"

/* Whether it is done so; else it is the first device's alone. `rows` lie in the arrays, at
   addresses of the first device. */
bool own_parts_copies(struct proact_array *to, struct proact_array *from,
                      const struct device_rows *rows);
enum proact_status own_parts_copy(struct proact_array *to, struct proact_array *from,
                                  const struct device_rows *rows, struct proact_error *err);

bool own_parts_fills(struct proact_array *a);
enum proact_status own_parts_fill(struct proact_array *a, uint64_t first,
                                  unsigned char value, size_t bytes,
                                  struct proact_error *err);
