/* SPDX-License-Identifier: Apache-2.0 */
/* Local GPUs as a topology. Values unknown to the driver stay 0; times and rates of links
   are measured (`proact topo`). */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "device/cuda/cuda_set.h"

static cu_result read_device(const struct driver *v, cu_device device,
                             struct topology_device *t)
{
    int value[13] = {0};
    static const int wanted[13] = {
        CU_CAPABILITY_MAJOR, CU_CAPABILITY_MINOR, CU_SM_COUNT,          CU_CLOCK_KHZ,
        CU_THREADS_PER_SM,   CU_BLOCKS_PER_SM,    CU_THREADS_PER_BLOCK, CU_SHARED_PER_SM,
        CU_SHARED_PER_BLOCK, CU_L2_BYTES,         CU_MEMORY_CLOCK_KHZ,  CU_MEMORY_BUS_BITS,
        CU_MEMORY_MAPPING};
    size_t bytes = 0;
    cu_result result = v->device_name(t->name, sizeof t->name, device);

    for (size_t i = 0; i < 13 && !result; i++)
        result = v->device_attribute(&value[i], wanted[i], device);
    if (!result)
        result = v->device_memory(&bytes, device);
    t->capability = (unsigned)(value[0] * 10 + value[1]);
    t->sm_count = (unsigned)value[2];
    t->clock_ghz = value[3] / 1e6;
    t->threads_per_sm = (unsigned)value[4];
    t->ctas_per_sm = (unsigned)value[5];
    t->threads_per_cta = (unsigned)value[6];
    t->shared_bytes_per_sm = (uint64_t)value[7];
    t->shared_bytes_per_cta = (uint64_t)value[8];
    t->l2_bytes = (uint64_t)value[9];
    t->memory_gbps = 2.0 * value[10] * value[11] / 8 / 1e6; /* two transfers per cycle */
    t->memory_bytes = bytes;
    return result;
}

static cu_result read_devices(const struct driver *v, struct topology *t)
{
    cu_device device;
    int count = 0;
    cu_result result = v->device_count(&count);

    t->device_count =
        (unsigned)(count < TOPOLOGY_DEVICES_MAX ? count : TOPOLOGY_DEVICES_MAX);
    for (unsigned d = 0; d < t->device_count && !result; d++) {
        struct topology_device one = {.capability = 0};

        if (!(result = v->device_get(&device, (int)d)))
            result = read_device(v, device, &one);
        if (d == 0)
            t->device = one;
        else if (strcmp(one.name, t->device.name) != 0)
            t->device_count = d; /* a machine has devices of one kind: the first ones */
    }
    return result;
}

enum proact_status cuda_find(struct topology *out, struct proact_error *err)
{
    struct topology t = {.name = "local", .source = "the CUDA driver"};
    struct driver v;
    enum proact_status status = driver_open(&v, err);

    if (status)
        return status;
    cu_result result = read_devices(&v, &t);

    if (result || !t.device_count)
        return fail(err, PROACT_ENODEV, "the CUDA driver finds no device%s%s",
                    result ? ": " : "", result ? driver_words(&v, result).text : "");
    snprintf(t.description, sizeof t.description, "%u x %s, of this computer",
             t.device_count, t.device.name);
    *out = t;
    return PROACT_OK;
}
