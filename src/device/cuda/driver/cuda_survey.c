/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/driver/cuda_survey.h"

#include <string.h>

#include "base/fail.h"
#include "device/cuda/driver/driver.h"

/* Value of an attribute; 0: unknown to the driver. */
static int attribute(const struct driver *v, cu_device device, cu_device_attribute what)
{
    int value = 0;

    return v->device_attribute(&value, what, device) ? 0 : value;
}

static void survey_device(const struct driver *v, unsigned number, struct cuda_survey *s)
{
    struct cuda_survey_device *out = &s->device[number];
    size_t bytes = 0;
    cu_device device, peer;

    if (v->device_get(&device, (int)number))
        return;
    v->device_name(out->name, sizeof out->name, device);
    v->device_memory(&bytes, device);
    out->memory_bytes = bytes;
    out->capability = (unsigned)(attribute(v, device, CU_CAPABILITY_MAJOR) * 10 +
                                 attribute(v, device, CU_CAPABILITY_MINOR));
    int mode = attribute(v, device, CU_COMPUTE_MODE);

    out->mode = mode == CU_MODE_PROHIBITED  ? CUDA_MODE_PROHIBITED
                : mode == CU_MODE_EXCLUSIVE ? CUDA_MODE_EXCLUSIVE
                                            : CUDA_MODE_SHARED;
    out->has_multicast = attribute(v, device, CU_MULTICAST) != 0;
    out->maps_memory = attribute(v, device, CU_MEMORY_MAPPING) != 0;
    for (unsigned p = 0; p < s->count; p++) {
        int can = 0;

        if (p != number && !v->device_get(&peer, (int)p) &&
            !v->can_access_peer(&can, device, peer))
            out->reaches[p] = can != 0;
    }
}

enum proact_status cuda_survey(struct cuda_survey *out, struct proact_error *err)
{
    struct proact_error failure = {""};
    struct driver v;
    int count = 0;

    *out = (struct cuda_survey){.queues = driver_queues()};
    enum proact_status status = driver_load(&v, &failure);

    out->is_absent = !v.library && strstr(failure.text, "No such file") != NULL;
    if (status)
        return fail(err, status, "%s", failure.text);
    out->is_loaded = true;
    out->loads_whole_modules =
        v.module_function_count && v.module_functions && v.function_load;
    v.version(&out->version);
    if ((status = driver_start(&v, &out->refused, err)))
        return status;
    if ((out->refused = v.device_count(&count)))
        return fail(err, PROACT_ENODEV, "the CUDA driver cannot count the devices: %s",
                    driver_words(&v, out->refused).text);
    out->count = (unsigned)(count < TOPOLOGY_DEVICES_MAX ? count : TOPOLOGY_DEVICES_MAX);
    for (unsigned d = 0; d < out->count; d++)
        survey_device(&v, d, out);
    return PROACT_OK;
}

unsigned cuda_survey_ptx(int driver_version)
{
    static const struct {
        int driver;
        unsigned ptx;
    } newest[] = {{13010, 91}, {13000, 90}, {12090, 88}, {12080, 87}, {12070, 86},
                  {12050, 85}, {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81},
                  {12000, 80}, {11080, 78}, {11070, 77}};

    for (size_t i = 0; i < sizeof newest / sizeof newest[0]; i++)
        if (driver_version >= newest[i].driver)
            return newest[i].ptx;
    return 0;
}
