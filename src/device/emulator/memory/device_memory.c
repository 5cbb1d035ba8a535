/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/memory/device_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/device.h"
#include "execute/execute.h"

/* Linux extensions of POSIX. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS 0x20
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0x4000
#endif

enum { ALIGNMENT = 512, GAP = DEVICE_GAP_BYTES, PAGE_BYTES_MAX = 65536 };
#define STRIDE_MAX ((uint64_t)1 << 40)
#define STRIDE_MIN ((uint64_t)1 << 30)

static void *range_map(uint64_t bytes)
{
    void *p =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

/* Address range above the windows of generic addresses, wherever mmap() finds room first:
   below them under valgrind, for instance. NULL: there is none. */
static void *range_reserve(uint64_t bytes)
{
    unsigned char *p = range_map(bytes);
    uint64_t below = 0;

    if (!p || (uintptr_t)p >= EXECUTE_WINDOWS_END)
        return p;
    munmap(p, bytes);
    p = range_map(bytes + EXECUTE_WINDOWS_END);
    if (!p)
        return NULL;
    if ((uintptr_t)p < EXECUTE_WINDOWS_END)
        below = EXECUTE_WINDOWS_END - (uintptr_t)p;
    if (below)
        munmap(p, below);
    munmap(p + below + bytes, EXECUTE_WINDOWS_END - below);
    return p + below;
}

enum proact_status memory_reserve(struct device_memory *m, unsigned device_count,
                                  uint64_t bytes_each, struct proact_error *err)
{
    uint64_t stride = bytes_each < STRIDE_MAX ? bytes_each : STRIDE_MAX;

    stride = (stride + PAGE_BYTES_MAX - 1) / PAGE_BYTES_MAX * PAGE_BYTES_MAX +
             PAGE_BYTES_MAX + (uint64_t)2 * MEMORY_SLACK;
    void *p;

    /* Only allocations are accessible and use host memory. Under a limit of address space
       (ulimit -v) a smaller reservation is tried. */
    while (!(p = range_reserve(2 * stride * device_count)) && stride / 2 >= STRIDE_MIN)
        stride = stride / 2 / PAGE_BYTES_MAX * PAGE_BYTES_MAX;
    if (!p)
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
        munmap(m->reserved, memory_span(m));
    for (unsigned d = 0; d <= m->device_count; d++)
        free(m->list[d]);
    *m = (struct device_memory){0};
}

uint64_t memory_span(const struct device_memory *m)
{
    return 2 * m->stride * m->device_count;
}

/* Start of a device's address range, or of that for distributed memory. */
static uint64_t stretch(const struct device_memory *m, unsigned device)
{
    return (uint64_t)(uintptr_t)m->reserved + device * m->stride;
}

uint64_t memory_base(const struct device_memory *m, unsigned device)
{
    return stretch(m, device) + MEMORY_SLACK;
}

static uint64_t stretch_bytes(const struct device_memory *m, unsigned device)
{
    return device < m->device_count ? m->stride : m->stride * m->device_count;
}

static uint64_t round_up(uint64_t x)
{
    return (x + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Complete pages of an allocation that it shares with no neighbour. */
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

/* Returns the pages of an allocation by a new mapping, which also releases the host's
   memory commitment. After a failure they stay until the set is closed. */
static void give_back(struct device_memory *m, unsigned device, size_t i)
{
    size_t bytes;
    void *first = own_pages(m, device, i, &bytes);

    if (bytes &&
        mmap(first, bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        m->has_stale = true;
}

/* First fit. Returns the index for the new allocation and its address; count + 1: none, and
   `longest` is the size of the largest gap. */
static size_t find_hole(const struct device_memory *m, unsigned device, uint64_t bytes,
                        uint64_t *address, uint64_t *longest)
{
    uint64_t at = round_up(memory_base(m, device) + GAP),
             end = stretch(m, device) + stretch_bytes(m, device) - MEMORY_SLACK;

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

static uint64_t bytes_of_part(uint64_t bytes, uint64_t part, unsigned device)
{
    uint64_t before = device * part;

    return before >= bytes ? 0 : bytes - before < part ? bytes - before : part;
}

/* Undoes insert(). */
static void forget(struct device_memory *m, unsigned device, size_t i)
{
    struct allocation *list = m->list[device];
    const uint64_t bytes = list[i].end - list[i].first;

    for (unsigned d = 0; list[i].part && d < m->device_count; d++)
        m->used[d] -= bytes_of_part(bytes, list[i].part, d);
    if (!list[i].part)
        m->used[device] -= bytes;
    memmove(&list[i], &list[i + 1], (m->count[device] - i - 1) * sizeof *list);
    m->count[device]--;
}

/* Fails for distributed memory, where only addresses can be exhausted: each device had
   memory. */
static enum proact_status no_addresses(uint64_t bytes, uint64_t longest,
                                       struct proact_error *err)
{
    return fail(err, PROACT_ENOSPACE,
                "all devices: %" PRIu64 " bytes requested, at most %" PRIu64
                " contiguous bytes are left",
                bytes, longest);
}

static enum proact_status no_room(const struct device_memory *m, unsigned device,
                                  uint64_t bytes, uint64_t longest,
                                  struct proact_error *err)
{
    if (device == m->device_count)
        return no_addresses(bytes, longest, err);
    uint64_t left = m->limit - m->used[device];

    if (bytes > left)
        return fail(err, PROACT_ENOSPACE,
                    "device %u: %" PRIu64 " bytes requested, %" PRIu64 " of %" PRIu64
                    " left",
                    device, bytes, left, m->limit);
    return fail(err, PROACT_ENOSPACE,
                "device %u: %" PRIu64 " bytes requested, %" PRIu64 " of %" PRIu64
                " left but at most %" PRIu64 " contiguous",
                device, bytes, left, m->limit, longest);
}

static enum proact_status refused(const struct device_memory *m, unsigned device,
                                  uint64_t bytes, int why, struct proact_error *err)
{
    char who[24] = "all devices";

    if (device < m->device_count)
        snprintf(who, sizeof who, "device %u", device);
    return fail(err, PROACT_ENOSPACE,
                "%s: %" PRIu64 " bytes requested, which the host refuses: %s", who, bytes,
                strerror(why));
}

/* Inserts an allocation of a device, or of distributed memory. */
static enum proact_status insert(struct device_memory *m, unsigned device, uint64_t bytes,
                                 uint64_t part, uint64_t *out, struct proact_error *err)
{
    uint64_t address = 0, longest = 0;
    size_t count = m->count[device], i = find_hole(m, device, bytes, &address, &longest);

    if (i > count)
        return no_room(m, device, bytes, longest, err);
    m->list[device] = must_grow(m->list[device], count + 1, &m->capacity[device],
                                sizeof *m->list[device]);
    struct allocation *list = m->list[device];

    memmove(&list[i + 1], &list[i], (count - i) * sizeof *list);
    list[i] = (struct allocation){.first = address, .end = address + bytes, .part = part};
    m->count[device]++;
    for (unsigned d = 0; part && d < m->device_count; d++)
        m->used[d] += bytes_of_part(bytes, part, d);
    if (!part)
        m->used[device] += bytes;
    if (!make_usable(m, device, i)) {
        int why = errno;

        forget(m, device, i);
        return refused(m, device, bytes, why, err);
    }
    *out = address;
    return PROACT_OK;
}

enum proact_status memory_allocate(struct device_memory *m, unsigned device, uint64_t bytes,
                                   uint64_t *out, struct proact_error *err)
{
    if (!bytes)
        return fail(err, PROACT_EINVAL, "device %u: 0 bytes requested", device);
    if (bytes > m->limit - m->used[device])
        return no_room(m, device, bytes, 0, err);
    return insert(m, device, bytes, 0, out, err);
}

/* Index of the last allocation that begins at or before the address; count: none. */
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

void memory_clear(struct device_memory *m, unsigned device, uint64_t address)
{
    const struct allocation *list = m->list[device];
    size_t i = last_before(m, device, address), bytes;
    unsigned char *first = (unsigned char *)(uintptr_t)list[i].first,
                  *end = (unsigned char *)(uintptr_t)list[i].end;
    unsigned char *own = own_pages(m, device, i, &bytes), *behind = own + bytes;

    if (m->has_stale || !bytes) {
        memset(first, 0, (size_t)(end - first));
        return;
    }
    if (own > first)
        memset(first, 0, (size_t)(own - first));
    if (behind < end)
        memset(behind, 0, (size_t)(end - behind));
}

enum proact_status memory_allocate_parts(struct device_memory *m, uint64_t bytes,
                                         uint64_t *out, uint64_t *part,
                                         struct proact_error *err)
{
    const uint64_t each = bytes / m->device_count + (bytes % m->device_count != 0);

    if (!bytes || each > m->limit)
        return fail(err, bytes ? PROACT_ENOSPACE : PROACT_EINVAL,
                    "all devices: %" PRIu64 " bytes requested, %" PRIu64 " possible", bytes,
                    m->limit * m->device_count);
    *part = (each + MEMORY_PART_UNIT - 1) / MEMORY_PART_UNIT * MEMORY_PART_UNIT;
    for (unsigned d = 0; d < m->device_count; d++)
        if (bytes_of_part(bytes, *part, d) > m->limit - m->used[d])
            return no_room(m, d, bytes_of_part(bytes, *part, d), 0, err);
    return insert(m, m->device_count, bytes, *part, out, err);
}

/* List that contains the address: a device, or the list of distributed memory; else one
   more. */
static unsigned list_of(const struct device_memory *m, uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)m->reserved;

    if (offset >= memory_span(m))
        return m->device_count + 1;
    return offset < m->stride * m->device_count ? (unsigned)(offset / m->stride)
                                                : m->device_count;
}

bool memory_forgive(const struct device_memory *m, unsigned device, uint64_t address,
                    uint32_t bytes)
{
    const struct allocation *list = m->list[device];
    const size_t count = m->count[device], before = last_before(m, device, address),
                 behind = before < count ? before + 1 : 0;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = address / page * page,
                   last = address + bytes - 1;
    bool is_near = behind < count && list[behind].first - address <= MEMORY_SLACK;

    if (before < count)
        is_near |= address < list[before].end || address - list[before].end < MEMORY_SLACK;
    return is_near && list_of(m, address) == device && list_of(m, last) == device &&
           !mprotect((void *)(uintptr_t)first, (size_t)((last / page + 1) * page - first),
                     PROT_READ | PROT_WRITE);
}

bool memory_free(struct device_memory *m, unsigned device, uint64_t address,
                 struct allocation *was)
{
    const unsigned in = list_of(m, address);

    if (in != device && (device || in != m->device_count))
        return false;
    size_t i = last_before(m, in, address);
    struct allocation *list = m->list[in];

    if (i == m->count[in] || list[i].first != address)
        return false;
    *was = list[i];
    give_back(m, in, i);
    forget(m, in, i);
    return true;
}

struct allocation memory_part(const struct allocation *in, uint64_t address)
{
    struct allocation a = *in;

    if (!in->part)
        return a;
    a.first += (address - in->first) / in->part * in->part;
    if (in->end - a.first > in->part)
        a.end = a.first + in->part;
    return a;
}

unsigned memory_device(const struct device_memory *m, uint64_t address)
{
    unsigned in = list_of(m, address);
    const struct allocation *a;

    if (in < m->device_count)
        return in;
    a = memory_find(m, address, NULL);
    return a ? (unsigned)((address - a->first) / a->part) : m->device_count;
}

void memory_give_host(struct device_memory *m, uint64_t address)
{
    unsigned in = list_of(m, address);

    m->list[in][last_before(m, in, address)].is_hosts = true;
}

bool memory_is_hosts(const struct device_memory *m, uint64_t address)
{
    const struct allocation *a = memory_find(m, address, NULL);

    return a && a->is_hosts;
}

const struct allocation *memory_find(const struct device_memory *m, uint64_t address,
                                     const struct allocation **nearest)
{
    unsigned in = list_of(m, address);

    if (nearest)
        *nearest = NULL;
    if (in > m->device_count)
        return NULL;
    size_t i = last_before(m, in, address);

    if (i == m->count[in])
        return NULL;
    const struct allocation *a = &m->list[in][i];

    if (nearest)
        *nearest = a;
    return address < a->end ? a : NULL;
}

const struct allocation *memory_next(const struct device_memory *m, uint64_t address)
{
    const unsigned in = list_of(m, address);

    if (in > m->device_count)
        return NULL;
    const size_t before = last_before(m, in, address),
                 next = before == m->count[in] ? 0 : before + 1;

    return next < m->count[in] ? &m->list[in][next] : NULL;
}
