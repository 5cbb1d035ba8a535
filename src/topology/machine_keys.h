/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Keys of a machine file with a single value, and their ranges. */

#include <stdbool.h>
#include <stddef.h>

#include "base/json/json.h"
#include "base/json/json_write.h"
#include "topology/topology.h"

/* Reads the object's keys into `t`. A missing key keeps its value with `inherit`. Otherwise
   it gets the default of docs/machines.md, or is refused if it has none. */
enum proact_status machine_keys_device(const struct json_at *device, bool inherit,
                                       struct topology *t, struct proact_error *err);
enum proact_status machine_keys_fabric(const struct json_at *fabric, bool inherit,
                                       struct topology *t, struct proact_error *err);

/* Writes the same keys into the open object. */
void machine_keys_put_device(const struct topology *t, struct json_writer *w);
void machine_keys_put_fabric(const struct topology *t, struct json_writer *w);

/* Static name and place of a key with a real number in the machine, "bridge_gbps" and
   "host_gbps" included; NULL: there is no such key. */
const char *machine_keys_real(const char *name, struct topology *t, double **out);
/* Reads the key `estimates` of a machine file: names of keys with a real number. */
enum proact_status machine_keys_estimates(const struct json_at *root, struct topology *t,
                                          struct proact_error *err);

/* Names of the keys, in the order in which they are written; NULL after the last. */
const char *machine_keys_device_name(size_t index);
const char *machine_keys_fabric_name(size_t index);
