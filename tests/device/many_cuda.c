/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA driver in front of the real one that shows each GPU as several devices. Features
   for several devices can then be tested on one GPU, with real memory order, queues and
   graphs. It shows MANY_CUDA_DEVICES devices (default 2); devices of one GPU share its
   context. MANY_CUDA_DRIVER is the file of the real driver. Calls without a device are
   forwarded (many_cuda_pass.c). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many_cuda.h"

static int real_count;

static void *open_real(void)
{
    static const char *const places[] = {"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
                                         "/usr/lib64/libcuda.so.1",
                                         "/usr/local/nvidia/lib64/libcuda.so.1"};
    const char *name = getenv("MANY_CUDA_DRIVER");
    void *library = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;

    for (size_t i = 0; i < sizeof places / sizeof places[0] && !library && !name; i++)
        library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "many_cuda: no driver: %s\n", dlerror());
    return library;
}

/* Runs before the first lookup of an entry. */
__attribute__((constructor)) static void find_real(void)
{
    void *library = open_real();

    for (size_t i = 0; library && many_entries[i].symbol; i++) {
        void *entry = dlsym(library, many_entries[i].symbol);

        memcpy(many_entries[i].real, &entry, sizeof entry);
    }
}

static int shown(void)
{
    const char *name = getenv("MANY_CUDA_DEVICES");

    return name ? atoi(name) : 2;
}

static cu_device real_of(cu_device device)
{
    cu_device real = 0;

    if (!real_count)
        many_device_count(&real_count);
    many_device_get(&real, device % real_count);
    return real;
}

cu_result cuInit(unsigned flags)
{
    if (!many_init)
        return CU_NO_DEVICE;
    return many_init(flags);
}

cu_result cuDeviceGetCount(int *out)
{
    cu_result result = many_device_count(out);

    if (!result && *out)
        *out = shown();
    return result;
}

cu_result cuDeviceGet(cu_device *out, int ordinal)
{
    if (ordinal < 0 || ordinal >= shown())
        return CU_NO_DEVICE;
    *out = ordinal;
    return 0;
}

cu_result cuDeviceGetName(char *out, int bytes, cu_device device)
{
    return many_device_name(out, bytes, real_of(device));
}

cu_result cuDeviceTotalMem_v2(size_t *out, cu_device device)
{
    return many_device_memory(out, real_of(device));
}

cu_result cuDeviceGetAttribute(int *out, cu_device_attribute what, cu_device device)
{
    return many_device_attribute(out, what, real_of(device));
}

cu_result cuDeviceCanAccessPeer(int *out, cu_device device, cu_device peer)
{
    if (real_of(device) != real_of(peer))
        return many_can_access_peer(out, real_of(device), real_of(peer));
    *out = device != peer;
    return 0;
}

cu_result cuDeviceGetP2PAttribute(int *out, cu_peer_attribute what, cu_device device,
                                  cu_device peer)
{
    if (real_of(device) != real_of(peer))
        return many_peer_attribute(out, what, real_of(device), real_of(peer));
    *out = 1;
    return 0;
}

cu_result cuDevicePrimaryCtxRetain(cu_context *out, cu_device device)
{
    return many_primary_retain(out, real_of(device));
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
    return many_primary_release(real_of(device));
}

cu_result cuDevicePrimaryCtxReset_v2(cu_device device)
{
    return many_primary_reset(real_of(device));
}

/* A context always reaches itself. */
cu_result cuCtxEnablePeerAccess(cu_context peer, unsigned flags)
{
    cu_context own = NULL;
    cu_result result = many_context_current(&own);

    return result || own == peer ? result : many_enable_peer(peer, flags);
}

static struct cu_memory_kind real_kind(const struct cu_memory_kind *kind)
{
    struct cu_memory_kind real = *kind;

    real.location.number = real_of(kind->location.number);
    return real;
}

cu_result cuMemGetAllocationGranularity(size_t *out, const struct cu_memory_kind *kind,
                                        cu_granularity option)
{
    const struct cu_memory_kind real = real_kind(kind);

    return many_granularity(out, &real, option);
}

cu_result cuMemCreate(cu_physical *out, size_t bytes, const struct cu_memory_kind *kind,
                      unsigned long long flags)
{
    const struct cu_memory_kind real = real_kind(kind);

    return many_physical_create(out, bytes, &real, flags);
}

/* Each GPU receives access once. */
cu_result cuMemSetAccess(cu_address address, size_t bytes,
                         const struct cu_memory_access *access, size_t count)
{
    enum { MOST = 64 };
    struct cu_memory_access real[MOST];
    size_t kept = 0;

    for (size_t i = 0; i < count && kept < MOST; i++) {
        size_t same = 0;

        real[kept] = access[i];
        real[kept].location.number = real_of(access[i].location.number);
        while (same < kept && real[same].location.number != real[kept].location.number)
            same++;
        kept += same == kept;
    }
    return many_range_access(address, bytes, real, kept);
}
