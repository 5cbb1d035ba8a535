/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The keys of a machine file that stand for one value each, and their limits. */

#include <stdbool.h>

#include "base/json/json.h"
#include "base/json/json_write.h"
#include "topology/topology.h"

/* Read into `t` what the object has. A key that is missing keeps its value where `inherit`,
   has its default where docs/machines.md states one, and is refused otherwise. */
enum proact_status machine_keys_device(const struct json_at *device, bool inherit,
                                       struct topology *t, struct proact_error *err);
enum proact_status machine_keys_fabric(const struct json_at *fabric, bool inherit,
                                       struct topology *t, struct proact_error *err);

/* The same keys, written into the object that is open. */
void machine_keys_put_device(const struct topology *t, struct json_writer *w);
void machine_keys_put_fabric(const struct topology *t, struct json_writer *w);
