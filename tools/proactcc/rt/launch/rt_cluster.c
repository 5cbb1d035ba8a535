/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of CTAs: the cluster size of a launch, and the number of clusters that fit on a
   device. */
#include "rt/launch/rt_cluster.h"

#include <string.h>

#include "rt/abi/cuda_calls.h"

enum { EVERYWHERE = 8, AT_MOST = 16, CAPABILITY = 90 };

static uint64_t product(const uint32_t c[3])
{
    return (uint64_t)c[0] * c[1] * c[2];
}

const uint32_t *rt_cluster_required(const struct cuda_kernel *k)
{
    return k->info.cluster_ctas[0] ? k->info.cluster_ctas : k->required_cluster;
}

bool rt_in_clusters(const struct cuda_kernel *k, const struct proact_grid *grid)
{
    return product(grid->cluster_ctas) > 1 || product(k->info.cluster_ctas) > 1;
}

/* Resident CTAs of device 0. */
static enum cuda_error places(struct rt *rt, const struct cuda_kernel *k,
                              const struct proact_grid *grid, uint64_t *out)
{
    struct proact_error err = {""};
    uint32_t each = 0;
    enum proact_status status = proact_kernel_occupancy(
        k->kernel, grid->threads[0] * grid->threads[1] * grid->threads[2],
        grid->dynamic_shared_bytes, &each, &err);

    if (status)
        return rt_error(rt, status, &err);
    *out = (uint64_t)each * proact_device_describe(rt->session).sm_count;
    return cudaSuccess;
}

static uint64_t largest(const struct cuda_kernel *k)
{
    uint64_t most = k->has_large_clusters ? AT_MOST : EVERYWHERE;

    return k->info.max_cluster_ctas && k->info.max_cluster_ctas < most
               ? k->info.max_cluster_ctas
               : most;
}

enum cuda_error rt_cluster_settle(const struct cuda_kernel *k, struct proact_grid *grid)
{
    const uint32_t *required = rt_cluster_required(k), *c = grid->cluster_ctas;
    bool requested = c[0] || c[1] || c[2];

    if (requested && required[0] && memcmp(c, required, sizeof grid->cluster_ctas) != 0)
        return cudaErrorInvalidClusterSize;
    if (!requested && !required[0])
        return k->must_cluster || k->info.requires_cluster ? cudaErrorInvalidClusterSize
                                                           : cudaSuccess;
    if (!requested)
        c = required;
    if (!product(c) || product(c) > largest(k))
        return cudaErrorInvalidClusterSize;
    for (int i = 0; i < 3; i++)
        if (grid->ctas[i] % c[i])
            return cudaErrorInvalidClusterSize;
    if (!requested && !k->info.cluster_ctas[0])
        memcpy(grid->cluster_ctas, required, sizeof grid->cluster_ctas);
    return cudaSuccess;
}

enum cuda_error rt_cluster_set(struct cuda_kernel *k, int attribute, int value)
{
    enum { MUST_BE_SET = 10, WIDTH = 11, DEPTH = 13, NON_PORTABLE = 14 };

    if (attribute < MUST_BE_SET || attribute > NON_PORTABLE)
        return cudaErrorNotSupported;
    if (value < 0)
        return cudaErrorInvalidValue;
    if (attribute == MUST_BE_SET)
        k->must_cluster = value;
    else if (attribute == NON_PORTABLE)
        k->has_large_clusters = value;
    else if (k->info.cluster_ctas[0])
        return cudaErrorNotPermitted;
    else
        k->required_cluster[attribute - WIDTH] = (uint32_t)value;
    return cudaSuccess;
}

static enum cuda_error find(struct rt *rt, const void *stub,
                            const struct cuda_launch_config *config, const char *call,
                            struct cuda_kernel **out, struct proact_grid *grid)
{
    enum cuda_error error = rt_open(rt);

    if (error ||
        (error = config ? rt_config_read(config, call, grid) : cudaErrorInvalidValue))
        return error;
    if (!(*out = rt_kernel_find(rt, stub)))
        return rt_kernel_unknown(stub);
    return rt_kernel_load(rt, *out);
}

enum cuda_error cudaOccupancyMaxPotentialClusterSize(
    int *out, const void *stub, const struct cuda_launch_config *config)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    struct proact_grid grid = {.ctas = {0}};
    enum cuda_error error =
        find(rt, stub, config, "cudaOccupancyMaxPotentialClusterSize", &k, &grid);

    uint64_t fit = 0;

    if (error || (error = places(rt, k, &grid, &fit)))
        return rt_leave(rt, error);
    uint64_t most = largest(k);

    if (proact_device_describe(rt->session).compute_capability < CAPABILITY)
        most = 1;
    if (product(rt_cluster_required(k)))
        most = product(rt_cluster_required(k));
    else if (fit < most)
        most = fit;
    *out = (int)most;
    return rt_leave(rt, cudaSuccess);
}

/* An upper bound: the hardware restricts which SMs form a cluster. */
enum cuda_error cudaOccupancyMaxActiveClusters(int *out, const void *stub,
                                               const struct cuda_launch_config *config)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = NULL;
    struct proact_grid grid = {.ctas = {0}};
    enum cuda_error error =
        find(rt, stub, config, "cudaOccupancyMaxActiveClusters", &k, &grid);

    if (error || (error = rt_cluster_settle(k, &grid)))
        return rt_leave(rt, error);
    uint64_t size =
        product(product(grid.cluster_ctas) ? grid.cluster_ctas : rt_cluster_required(k));

    uint64_t fit = 0;

    if (!size)
        return rt_leave(rt, cudaErrorInvalidClusterSize);
    if (!(error = places(rt, k, &grid, &fit)))
        *out = (int)(fit / size);
    return rt_leave(rt, error);
}
