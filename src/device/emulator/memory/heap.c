/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/memory/heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/emulator/traffic/message.h"

enum { STACK_MAX = 512 << 10 };    /* as in CUDA */
enum { ALIGNMENT = 16, GAP = 16 }; /* after each block, to detect accesses beyond its end */

enum proact_status heap_open(struct device_set *set, unsigned device,
                             struct proact_error *err)
{
    struct emulated *d = &set->devices[device];
    uint64_t bytes = set->heap_bytes ? set->heap_bytes : HEAP_BYTES, first;
    enum proact_status status;

    if (d->heap)
        return PROACT_OK;
    if ((status = memory_allocate(&set->memory, device, bytes, &first, err)))
        return status;
    d->heap = must_calloc(1, sizeof *d->heap);
    d->heap->first = first;
    d->heap->bytes = bytes;
    return PROACT_OK;
}

void heap_clear(struct emulated *d)
{
    if (d->heap)
        free(d->heap->blocks);
    free(d->heap);
    d->heap = NULL;
}

enum proact_status heap_limit(struct device_set *set, enum device_limit what, size_t bytes,
                              struct proact_error *err)
{
    if (what == DEVICE_STACK_BYTES && bytes > STACK_MAX)
        return fail(err, PROACT_EINVAL, "a stack of %zu bytes requested, %d possible",
                    bytes, STACK_MAX);
    if (what == DEVICE_STACK_BYTES) {
        set->stack_bytes = (uint32_t)bytes;
        return PROACT_OK;
    }
    for (unsigned d = 0; d < set->count; d++)
        if (set->devices[d].heap)
            return fail(err, PROACT_EINVAL,
                        "device %u: its heap has %" PRIu64 " bytes, and is in use", d,
                        set->devices[d].heap->bytes);
    set->heap_bytes = bytes;
    return PROACT_OK;
}

/* Number of blocks that begin at or before the address. */
static size_t blocks_below(const struct heap *h, uint64_t address)
{
    size_t low = 0, high = h->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (h->blocks[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool heap_inside(const struct heap *h, uint64_t address, uint64_t bytes)
{
    size_t n = blocks_below(h, address);
    const struct heap_block *b = n ? &h->blocks[n - 1] : NULL;

    return b && bytes <= b->bytes && address - b->first <= b->bytes - bytes;
}

void heap_print(const struct heap *h, uint64_t address, char *into, size_t size)
{
    size_t n = blocks_below(h, address);

    if (n)
        snprintf(into, size, "byte %" PRIu64 " of a block of %" PRIu64 " bytes from malloc",
                 address - h->blocks[n - 1].first, h->blocks[n - 1].bytes);
    else
        snprintf(into, size, "in the heap, and no block from malloc begins below it");
}

/* First possible address of a block after the first n blocks. */
static uint64_t room_at(const struct heap *h, size_t n)
{
    if (!n)
        return h->first;
    const struct heap_block *b = &h->blocks[n - 1];

    return (b->first + b->bytes + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool fits(const struct heap *h, size_t n, uint64_t bytes)
{
    uint64_t at = room_at(h, n);
    uint64_t end = n < h->count ? h->blocks[n].first : h->first + h->bytes;

    return at + GAP <= end && bytes <= end - at - GAP;
}

/* Next fit: searches from the last block found, with wrap-around. */
static bool find_room(struct heap *h, uint64_t bytes, size_t *at)
{
    for (size_t n = 0; n <= h->count; n++) {
        *at = (h->next + n) % (h->count + 1);
        if (fits(h, *at, bytes))
            return true;
    }
    return false;
}

/* Serializes allocations. */
static void take_turn(struct emulated *d)
{
    uint64_t through = atomic_pass(d, d->heap->first);

    if (through > d->usage.atomics_ps)
        d->usage.atomics_ps = through;
}

uint64_t heap_take(void *context, struct execute_warp *w, uint64_t bytes)
{
    struct emulated *d = context;
    struct heap *h = d->heap;
    size_t n;

    (void)w;
    take_turn(d);
    if (bytes > h->bytes || !find_room(h, bytes, &n))
        return 0;
    uint64_t first = room_at(h, n);

    h->blocks = must_grow(h->blocks, h->count, &h->capacity, sizeof *h->blocks);
    memmove(&h->blocks[n + 1], &h->blocks[n], (h->count - n) * sizeof *h->blocks);
    h->blocks[n] = (struct heap_block){first, bytes};
    h->count++;
    h->next = n + 1;
    if (d->set->check && bytes)
        check_allocated(d->set->check, first, bytes);
    return first;
}

bool heap_give(void *context, struct execute_warp *w, uint64_t address)
{
    struct emulated *d = context;
    struct heap *h = d->heap;
    size_t n = blocks_below(h, address);

    (void)w;
    if (!n || h->blocks[n - 1].first != address)
        return false;
    take_turn(d);
    if (d->set->check && h->blocks[n - 1].bytes)
        check_freed(d->set->check, address, h->blocks[n - 1].bytes);
    memmove(&h->blocks[n - 1], &h->blocks[n], (h->count - n) * sizeof *h->blocks);
    h->count--;
    h->next = n - 1;
    return true;
}
