/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory. Large allocations are physical memory in an address range of their own,
   mapped on all devices with peer access to the owner. Small ones use the driver's
   allocator, since physical memory has a granularity of 2 MB. */
#include <assert.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_set.h"

enum { MAPPED_FROM_BYTES = 1 << 20 };

static struct cu_memory_kind kind_of(const struct device_set *set, unsigned device)
{
    return (struct cu_memory_kind){
        .type = CU_PHYSICAL_PINNED,
        .location = {CU_LOCATION_DEVICE, set->devices[device].device}};
}

/* Grants access to all devices with peer access to each part. */
static cu_result let_in(struct device_set *set, const struct cuda_memory *m)
{
    struct cu_memory_access access[TOPOLOGY_DEVICES_MAX];
    size_t count = 0;

    for (unsigned d = 0; d < set->here; d++) {
        bool reaches = true;

        for (unsigned o = m->owner; o < m->owner + m->piece_count; o++)
            reaches &= d == o || set->devices[d].reaches[o];
        if (reaches)
            access[count++] = (struct cu_memory_access){
                .location = {CU_LOCATION_DEVICE, set->devices[d].device},
                .access = CU_ACCESS_READ_WRITE};
    }
    return set->driver.range_access(m->address, m->mapped_bytes, access, count);
}

/* Frees all parts; the first `mapped` parts are also unmapped. */
static void unmap(struct device_set *set, const struct cuda_memory *m, unsigned mapped)
{
    const struct driver *v = &set->driver;

    for (unsigned i = 0; i < m->piece_count; i++) {
        if (i < mapped)
            v->range_unmap(m->address + i * m->piece_bytes, m->piece_bytes);
        if (m->physical[i])
            v->physical_release(m->physical[i]);
    }
    if (m->address)
        v->range_free(m->address, m->reserved_bytes);
}

static cu_result create_pieces(struct device_set *set, struct cuda_memory *m)
{
    cu_result result = 0;

    for (unsigned i = 0; i < m->piece_count && !result; i++) {
        const struct cu_memory_kind kind = kind_of(set, m->owner + i);

        result = set->driver.physical_create(&m->physical[i], m->piece_bytes, &kind, 0);
    }
    return result;
}

/* Maps the parts. The range has `unit` additional bytes of address space as the gap. */
static cu_result create_mapped(struct device_set *set, struct cuda_memory *m, size_t unit)
{
    const struct driver *v = &set->driver;
    cu_result result = create_pieces(set, m);
    unsigned mapped = 0;

    m->mapped_bytes = m->piece_count * m->piece_bytes;
    m->reserved_bytes = m->mapped_bytes + unit;
    if (!result)
        result = v->range_reserve(&m->address, m->reserved_bytes, 0, 0, 0);
    for (; mapped < m->piece_count && !result; mapped += !result)
        result = v->range_map(m->address + mapped * m->piece_bytes, m->piece_bytes, 0,
                              m->physical[mapped], 0);
    if (!result)
        result = let_in(set, m);
    if (result)
        unmap(set, m, mapped);
    return result;
}

/* Allocates in whole units, with one owner per part. */
static cu_result create(struct device_set *set, struct cuda_memory *m)
{
    assert(m->piece_count);
    const struct cu_memory_kind kind = kind_of(set, m->owner);
    size_t unit = 0, each = m->bytes / m->piece_count + (m->bytes % m->piece_count != 0);
    cu_result result = set->driver.granularity(&unit, &kind, CU_GRANULARITY_MINIMUM);

    if (result)
        return result;
    if (!unit || each > SIZE_MAX - 2 * unit) /* exceeds the address space */
        return CU_OUT_OF_MEMORY;
    m->piece_bytes = ((each - (each > 0)) / unit + 1) * unit;
    m->piece_count =
        (unsigned)(m->bytes / m->piece_bytes + (m->bytes % m->piece_bytes != 0));
    return create_mapped(set, m, unit);
}

enum proact_status cuda_memory_let_in(struct device_set *set, struct proact_error *err)
{
    const struct cuda_device *d = &set->devices[0];
    enum proact_status status = cuda_enter(set, 0, err);
    cu_result result = 0;

    if (status)
        return status;
    for (size_t i = 0; i < d->memory_count && !result; i++)
        if (d->memory[i].mapped_bytes)
            result = let_in(set, &d->memory[i]);
    return cuda_leave(set, 0, result, "cuMemSetAccess", err);
}

static enum proact_status no_room(struct device_set *set, unsigned device, size_t bytes,
                                  struct proact_error *err)
{
    size_t left = 0, total = 0;

    set->driver.memory_info(&left, &total);
    cuda_context_pop(&set->driver);
    return fail(err, PROACT_ENOSPACE,
                "device %u: %zu bytes of memory requested, %zu of %zu are free", device,
                bytes, left, total);
}

static void keep(struct cuda_device *d, const struct cuda_memory *m)
{
    d->memory = must_grow(d->memory, d->memory_count, &d->memory_capacity, sizeof *m);
    d->memory[d->memory_count++] = *m;
}

enum proact_status cuda_alloc(struct device_set *set, unsigned device, size_t bytes,
                              device_addr *out, struct proact_error *err)
{
    struct cuda_device *d = &set->devices[device];
    struct cuda_memory m = {.bytes = bytes, .owner = device, .piece_count = 1};
    enum proact_status status = cuda_enter(set, device, err);
    cu_result result;

    if (status)
        return status;
    if (m.bytes >= MAPPED_FROM_BYTES)
        result = create(set, &m);
    else
        result = set->driver.memory_alloc(&m.address, m.bytes + DEVICE_GAP_BYTES);
    if (result == CU_OUT_OF_MEMORY)
        return no_room(set, device, bytes, err);
    if ((status = cuda_leave(set, device, result, "cuMemCreate", err)))
        return status;
    keep(d, &m);
    *out = m.address;
    return PROACT_OK;
}

/* Fails with the first device that has no space for its partition. */
static enum proact_status no_room_for_part(struct device_set *set,
                                           const struct cuda_memory *m,
                                           struct proact_error *err)
{
    unsigned device = 0;

    while (device + 1 < m->piece_count && m->physical[device])
        device++;
    cuda_context_pop(&set->driver);
    enum proact_status status = cuda_enter(set, device, err);

    return status ? status : no_room(set, device, m->piece_bytes, err);
}

enum proact_status cuda_alloc_parts(struct device_set *set, size_t bytes, device_addr *out,
                                    size_t *part, struct proact_error *err)
{
    struct cuda_memory m = {.bytes = bytes, .piece_count = set->count};
    enum proact_status status;
    cu_result result;

    if (!bytes)
        return fail(err, PROACT_EINVAL, "memory of all devices: 0 bytes requested");
    for (unsigned from = 0; from < set->count; from++)
        for (unsigned to = 0; to < set->count; to++)
            if (from != to && !set->devices[from].reaches[to])
                return fail(err, PROACT_EREFUSED,
                            "memory of all devices: device %u does not reach device %u",
                            from, to);
    if ((status = cuda_enter(set, 0, err)))
        return status;
    if ((result = create(set, &m)) == CU_OUT_OF_MEMORY)
        return no_room_for_part(set, &m, err);
    if ((status = cuda_leave(set, 0, result, "cuMemCreate", err)))
        return status;
    keep(&set->devices[0], &m);
    *out = m.address;
    *part = m.piece_bytes;
    return PROACT_OK;
}

enum proact_status cuda_alloc_shared(struct device_set *set, unsigned device, size_t bytes,
                                     bool is_pinned, device_addr *out,
                                     struct proact_error *err)
{
    struct cuda_memory m = {.bytes = bytes + DEVICE_GAP_BYTES, .is_host = is_pinned};
    enum proact_status status = cuda_enter(set, device, err);
    void *memory = NULL;
    cu_result result;

    if (status)
        return status;
    if (is_pinned)
        result = set->driver.host_alloc(&memory, m.bytes, CU_HOST_PORTABLE);
    else
        result = set->driver.managed_alloc(&m.address, m.bytes, CU_MANAGED_GLOBAL);
    if (result == CU_OUT_OF_MEMORY)
        return no_room(set, device, bytes, err);
    if ((status = cuda_leave(set, device, result,
                             is_pinned ? "cuMemHostAlloc" : "cuMemAllocManaged", err)))
        return status;
    if (is_pinned)
        m.address = (cu_address)(uintptr_t)memory;
    keep(&set->devices[device], &m);
    *out = m.address;
    return PROACT_OK;
}

/* Locks host memory: the driver copies pageable memory through its own buffers, while
   devices access locked memory directly. */
enum proact_status cuda_host_lock(struct device_set *set, void *memory, size_t bytes,
                                  struct proact_error *err)
{
    const struct cuda_memory m = {
        .address = (uintptr_t)memory, .bytes = bytes, .is_locked = true};
    enum proact_status status = set->wait_count ? cuda_synchronize(set, err) : PROACT_OK;

    if (status || (status = cuda_enter(set, 0, err)))
        return status;
    cu_result result = set->driver.host_register(memory, bytes, CU_HOST_PORTABLE);

    if ((status = cuda_leave(set, 0, 0, "cuMemHostRegister", err)))
        return status;
    if (result) /* the device remains usable */
        return fail(err, PROACT_EREFUSED, "cuMemHostRegister: %s",
                    driver_words(&set->driver, result).text);
    keep(&set->devices[0], &m);
    return PROACT_OK;
}

void cuda_host_unlock(struct device_set *set, void *memory)
{
    cuda_free(set, 0, (uintptr_t)memory);
}

static void give_back(struct device_set *set, const struct cuda_memory *m)
{
    const struct driver *v = &set->driver;

    if (m->is_locked) {
        v->host_unregister((void *)(uintptr_t)m->address);
        return;
    }
    if (m->is_host) {
        v->host_free((void *)(uintptr_t)m->address);
        return;
    }
    if (!m->mapped_bytes) {
        v->memory_free(m->address);
        return;
    }
    unmap(set, m, m->piece_count);
}

/* Frees memory after all devices are idle: hardware does not detect a later use. */
void cuda_free(struct device_set *set, unsigned device, device_addr address)
{
    struct cuda_device *d = &set->devices[device];

    cuda_await(set, NULL, NULL);
    if (set->is_stuck)
        return;
    for (size_t i = 0; i < d->memory_count; i++) {
        if (d->memory[i].address != address)
            continue;
        cuda_context_push(&set->driver, d->context);
        give_back(set, &d->memory[i]);
        cuda_context_pop(&set->driver);
        d->memory[i] = d->memory[--d->memory_count];
        return;
    }
}

void cuda_memory_clear(struct device_set *set, unsigned device)
{
    struct cuda_device *d = &set->devices[device];

    for (size_t i = 0; i < d->memory_count; i++)
        give_back(set, &d->memory[i]);
    free(d->memory);
    d->memory = NULL;
    d->memory_count = 0;
}
