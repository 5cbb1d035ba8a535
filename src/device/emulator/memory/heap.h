/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Heap of malloc and free in kernels: one allocation of the device, with blocks sorted by
   address. It exists as long as the device. */

#include "device/emulator/machine.h"

struct heap_block {
    uint64_t first, bytes; /* as requested */
};

struct heap {
    uint64_t first, bytes;
    struct heap_block *blocks; /* by increasing address */
    size_t count, capacity;
    size_t next; /* block after which the search for space starts */
};

enum { HEAP_BYTES = 8 << 20 };

/* Creates the heap when a module with kernels that call malloc is loaded. */
enum proact_status heap_open(struct device_set *set, unsigned device,
                             struct proact_error *err);
void heap_clear(struct emulated *d);
/* Sets a limit. PROACT_EINVAL: the heap exists already. */
enum proact_status heap_limit(struct device_set *set, enum device_limit what, size_t bytes,
                              struct proact_error *err);

static inline bool heap_holds(const struct heap *h, uint64_t address)
{
    return h && address - h->first < h->bytes;
}

/* heap_inside(): whether the bytes are in one block. heap_print(): describes the last block
   before the address. */
bool heap_inside(const struct heap *h, uint64_t address, uint64_t bytes);
void heap_print(const struct heap *h, uint64_t address, char *into, size_t size);

/* Callbacks of execute_host. */
uint64_t heap_take(void *context, struct execute_warp *w, uint64_t bytes);
bool heap_give(void *context, struct execute_warp *w, uint64_t address);
