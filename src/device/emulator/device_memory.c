/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/device_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/device.h"

/* Linux has these, POSIX does not. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0x4000
#endif

enum { ALIGNMENT = 512, GAP = DEVICE_GAP_BYTES, PAGE_BYTES_MAX = 65536 };
#define STRIDE_MAX ((uint64_t)1 << 40)
#define STRIDE_MIN ((uint64_t)1 << 30)

enum proact_status memory_reserve(struct device_memory *m, unsigned device_count,
                                  uint64_t bytes_each, struct proact_error *err)
{
    uint64_t stride = bytes_each < STRIDE_MAX ? bytes_each : STRIDE_MAX;

    stride =
        (stride + PAGE_BYTES_MAX - 1) / PAGE_BYTES_MAX * PAGE_BYTES_MAX + PAGE_BYTES_MAX;
    void *p = MAP_FAILED;

    /* Only what is allocated may be touched, and counts as memory of the host. Where
       address space is rationed (ulimit -v), less of it is better than nothing. */
    for (;;) {
        p = mmap(NULL, stride * device_count, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED || stride / 2 < STRIDE_MIN)
            break;
        stride = stride / 2 / PAGE_BYTES_MAX * PAGE_BYTES_MAX;
    }
    if (p == MAP_FAILED)
        return fail(err, PROACT_ENOSPACE,
                    "emulator: no address space for %u devices of %" PRIu64 " bytes: %s",
                    device_count, stride, strerror(errno));
    m->reserved = p;
    m->stride = stride;
    m->limit = bytes_each;
    m->device_count = device_count;
    return PROACT_OK;
}

void memory_release(struct device_memory *m)
{
    if (m->reserved)
        munmap(m->reserved, m->stride * m->device_count);
    for (unsigned d = 0; d < m->device_count; d++)
        free(m->list[d]);
    *m = (struct device_memory){0};
}

static uint64_t stretch(const struct device_memory *m, unsigned device)
{
    return (uint64_t)(uintptr_t)m->reserved + device * m->stride;
}

static uint64_t round_up(uint64_t x)
{
    return (x + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Whole pages under an allocation that no neighbour in the list lies on, too. */
static void *own_pages(const struct device_memory *m, unsigned device, size_t i,
                       size_t *bytes)
{
    const struct allocation *list = m->list[device], *a = &list[i];
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = a->first / page * page,
             end = (a->end + page - 1) / page * page;

    if (i > 0 && list[i - 1].end > first)
        first += page;
    if (i + 1 < m->count[device] && list[i + 1].first < end)
        end -= page;
    *bytes = end > first ? (size_t)(end - first) : 0;
    return (void *)(uintptr_t)first;
}

static bool make_usable(const struct device_memory *m, unsigned device, size_t i)
{
    size_t bytes;
    void *first = own_pages(m, device, i, &bytes);

    return !bytes || !mprotect(first, bytes, PROT_READ | PROT_WRITE);
}

/* A new mapping over the old gives back both the pages and the host's promise of them. If
   that cannot be had, they stay as they are until the end. */
static void give_back(const struct device_memory *m, unsigned device, size_t i)
{
    size_t bytes;
    void *first = own_pages(m, device, i, &bytes);

    if (bytes)
        (void)mmap(first, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* First fit: index before which the new one goes, and its address; count + 1 if none, and
   then the longest that there is room for. */
static size_t find_hole(const struct device_memory *m, unsigned device, uint64_t bytes,
                        uint64_t *address, uint64_t *longest)
{
    uint64_t at = round_up(stretch(m, device) + GAP), end = stretch(m, device) + m->stride;

    for (size_t i = 0; i <= m->count[device]; i++) {
        uint64_t limit = i < m->count[device] ? m->list[device][i].first : end;

        if (at + bytes + GAP <= limit) {
            *address = at;
            return i;
        }
        if (at + GAP < limit && limit - at - GAP > *longest)
            *longest = limit - at - GAP;
        if (i < m->count[device])
            at = round_up(m->list[device][i].end + GAP);
    }
    return m->count[device] + 1;
}

/* Undoes what memory_allocate() has put into the list. */
static void forget(struct device_memory *m, unsigned device, size_t i)
{
    struct allocation *list = m->list[device];

    m->used[device] -= list[i].end - list[i].first;
    memmove(&list[i], &list[i + 1], (m->count[device] - i - 1) * sizeof *list);
    m->count[device]--;
}

static enum proact_status no_room(const struct device_memory *m, unsigned device,
                                  uint64_t bytes, uint64_t longest,
                                  struct proact_error *err)
{
    uint64_t left = m->limit - m->used[device];

    if (bytes > left)
        return fail(err, PROACT_ENOSPACE,
                    "device %u: %" PRIu64 " bytes asked for, %" PRIu64 " of %" PRIu64
                    " left",
                    device, bytes, left, m->limit);
    return fail(err, PROACT_ENOSPACE,
                "device %u: %" PRIu64 " bytes asked for, %" PRIu64 " of %" PRIu64
                " left but at most %" PRIu64 " in a row",
                device, bytes, left, m->limit, longest);
}

enum proact_status memory_allocate(struct device_memory *m, unsigned device, uint64_t bytes,
                                   uint64_t *out, struct proact_error *err)
{
    uint64_t address = 0, longest = 0;
    size_t count = m->count[device], i = count + 1;

    if (!bytes)
        return fail(err, PROACT_EINVAL, "device %u: 0 bytes asked for", device);
    if (bytes <= m->limit - m->used[device])
        i = find_hole(m, device, bytes, &address, &longest);
    if (i > count)
        return no_room(m, device, bytes, longest, err);
    m->list[device] = must_grow(m->list[device], count + 1, &m->capacity[device],
                                sizeof *m->list[device]);
    struct allocation *list = m->list[device];

    memmove(&list[i + 1], &list[i], (count - i) * sizeof *list);
    list[i] = (struct allocation){address, address + bytes};
    m->count[device]++;
    m->used[device] += bytes;
    if (!make_usable(m, device, i)) {
        int why = errno;

        forget(m, device, i);
        return fail(err, PROACT_ENOSPACE,
                    "device %u: %" PRIu64 " bytes asked for, which the host refuses: %s",
                    device, bytes, strerror(why));
    }
    *out = address;
    return PROACT_OK;
}

/* Index of the last allocation that begins at or before the address; count if none. */
static size_t last_before(const struct device_memory *m, unsigned device, uint64_t address)
{
    size_t low = 0, high = m->count[device];

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (m->list[device][middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : m->count[device];
}

bool memory_free(struct device_memory *m, unsigned device, uint64_t address,
                 struct allocation *was)
{
    size_t i = last_before(m, device, address);
    struct allocation *list = m->list[device];

    if (i == m->count[device] || list[i].first != address)
        return false;
    *was = list[i];
    give_back(m, device, i);
    forget(m, device, i);
    return true;
}

unsigned memory_device(const struct device_memory *m, uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)m->reserved;

    return offset < m->stride * m->device_count ? (unsigned)(offset / m->stride)
                                                : m->device_count;
}

const struct allocation *memory_find(const struct device_memory *m, uint64_t address,
                                     const struct allocation **nearest)
{
    unsigned device = memory_device(m, address);

    if (nearest)
        *nearest = NULL;
    if (device == m->device_count)
        return NULL;
    size_t i = last_before(m, device, address);

    if (i == m->count[device])
        return NULL;
    const struct allocation *a = &m->list[device][i];

    if (nearest)
        *nearest = a;
    return address < a->end ? a : NULL;
}
