/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory is host memory with access rights per device. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "device/fake_cuda.h"

#ifndef MAP_ANONYMOUS /* not in POSIX; Linux has it */
#define MAP_ANONYMOUS 0x20
#endif

enum { UNIT_BYTES = 2 << 20 };

static bool lets_in(const struct fake_memory *m, unsigned device)
{
    /* Unmapped memory is accessible to the context that asks. */
    return m->is_host || m->may_use[device] || m->owner == device ||
           (!m->is_mapped && fake_cuda()->contexts[device].reaches[m->owner]);
}

struct fake_memory *fake_find(unsigned device, const void *address, size_t bytes)
{
    for (struct fake_memory *m = fake_cuda()->memory; m; m = m->next)
        if ((uintptr_t)address >= (uintptr_t)m->address &&
            (uintptr_t)address - (uintptr_t)m->address + bytes <= m->bytes)
            return (m->physical || !m->is_mapped) && lets_in(m, device) ? m : NULL;
    return NULL;
}

static struct fake_memory *add(size_t bytes)
{
    struct fake_cuda *f = fake_cuda();
    struct fake_memory *m = must_calloc(1, sizeof *m);

    /* Above 4 GiB: lower addresses are windows of a kernel. */
    m->address =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    m->bytes = bytes;
    m->next = f->memory;
    f->memory = m;
    f->left++;
    return m;
}

struct fake_memory *fake_add(unsigned device, size_t bytes)
{
    struct fake_cuda *f = fake_cuda();

    if (bytes > fake_device_bytes() - f->used[device])
        return NULL;
    struct fake_memory *m = add(bytes);

    m->owner = device;
    memset(m->address, 0xa5, bytes < 65536 ? bytes : 65536); /* not zero */
    f->used[device] += bytes;
    return m;
}

void fake_drop(struct fake_memory *m)
{
    struct fake_cuda *f = fake_cuda();
    struct fake_memory **link = &f->memory;

    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    if (!m->is_mapped && !m->is_host)
        f->used[m->owner] -= m->bytes;
    if (!m->is_registered)
        munmap(m->address, m->bytes);
    free(m);
    f->left--;
}

/* The range that contains the address. */
static struct fake_memory *holds(uint64_t address)
{
    struct fake_memory *m = fake_cuda()->memory;

    while (m && address - (uintptr_t)m->address >= m->bytes)
        m = m->next;
    return m;
}

/* The range that begins at the address. */
static struct fake_memory *begins(uint64_t address)
{
    struct fake_memory *m = fake_cuda()->memory;

    while (m && (uintptr_t)m->address != address)
        m = m->next;
    return m;
}

cu_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    *total_bytes = fake_device_bytes();
    *free_bytes = *total_bytes - fake_cuda()->used[fake_device()];
    return 0;
}

cu_result cuMemAlloc_v2(cu_address *out, size_t bytes)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    struct fake_memory *m = fake_add(fake_device(), bytes);

    if (!m)
        return CU_OUT_OF_MEMORY;
    *out = (uintptr_t)m->address;
    return 0;
}

cu_result cuMemAllocManaged(cu_address *out, size_t bytes, unsigned flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    if (result)
        return result;
    if (flags != CU_MANAGED_GLOBAL)
        return CU_INVALID_VALUE;
    struct fake_memory *m = fake_add(fake_device(), bytes);

    if (!m)
        return CU_OUT_OF_MEMORY;
    *out = (uintptr_t)m->address;
    return 0;
}

cu_result cuMemFree_v2(cu_address address)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct fake_memory *m = begins(address);

    if (m)
        fake_drop(m);
    return result ? result : m ? 0 : CU_INVALID_VALUE;
}

cu_result cuMemGetAllocationGranularity(size_t *out, const struct cu_memory_kind *kind,
                                        cu_granularity option)
{
    FAKE_ALONE;
    (void)kind, (void)option;
    *out = UNIT_BYTES;
    return fake_enter(__func__);
}

cu_result cuMemCreate(cu_physical *out, size_t bytes, const struct cu_memory_kind *kind,
                      unsigned long long flags)
{
    FAKE_ALONE;
    struct fake_cuda *f = fake_cuda();
    cu_result result = fake_enter(__func__);
    unsigned owner = (unsigned)kind->location.number;

    if (result)
        return result;
    if (flags || bytes % UNIT_BYTES || kind->type != CU_PHYSICAL_PINNED)
        return CU_INVALID_VALUE;
    if (bytes > fake_device_bytes() - f->used[owner])
        return CU_OUT_OF_MEMORY;
    struct fake_physical *p = must_calloc(1, sizeof *p);

    *p = (struct fake_physical){
        .handle = ++f->physical_next, .bytes = bytes, .owner = owner, .next = f->physical};
    f->physical = p;
    f->used[owner] += bytes;
    f->left++;
    *out = p->handle;
    return 0;
}

cu_result cuMemRelease(cu_physical physical)
{
    FAKE_ALONE;
    struct fake_cuda *f = fake_cuda();
    struct fake_physical **link = &f->physical, *p;
    cu_result result = fake_enter(__func__);

    while ((p = *link) && p->handle != physical)
        link = &p->next;
    if (!p)
        return CU_INVALID_VALUE;
    *link = p->next;
    f->used[p->owner] -= p->bytes;
    f->left--;
    free(p);
    return result;
}

cu_result cuMemAddressReserve(cu_address *out, size_t bytes, size_t alignment,
                              cu_address at, unsigned long long flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    (void)alignment, (void)at, (void)flags;
    if (result)
        return result;
    struct fake_memory *m = add(bytes);

    m->is_mapped = true;
    *out = (uintptr_t)m->address;
    return 0;
}

cu_result cuMemAddressFree(cu_address address, size_t bytes)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct fake_memory *m = begins(address);

    if (!m || m->bytes != bytes || m->physical)
        return CU_INVALID_VALUE;
    fake_drop(m);
    return result;
}

cu_result cuMemMap(cu_address address, size_t bytes, size_t offset, cu_physical physical,
                   unsigned long long flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct fake_memory *m = holds(address);

    if (result)
        return result;
    /* Ranges are adjacent, as the backend maps them. */
    if (!m || address - (uintptr_t)m->address != m->mapped_bytes ||
        m->bytes - m->mapped_bytes < bytes || offset || flags)
        return CU_INVALID_VALUE;
    m->physical = physical;
    m->mapped_bytes += bytes;
    m->owner = FAKE_DEVICES_MAX; /* no device has access yet */
    return 0;
}

cu_result cuMemUnmap(cu_address address, size_t bytes)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct fake_memory *m = holds(address);

    if (!m || m->mapped_bytes < bytes)
        return CU_INVALID_VALUE;
    m->mapped_bytes -= bytes;
    m->physical = m->mapped_bytes ? m->physical : 0;
    return result;
}

cu_result cuMemSetAccess(cu_address address, size_t bytes,
                         const struct cu_memory_access *access, size_t count)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct fake_memory *m = begins(address);

    if (result)
        return result;
    if (!m || m->mapped_bytes != bytes)
        return CU_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        m->may_use[access[i].location.number] = access[i].access == CU_ACCESS_READ_WRITE;
    return 0;
}

cu_result cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    (void)flags;
    if (result)
        return result;
    struct fake_memory *m = add(bytes);

    m->is_host = true;
    *out = m->address;
    return 0;
}

cu_result cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);

    (void)flags;
    if (result)
        return result;
    if (holds((uintptr_t)memory))
        return FAKE_ALREADY_REGISTERED;
    struct fake_memory *m = must_calloc(1, sizeof *m);

    *m = (struct fake_memory){.address = memory,
                              .bytes = bytes,
                              .is_host = true,
                              .is_registered = true,
                              .next = fake_cuda()->memory};
    fake_cuda()->memory = m;
    fake_cuda()->left++;
    return 0;
}

cu_result cuMemHostUnregister(void *memory)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct fake_memory *m = begins((uintptr_t)memory);

    if (!m || !m->is_registered)
        return FAKE_NOT_REGISTERED;
    fake_drop(m);
    return result;
}

cu_result cuMemFreeHost(void *memory)
{
    FAKE_ALONE;
    cu_result result = fake_enter(__func__);
    struct fake_memory *m = begins((uintptr_t)memory);

    if (!m)
        return CU_INVALID_VALUE;
    fake_drop(m);
    return result;
}
