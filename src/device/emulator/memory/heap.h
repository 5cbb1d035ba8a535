/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory that kernels take by malloc and give back by free: one allocation of the device,
   of which the blocks are found in order of their addresses. It lasts as long as the
   device. */

#include "device/emulator/machine.h"

struct heap_block {
    uint64_t first, bytes; /* as they were asked for */
};

struct heap {
    uint64_t first, bytes;
    struct heap_block *blocks; /* by rising address */
    size_t count, capacity;
    size_t next; /* block behind which room is looked for first */
};

enum { HEAP_BYTES = 8 << 20 };

/* Made when a module whose kernels call malloc is loaded. */
enum proact_status heap_open(struct device_set *set, unsigned device,
                             struct proact_error *err);
void heap_clear(struct emulated *d);
/* A heap that is there stays as it is: PROACT_EINVAL. */
enum proact_status heap_limit(struct device_set *set, enum device_limit what, size_t bytes,
                              struct proact_error *err);

static inline bool heap_holds(const struct heap *h, uint64_t address)
{
    return h && address - h->first < h->bytes;
}

/* Whether the bytes lie in one block; else the last block that begins below, in words. */
bool heap_inside(const struct heap *h, uint64_t address, uint64_t bytes);
void heap_print(const struct heap *h, uint64_t address, char *into, size_t size);

/* Callbacks of execute_host. */
uint64_t heap_take(void *context, struct execute_warp *w, uint64_t bytes);
bool heap_give(void *context, struct execute_warp *w, uint64_t address);
