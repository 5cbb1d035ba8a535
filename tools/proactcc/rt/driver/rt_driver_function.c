/* SPDX-License-Identifier: Apache-2.0 */
/* Properties and occupancy of functions. */
#include "rt/driver/rt_driver.h"

struct cuda_launch_config driver_config(const struct driver_launch *l)
{
    return (struct cuda_launch_config){.grid = {l->grid[0], l->grid[1], l->grid[2]},
                                       .block = {l->block[0], l->block[1], l->block[2]},
                                       .shared_bytes = l->shared_bytes,
                                       .stream = l->stream,
                                       .attributes = l->attributes,
                                       .attribute_count = l->attribute_count};
}

/* An attribute by its number. */
static enum cuda_error pick(const struct cuda_function_attributes *a, int attribute,
                            int *out)
{
    const int values[] = {
        a->max_threads,        (int)a->shared_bytes,   (int)a->const_bytes,
        (int)a->local_bytes,   a->registers,           a->ptx_version,
        a->binary_version,     a->cache_mode_ca,       a->max_dynamic_shared_bytes,
        a->preferred_carveout, a->cluster_must_be_set, a->cluster[0],
        a->cluster[1],         a->cluster[2],          a->non_portable_cluster,
        a->cluster_policy};

    if (attribute < 0 || attribute >= (int)(sizeof values / sizeof *values))
        return cudaErrorInvalidValue;
    *out = values[attribute];
    return cudaSuccess;
}

enum cuda_error cuFuncGetAttribute(int *out, int attribute, struct cuda_kernel *k)
{
    struct cuda_function_attributes a;
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error && !(error = cudaFuncGetAttributes(&a, k)))
        error = pick(&a, attribute, out);
    return driver_leave(error);
}

enum cuda_error cuKernelGetAttribute(int *out, int attribute, struct cuda_kernel *k,
                                     int device)
{
    (void)device;
    return cuFuncGetAttribute(out, attribute, k);
}

/* Functions load on first use, which a program cannot observe; the answer is always yes. */
enum cuda_error cuFuncIsLoaded(int *out, struct cuda_kernel *k)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error && !rt_kernel_find(rt, k))
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        *out = 1;
    return driver_end(rt, error);
}

/* The block size with the most threads per SM; among equals, the largest. */
static enum cuda_error search(int *grid, int *block, struct cuda_kernel *k,
                              size_t (*shared_of)(int), size_t shared_bytes, int limit)
{
    enum { WARP = 32 };
    struct cuda_function_attributes a;
    struct cuda_device_properties p;
    int most = 0, best = 0, best_ctas = 0;
    enum cuda_error error;

    if ((error = cudaFuncGetAttributes(&a, k)) || (error = cudaGetDeviceProperties(&p, 0)))
        return error;
    const int top = limit > 0 && limit < a.max_threads ? limit : a.max_threads;

    for (int threads = (top + WARP - 1) / WARP * WARP; threads > 0; threads -= WARP) {
        const int tried = threads < top ? threads : top;
        int ctas = 0;

        if ((error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                 &ctas, k, tried, shared_of ? shared_of(tried) : shared_bytes)))
            return error;
        if (ctas * tried > most) {
            most = ctas * tried;
            best = tried;
            best_ctas = ctas;
        }
    }
    *grid = best_ctas * p.sm_count;
    *block = best;
    return cudaSuccess;
}

enum cuda_error cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                                 struct cuda_kernel *k,
                                                 size_t (*shared_of)(int),
                                                 size_t shared_bytes, int limit)
{
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error)
        error = search(grid, block, k, shared_of, shared_bytes, limit);
    return driver_leave(error);
}

enum cuda_error cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                          struct cuda_kernel *k,
                                                          size_t (*shared_of)(int),
                                                          size_t shared_bytes, int limit,
                                                          unsigned flags)
{
    (void)flags;
    return cuOccupancyMaxPotentialBlockSize(grid, block, k, shared_of, shared_bytes, limit);
}

enum cuda_error cuOccupancyMaxPotentialClusterSize(int *out, struct cuda_kernel *k,
                                                   const struct driver_launch *launch)
{
    const struct cuda_launch_config config = driver_config(launch);
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    return driver_leave(error ? error
                              : cudaOccupancyMaxPotentialClusterSize(out, k, &config));
}

enum cuda_error cuOccupancyMaxActiveClusters(int *out, struct cuda_kernel *k,
                                             const struct driver_launch *launch)
{
    const struct cuda_launch_config config = driver_config(launch);
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    return driver_leave(error ? error : cudaOccupancyMaxActiveClusters(out, k, &config));
}
