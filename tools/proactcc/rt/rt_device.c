/* SPDX-License-Identifier: Apache-2.0 */
/* Device queries. The program sees one device, which has the properties of the session's
   device 0. */
#include <stdio.h>
#include <string.h>

#include "rt/abi/cuda_calls.h"
#include "rt/stream/rt_capture_rules.h"

enum { REGISTERS_PER_SM = 65536, CONST_BYTES = 65536, SHARED_DEFAULT = 48 << 10 };

static void describe(const struct rt *rt, struct cuda_device_properties *p)
{
    const struct proact_device_info d = proact_device_describe(rt->session);

    *p = (struct cuda_device_properties){
        .total_global_bytes = d.memory_bytes,
        .shared_bytes_per_block = SHARED_DEFAULT,
        .registers_per_block = REGISTERS_PER_SM,
        .warp_size = 32,
        .pitch_max = INT32_MAX,
        .threads_per_block_max = (int)d.threads_per_cta,
        .block_max = {1024, 1024, 64},
        .grid_max = {INT32_MAX, UINT16_MAX, UINT16_MAX},
        .const_bytes = CONST_BYTES,
        .major = (int)d.compute_capability / 10,
        .minor = (int)d.compute_capability % 10,
        .texture_alignment = 512,
        .texture_pitch_alignment = 32,
        .sm_count = (int)d.sm_count,
        .can_map_host = 1,
        .surface_alignment = 512,
        .textures = {131072,  0,     131072, 65536, 0,     0,     131072, 65000,
                     2097120, 32768, 32768,  16384, 16384, 16384, 8192,   8192,
                     32768,   32768, 32768,  2048,  32768, 32768, 2048,   32768,
                     2046,    32768, 131072, 65536, 16384, 16384, 16384,  32768,
                     2048,    32768, 32768,  2048,  32768, 32768, 2046},
        .concurrent_kernels = 1,
        .copy_engines = 2,
        .unified_addressing = 1,
        .memory_bus_bits = 5120,
        .l2_bytes = (int)d.l2_bytes,
        .threads_per_sm_max = (int)d.threads_per_sm,
        .stream_priorities = 1,
        .global_l1 = 1,
        .local_l1 = 1,
        .shared_bytes_per_sm = d.shared_bytes_per_sm,
        .registers_per_sm = REGISTERS_PER_SM,
        .managed_memory = 1,
        .host_pointer_for_registered = 1,
        .shared_bytes_per_block_optin = d.shared_bytes_per_cta,
        .blocks_per_sm_max = (int)d.ctas_per_sm,
        .reserved_shared_bytes_per_block = 1024,
        .host_register = 1,
        .cooperative_launch = 1,
        .cluster_launch = d.compute_capability >= 90,
        .memory_pools = 1,
        .pci_bus = 1,
        .numa_id = -1,
        .host_numa_id = -1,
    };
    snprintf(p->name, sizeof p->name, "%s", d.name);
    memcpy(p->uuid, "proact", 6);
}

static int clock_khz(const struct rt *rt)
{
    return (int)(proact_device_describe(rt->session).clock_ghz * 1e6);
}

/* The clock that, with the width of the bus, gives the memory bandwidth at two transfers a
   cycle. */
static int memory_clock_khz(const struct rt *rt, const struct cuda_device_properties *p)
{
    return (int)(proact_device_describe(rt->session).memory_gbps * 1e6 * 8 / 2 /
                 p->memory_bus_bits);
}

static enum cuda_error attribute(const struct rt *rt, int number, int *out)
{
    struct cuda_device_properties p;

    describe(rt, &p);
    switch (number) {
#define ATTRIBUTE(tag, known_number, value)                                                \
    case known_number:                                                                     \
        *out = (int)(value);                                                               \
        return cudaSuccess;
#include "rt/abi/cuda_attribute.def"
#undef ATTRIBUTE
    }
    *out = 0; /* mipmaps and other unsupported features */
    return number > 0 && number < 150 ? cudaSuccess : cudaErrorInvalidValue;
}

static enum cuda_error check(struct rt *rt, int device)
{
    if (rt_open(rt))
        return rt->broken;
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

enum cuda_error cudaGetDeviceProperties(struct cuda_device_properties *out, int device)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check(rt, device);

    if (!error)
        describe(rt, out);
    return rt_leave(rt, error);
}

enum cuda_error cudaDeviceGetAttribute(int *out, int number, int device)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check(rt, device);

    return rt_leave(rt, error ? error : attribute(rt, number, out));
}

enum cuda_error cudaGetDeviceCount(int *out)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    *out = error ? 0 : 1;
    return rt_leave(rt, error);
}

enum cuda_error cudaSetDevice(int device)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, check(rt, device));
}

enum cuda_error cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return cudaSetDevice(device);
}

enum cuda_error cudaGetDevice(int *out)
{
    struct rt *rt = rt_enter();

    *out = 0;
    return rt_leave(rt, rt_open(rt));
}

enum cuda_error cudaChooseDevice(int *out, const struct cuda_device_properties *wanted)
{
    (void)wanted;
    return cudaGetDevice(out);
}

enum cuda_error cudaSetValidDevices(int *devices, int count)
{
    return cudaSetDevice(count ? devices[0] : 0);
}

enum cuda_error cudaSetDeviceFlags(unsigned flags)
{
    struct rt *rt = rt_enter();

    (void)flags;
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaGetDeviceFlags(unsigned *flags)
{
    *flags = 0;
    return cudaSetDeviceFlags(0);
}

enum cuda_error cudaDeviceCanAccessPeer(int *out, int device, int peer)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check(rt, device ? device : peer);

    *out = 0;
    return rt_leave(rt, error);
}

enum cuda_error cudaDeviceGetPCIBusId(char *out, int bytes, int device)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = check(rt, device);

    if (!error)
        snprintf(out, (size_t)bytes, "0000:01:00.0");
    return rt_leave(rt, error);
}

enum cuda_error cudaDeviceGetByPCIBusId(int *out, const char *id)
{
    (void)id;
    return cudaGetDevice(out);
}

enum { STACK_LIMIT, PRINT_LIMIT, HEAP_LIMIT, LIMITS };

/* Only the stack and heap limits take effect. Other limits are accepted. */
enum cuda_error cudaDeviceSetLimit(int limit, size_t value)
{
    struct rt *rt = rt_enter();
    struct proact_error err = {""};
    enum cuda_error error = rt_open(rt);

    if (!error)
        error = rt_capture_check_unsafe(rt);
    if (!error && (limit == STACK_LIMIT || limit == HEAP_LIMIT))
        error = rt_error(
            rt,
            proact_limit_set(rt->session,
                             limit == STACK_LIMIT ? PROACT_LIMIT_STACK : PROACT_LIMIT_HEAP,
                             value, &err),
            &err);
    if (!error && limit >= 0 && limit < LIMITS)
        rt->limits[limit] = value;
    return rt_leave(rt, error);
}

/* A limit that the program has not set has CUDA's default. */
enum cuda_error cudaDeviceGetLimit(size_t *out, int limit)
{
    static const size_t usual[LIMITS] = {1024, 1 << 20, 8 << 20};
    struct rt *rt = rt_enter();
    bool is_known = limit >= 0 && limit < LIMITS;

    *out = !is_known ? 0 : rt->limits[limit] ? rt->limits[limit] : usual[limit];
    return rt_leave(rt, rt->broken);
}

enum cuda_error cudaDeviceSetCacheConfig(int config)
{
    (void)config;
    return cudaSetDeviceFlags(0);
}

enum cuda_error cudaDeviceGetCacheConfig(int *config)
{
    *config = 0;
    return cudaSetDeviceFlags(0);
}

enum cuda_error cudaDeviceSetSharedMemConfig(int config)
{
    (void)config;
    return cudaSetDeviceFlags(0);
}

enum cuda_error cudaDeviceGetSharedMemConfig(int *config)
{
    return cudaDeviceGetCacheConfig(config);
}

enum cuda_error cudaCtxResetPersistingL2Cache(void)
{
    return cudaSetDeviceFlags(0);
}

/* Frees all device memory and resets the variables. A broken runtime stays broken. */
enum cuda_error cudaDeviceReset(void)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt->session ? rt_wait(rt) : rt->broken;
    struct proact_error err = {""};
    size_t i = 0;

    if (rt->session && !error)
        error = rt_error(rt, proact_variables_reset(rt->session, &err), &err);
    while (i < rt->ranges.count) {
        struct rt_range *range = &rt->ranges.list[i];

        if (range->kind == RT_DEVICE || range->kind == RT_MANAGED) {
            if (range->array) {
                proact_array_destroy(range->array);
                rt_pool_use(range->pool, -(int64_t)range->bytes);
                rt_pool_reserve(range->pool, -(int64_t)range->bytes);
                rt->bytes_allocated -= range->bytes;
                range_remove(&rt->ranges, range);
                continue;
            }
        }
        i++;
    }
    if (rt->session && !error)
        rt_spare_clear(rt);
    return rt_leave(rt, error);
}

enum cuda_error cudaRuntimeGetVersion(int *out)
{
    *out = CUDA_VERSION_HERE;
    return cudaSuccess;
}

enum cuda_error cudaDriverGetVersion(int *out)
{
    *out = CUDA_VERSION_HERE;
    return cudaSuccess;
}

enum cuda_error cudaProfilerStart(void)
{
    return cudaSetDeviceFlags(0);
}

enum cuda_error cudaProfilerStop(void)
{
    return cudaSetDeviceFlags(0);
}

/* Hints without effect: proact places all memory itself. */
enum cuda_error cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                     struct cuda_memory_location location, unsigned flags,
                                     struct cuda_stream *stream)
{
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_stream_check(rt, stream);

    (void)pointer, (void)bytes, (void)location, (void)flags;
    return error ? rt_leave(rt, error) : rt_leave(rt, cudaSetDeviceFlags(0));
}

enum cuda_error cudaMemPrefetchBatchAsync(void **pointers, size_t *bytes, size_t count,
                                          struct cuda_memory_location *locations,
                                          size_t *firsts, size_t location_count,
                                          unsigned long long flags,
                                          struct cuda_stream *stream)
{
    (void)pointers, (void)bytes, (void)count, (void)firsts, (void)flags;
    return cudaMemPrefetchAsync(
        NULL, 0,
        locations && location_count ? *locations : (struct cuda_memory_location){0, 0}, 0,
        stream);
}

enum cuda_error cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                              struct cuda_memory_location location)
{
    (void)pointer, (void)bytes, (void)advice, (void)location;
    return cudaSetDeviceFlags(0);
}

struct cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct cuda_channel){x, y, z, w, kind};
}
