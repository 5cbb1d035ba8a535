/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/cuda/driver/driver.h"

struct many_entry {
    const char *symbol;
    void *real; /* target address: a many_* function */
};
extern const struct many_entry many_entries[]; /* the last row has a NULL symbol */

/* Real functions under the names of driver.h, and the symbols that this library exports. */
#define DRIVER(name, symbol, parameters)                                                   \
    extern __attribute__((visibility("hidden"))) cu_result(*many_##name) parameters;       \
    __attribute__((visibility("default"))) cu_result symbol parameters;
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
