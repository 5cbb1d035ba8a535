/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Modules of the device contract. */

#include "device/emulator/machine.h"

enum proact_status module_load(struct device_set *set, unsigned device, const char *name,
                               const char *ptx, size_t bytes, struct device_module **out,
                               struct proact_error *err);
void module_unload(struct device_module *m); /* NULL is allowed */
enum proact_status module_function(struct device_module *m, const char *name,
                                   struct device_function **out, struct proact_error *err);
enum proact_status function_info(struct device_function *f,
                                 struct device_function_info *out,
                                 struct proact_error *err);
enum proact_status function_residency(struct device_function *f, uint32_t threads,
                                      uint64_t shared_bytes, uint32_t *out,
                                      struct proact_error *err);
enum proact_status module_variable(struct device_module *m, const char *name,
                                   device_addr *out, size_t *bytes,
                                   struct proact_error *err);
