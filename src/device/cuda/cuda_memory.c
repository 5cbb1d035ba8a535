/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory. Large pieces are physical memory in a range of addresses of its own, which
   all devices that reach the owner are let into; small ones come from the driver's own
   allocator, for physical memory is given in pieces of 2 MB. */
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "device/cuda/cuda_set.h"

enum { MAPPED_FROM_BYTES = 1 << 20 };

static enum proact_status map_range(struct device_set *set, unsigned device,
                                    struct cuda_memory *m, cu_result *result)
{
    const struct driver *v = &set->driver;
    struct cu_memory_access access[TOPOLOGY_DEVICES_MAX];
    size_t count = 0;

    *result = v->range_map(m->address, m->mapped_bytes, 0, m->physical, 0);
    if (*result)
        return PROACT_EDRIVER;
    for (unsigned d = 0; d < set->count; d++)
        if (d == device || set->devices[d].reaches[device])
            access[count++] = (struct cu_memory_access){
                .location = {CU_LOCATION_DEVICE, set->devices[d].device},
                .access = CU_ACCESS_READ_WRITE};
    *result = v->range_access(m->address, m->mapped_bytes, access, count);
    if (!*result)
        return PROACT_OK;
    v->range_unmap(m->address, m->mapped_bytes);
    return PROACT_EDRIVER;
}

static cu_result create_mapped(struct device_set *set, unsigned device,
                               struct cuda_memory *m)
{
    const struct driver *v = &set->driver;
    const struct cu_memory_kind kind = {
        .type = CU_PHYSICAL_PINNED,
        .location = {CU_LOCATION_DEVICE, set->devices[device].device}};
    size_t unit = 0;
    cu_result result = v->granularity(&unit, &kind, CU_GRANULARITY_MINIMUM);

    if (result)
        return result;
    m->mapped_bytes = (m->bytes + unit - 1) / unit * unit;
    if ((result = v->physical_create(&m->physical, m->mapped_bytes, &kind, 0)))
        return result;
    m->reserved_bytes = m->mapped_bytes + unit; /* addresses alone, for the gap */
    result = v->range_reserve(&m->address, m->reserved_bytes, 0, 0, 0);
    if (!result && map_range(set, device, m, &result))
        v->range_free(m->address, m->reserved_bytes);
    if (result)
        v->physical_release(m->physical);
    return result;
}

static enum proact_status no_room(struct device_set *set, unsigned device, size_t bytes,
                                  struct proact_error *err)
{
    size_t left = 0, total = 0;
    cu_context was;

    set->driver.memory_info(&left, &total);
    set->driver.context_pop(&was);
    return fail(err, PROACT_ENOSPACE,
                "device %u: %zu bytes of memory asked for, %zu of %zu are free", device,
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
    struct cuda_memory m = {.bytes = bytes};
    enum proact_status status = cuda_enter(set, device, err);
    cu_result result;

    if (status)
        return status;
    if (m.bytes >= MAPPED_FROM_BYTES)
        result = create_mapped(set, device, &m);
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

static void give_back(struct device_set *set, const struct cuda_memory *m)
{
    const struct driver *v = &set->driver;

    if (m->is_host) {
        v->host_free((void *)(uintptr_t)m->address);
        return;
    }
    if (!m->mapped_bytes) {
        v->memory_free(m->address);
        return;
    }
    v->range_unmap(m->address, m->mapped_bytes);
    v->range_free(m->address, m->reserved_bytes);
    v->physical_release(m->physical);
}

/* Memory may only go when nobody uses it: hardware would not say so. */
void cuda_free(struct device_set *set, unsigned device, device_addr address)
{
    struct cuda_device *d = &set->devices[device];
    cu_context was;

    cuda_await(set, NULL, NULL);
    if (set->is_stuck)
        return;
    for (size_t i = 0; i < d->memory_count; i++) {
        if (d->memory[i].address != address)
            continue;
        set->driver.context_push(d->context);
        give_back(set, &d->memory[i]);
        set->driver.context_pop(&was);
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
