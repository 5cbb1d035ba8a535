/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The memory of all emulated devices: one reservation of address space, a stretch of it for
   each device. A device address is the address in this process. Pages are the process's
   own only under what is allocated; elsewhere an access ends it. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation {
    uint64_t first, end; /* end: one past the last byte asked for */
};

struct device_memory {
    unsigned char *reserved;
    uint64_t stride, limit; /* address space and memory of one device */
    unsigned device_count;
    struct allocation *list[64]; /* by device, by rising address */
    size_t count[64], capacity[64];
    uint64_t used[64];
};

enum proact_status memory_reserve(struct device_memory *m, unsigned device_count,
                                  uint64_t bytes_each, struct proact_error *err);
void memory_release(struct device_memory *m);

enum proact_status memory_allocate(struct device_memory *m, unsigned device, uint64_t bytes,
                                   uint64_t *out, struct proact_error *err);
/* False if no allocation begins at `address`; gives what it was. */
bool memory_free(struct device_memory *m, unsigned device, uint64_t address,
                 struct allocation *was);

/* Device in whose stretch an address lies; device_count if in none. */
unsigned memory_device(const struct device_memory *m, uint64_t address);

/* The allocation that holds the address, or NULL. `nearest` (may be NULL): the one before.
 */
const struct allocation *memory_find(const struct device_memory *m, uint64_t address,
                                     const struct allocation **nearest);
