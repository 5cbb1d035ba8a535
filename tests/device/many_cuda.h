/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/cuda/driver/driver.h"

struct many_entry {
    const char *symbol;
    void *real; /* where its address goes: a many_*'s */
};
extern const struct many_entry many_entries[]; /* the last one's symbol is NULL */

/* The real ones by our names, and their symbols, which are what we show. */
#define DRIVER(name, symbol, parameters)                                                   \
    extern __attribute__((visibility("hidden"))) cu_result(*many_##name) parameters;       \
    __attribute__((visibility("default"))) cu_result symbol parameters;
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
