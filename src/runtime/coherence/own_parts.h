/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Distributed copies and fills in a program: each device copies or fills its current ranges
   in its own replica. After split launches no data moves between devices, and the target
   has the validity of the source. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_rows;
struct proact_array;

/* Whether the operation runs distributed; otherwise device 0 performs it. `rows` are inside
   the arrays, with addresses of device 0. */
bool own_parts_copies(struct proact_array *to, struct proact_array *from,
                      const struct device_rows *rows);
enum proact_status own_parts_copy(struct proact_array *to, struct proact_array *from,
                                  const struct device_rows *rows, struct proact_error *err);

bool own_parts_fills(struct proact_array *a);
enum proact_status own_parts_fill(struct proact_array *a, uint64_t first,
                                  unsigned char value, size_t bytes,
                                  struct proact_error *err);
