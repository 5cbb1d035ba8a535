/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/kernel/cluster_launch.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "device/emulator/kernel/sm_places.h"

void cluster_of(const struct execute_kernel_info *k, const uint32_t requested[3],
                uint32_t out[3])
{
    memcpy(out, requested[0] ? requested : k->cluster, 3 * sizeof *out);
}

/* Checks the cluster against the attributes of the kernel. */
static enum proact_status check_kernel(const struct execute_kernel_info *k,
                                       const uint32_t *requested, uint64_t ctas,
                                       struct proact_error *err)
{
    if (requested[0] && k->cluster[0] &&
        memcmp(requested, k->cluster, sizeof k->cluster) != 0)
        return fail(
            err, PROACT_EINVAL,
            "kernel '%s': clusters of %u x %u x %u CTAs requested, it was built for %u x "
            "%u x %u",
            k->name, requested[0], requested[1], requested[2], k->cluster[0], k->cluster[1],
            k->cluster[2]);
    if (k->must_cluster && !ctas)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': it can be launched in clusters only, none were requested",
                    k->name);
    if (k->max_cluster && ctas > k->max_cluster)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': clusters of %" PRIu64 " CTAs requested, it was built "
                    "for %u at most",
                    k->name, ctas, k->max_cluster);
    return PROACT_OK;
}

enum proact_status cluster_check(const struct device_set *set,
                                 const struct execute_kernel_info *k,
                                 const struct device_launch *l, struct proact_error *err)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2], places;
    uint32_t c[3];

    cluster_of(k, l->cluster, c);
    uint64_t ctas = (uint64_t)c[0] * c[1] * c[2];
    enum proact_status status = check_kernel(k, l->cluster, ctas, err);

    if (status || !c[0])
        return status;
    if (!ctas || ctas > EXECUTE_CLUSTER_MAX)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': clusters of %u x %u x %u CTAs requested, 1 to %d CTAs "
                    "possible",
                    k->name, c[0], c[1], c[2], EXECUTE_CLUSTER_MAX);
    if (l->grid[0] % c[0] || l->grid[1] % c[1] || l->grid[2] % c[2])
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a grid of %u x %u x %u CTAs is no multiple of its "
                    "clusters, %u x %u x %u",
                    k->name, l->grid[0], l->grid[1], l->grid[2], c[0], c[1], c[2]);
    places = sm_places(&set->topology->device, threads,
                       (uint64_t)k->shared_bytes + l->shared_bytes);
    if (ctas > places)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a cluster of %" PRIu64
                    " CTAs does not fit on a device at once: it has room for "
                    "%" PRIu64,
                    k->name, ctas, places);
    return PROACT_OK;
}

void cluster_place(const struct kernel_run *run, uint32_t n, uint32_t id[3])
{
    const uint32_t *grid = run->launch.grid, *c = run->cluster;
    uint32_t across = grid[0] / c[0], down = grid[1] / c[1];
    uint32_t all = n / run->cluster_size, rank = n % run->cluster_size;

    id[0] = all % across * c[0] + rank % c[0];
    id[1] = all / across % down * c[1] + rank / c[0] % c[1];
    id[2] = all / across / down * c[2] + rank / c[0] / c[1];
}
