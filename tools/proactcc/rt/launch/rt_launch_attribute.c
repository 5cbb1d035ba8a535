/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "rt/launch/rt_cluster.h"

bool rt_is_hint(int attribute)
{
    /* By number: ignored; access policy; synchronization policy; cluster scheduling;
       programmatic stream serialization, which permits an early start; priority; memory
       synchronization domain map; memory synchronization domain; shared memory carveout;
       NVLink use. */
    static const int hints[] = {0, 1, 3, 5, 6, 8, 9, 10, 14, 16};

    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (attribute == hints[i])
            return true;
    return false;
}

enum cuda_error rt_config_read(const struct cuda_launch_config *config, const char *call,
                               struct proact_grid *out)
{
    const struct cuda_dim3 *grid = &config->grid, *block = &config->block;

    if (config->shared_bytes > UINT32_MAX)
        return cudaErrorInvalidValue;
    *out = (struct proact_grid){.ctas = {grid->x, grid->y, grid->z},
                                .threads = {block->x, block->y, block->z},
                                .dynamic_shared_bytes = (uint32_t)config->shared_bytes};
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const struct cuda_launch_attribute *a = &config->attributes[i];
        int value;

        memcpy(&value, a->value, sizeof value);
        if (a->id == RT_COOPERATIVE) {
            out->is_cooperative = value != 0;
        } else if (a->id == RT_CLUSTER) {
            memcpy(out->cluster_ctas, a->value, sizeof out->cluster_ctas);
        } else if (!rt_is_hint(a->id)) {
            rt_print("%s(): launch attribute %d is not supported", call, a->id);
            return cudaErrorNotSupported;
        }
    }
    return cudaSuccess;
}
