/* SPDX-License-Identifier: Apache-2.0 */
/* Properties and occupancy of kernels. The emulator does not count registers: it reports
   the number at which an SM reaches its maximum of threads. */
#include <string.h>

#include "rt/abi/cuda_calls.h"
#include "rt/launch/rt_cluster.h"

enum { REGISTERS_REPORTED = 32, SHARED_DEFAULT = 48 << 10, SHARED_RESERVED = 1024 };

static enum cuda_error find(struct rt *rt, const void *stub, struct cuda_kernel **out)
{
    enum cuda_error error = rt_open(rt);

    if (error)
        return error;
    if (!(*out = rt_kernel_find(rt, stub)))
        return rt_kernel_unknown(stub);
    return rt_kernel_load(rt, *out);
}

uint64_t rt_kernel_dynamic_most(const struct cuda_kernel *k)
{
    if (k->has_dynamic_most)
        return k->dynamic_most;
    return k->info.static_shared_bytes < SHARED_DEFAULT
               ? SHARED_DEFAULT - k->info.static_shared_bytes
               : 0;
}

enum cuda_error cudaFuncGetAttributes(struct cuda_function_attributes *out,
                                      const void *stub)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    enum cuda_error error = find(rt, stub, &k);

    if (error)
        return rt_leave(rt, error);
    struct proact_kernel_resources build;
    struct proact_error err = {""};
    enum proact_status status = proact_kernel_resources_get(k->kernel, &build, &err);

    if (status)
        return rt_leave(rt, rt_error(rt, status, &err));
    const uint32_t *cluster = rt_cluster_required(k);

    *out = (struct cuda_function_attributes){
        .shared_bytes = k->info.static_shared_bytes,
        .const_bytes = build.const_bytes,
        .local_bytes = build.local_bytes,
        .max_threads = (int)build.max_threads,
        .registers = build.registers ? (int)build.registers : REGISTERS_REPORTED,
        .ptx_version = (int)k->image->capability,
        .binary_version = (int)proact_device_describe(rt->session).compute_capability,
        .max_dynamic_shared_bytes = (int)rt_kernel_dynamic_most(k),
        .preferred_carveout = -1,
        .cluster_must_be_set = k->must_cluster || k->info.requires_cluster,
        .cluster = {(int)cluster[0], (int)cluster[1], (int)cluster[2]},
        .non_portable_cluster = k->has_large_clusters};
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaFuncSetAttribute(const void *stub, int attribute, int value)
{
    enum { MAX_DYNAMIC_SHARED = 8 };
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    enum cuda_error error = find(rt, stub, &k);

    if (!error && attribute == MAX_DYNAMIC_SHARED &&
        (value < 0 || (uint64_t)value + k->info.static_shared_bytes >
                          proact_device_describe(rt->session).shared_bytes_per_cta))
        error = cudaErrorInvalidValue;
    if (!error && attribute == MAX_DYNAMIC_SHARED) {
        k->has_dynamic_most = true;
        k->dynamic_most = (uint64_t)value;
    }
    if (!error && (error = rt_cluster_set(k, attribute, value)) == cudaErrorNotSupported)
        error = cudaSuccess; /* a hint */
    return rt_leave(rt, error);
}

enum cuda_error cudaKernelSetAttributeForDevice(struct cuda_kernel *kernel, int attribute,
                                                int value, int device)
{
    (void)device;
    return cudaFuncSetAttribute(kernel, attribute, value);
}

enum cuda_error cudaFuncSetCacheConfig(const void *stub, int config)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;

    (void)config;
    return rt_leave(rt, find(rt, stub, &k));
}

enum cuda_error cudaFuncSetSharedMemConfig(const void *stub, int config)
{
    return cudaFuncSetCacheConfig(stub, config);
}

enum cuda_error cudaFuncGetName(const char **out, const void *stub)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = rt_kernel_find(rt, stub);

    if (!k)
        return rt_leave(rt, rt_kernel_unknown(stub));
    *out = k->name;
    return rt_leave(rt, cudaSuccess);
}

enum cuda_error cudaFuncGetParamInfo(const void *stub, size_t i, size_t *offset,
                                     size_t *bytes)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    enum cuda_error error = find(rt, stub, &k);

    if (!error && i >= k->info.parameter_count)
        error = cudaErrorInvalidValue;
    if (!error) {
        *offset = k->info.parameters[i].offset;
        if (bytes)
            *bytes = k->info.parameters[i].bytes;
    }
    return rt_leave(rt, error);
}

static enum cuda_error occupancy(struct rt *rt, int *out, const void *stub, int threads,
                                 size_t shared_bytes)
{
    struct cuda_kernel *k = NULL;
    enum cuda_error error = find(rt, stub, &k);

    if (error)
        return error;
    if (threads <= 0)
        return cudaErrorInvalidValue;
    struct proact_error err = {""};
    uint32_t ctas = 0;
    enum proact_status status = PROACT_OK;

    if (shared_bytes <= rt_kernel_dynamic_most(k)) /* otherwise it cannot be launched */
        status = proact_kernel_occupancy(k->kernel, (uint32_t)threads, shared_bytes, &ctas,
                                         &err);

    if (status)
        return rt_error(rt, status, &err);
    *out = (int)ctas;
    return cudaSuccess;
}

enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *stub,
                                                              int threads,
                                                              size_t shared_bytes)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, occupancy(rt, out, stub, threads, shared_bytes));
}

enum cuda_error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *out, const void *stub, int threads, size_t shared_bytes, unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, stub, threads, shared_bytes);
}

enum cuda_error cudaOccupancyAvailableDynamicSMemPerBlock(size_t *out, const void *stub,
                                                          int ctas, int threads)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    enum cuda_error error = find(rt, stub, &k);

    if (!error && (ctas <= 0 || threads <= 0))
        error = cudaErrorInvalidValue;
    if (!error) {
        const struct proact_device_info d = proact_device_describe(rt->session);
        size_t each = d.shared_bytes_per_sm / (unsigned)ctas;
        size_t taken = k->info.static_shared_bytes + SHARED_RESERVED;

        each = each > taken ? each - taken : 0;
        *out = each < d.shared_bytes_per_cta - k->info.static_shared_bytes
                   ? each
                   : d.shared_bytes_per_cta - k->info.static_shared_bytes;
    }
    return rt_leave(rt, error);
}
