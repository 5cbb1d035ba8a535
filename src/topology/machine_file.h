/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Machine files in JSON; docs/machines.md defines their schema. */

#include <stddef.h>

#include "topology/topology.h"

/* `path` gives the name of the machine (without folder and ending) and is used in messages.
   `out` is written only on success. */
enum proact_status machine_file_load(const char *path, struct topology *out,
                                     struct proact_error *err);
enum proact_status machine_file_parse(const char *path, const char *text, size_t bytes,
                                      struct topology *out, struct proact_error *err);

/* "machines/v100x4.json" gives "v100x4". Truncated to `size` bytes with the NUL. */
void machine_file_name(const char *path, char *into, size_t size);
