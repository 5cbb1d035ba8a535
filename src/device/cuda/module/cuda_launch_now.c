/* SPDX-License-Identifier: Apache-2.0 */
/* Driver call of a launch, made on any thread, and the message for its result. */
#include "base/fail.h"
#include "device/cuda/cuda_set.h"

/* Writes the attributes of the launch and returns their number. */
static unsigned attributes_of(struct device_stream *s, const struct device_function *f,
                              const struct device_launch *l,
                              struct cu_launch_attribute out[4])
{
    unsigned count = 0;

    if (l->is_cooperative)
        out[count++] = (struct cu_launch_attribute){.what = CU_LAUNCH_COOPERATIVE,
                                                    .value.cooperative = 1};
    else
        count = cuda_overlap_attribute(s, f->waits, out);
    if (l->is_urgent && s->set->driver.launch_with)
        out[count++] = (struct cu_launch_attribute){.what = CU_LAUNCH_PRIORITY,
                                                    .value.priority =
                                                        s->set->devices[s->device].highest};
    if (l->cluster[0])
        out[count++] = (struct cu_launch_attribute){
            .what = CU_LAUNCH_CLUSTER,
            .value.cluster = {l->cluster[0], l->cluster[1], l->cluster[2]}};
    return count;
}

static cu_result call(struct device_stream *s, const struct device_function *f,
                      const struct device_launch *l)
{
    const struct driver *v = &s->set->driver;
    size_t bytes = l->parameter_bytes;
    void *given[] = {CU_LAUNCH_BUFFER, (void *)(uintptr_t)l->parameters,
                     CU_LAUNCH_BUFFER_BYTES, &bytes, CU_LAUNCH_END};
    void **extra = bytes ? given : NULL;
    struct cu_launch_attribute attributes[4];
    struct cu_launch_config config = {.grid = {l->grid[0], l->grid[1], l->grid[2]},
                                      .block = {l->block[0], l->block[1], l->block[2]},
                                      .shared_bytes = l->shared_bytes,
                                      .stream = s->stream,
                                      .attributes = attributes};

    config.attribute_count = attributes_of(s, f, l, attributes);
    if (config.attribute_count)
        return v->launch_with(&config, f->function, NULL, extra);
    return v->launch(f->function, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                     l->block[1], l->block[2], l->shared_bytes, s->stream, NULL, extra);
}

/* Launches the kernel. Clusters of non-portable size are permitted first, also those of the
   kernel's PTX. */
cu_result cuda_launch_now(struct device_stream *s, const struct device_function *f,
                          const struct device_launch *l)
{
    cu_result result = call(s, f, l);

    if (result == CU_INVALID_CLUSTER_SIZE &&
        !s->set->driver.function_set(f->function, CU_LARGE_CLUSTERS, 1))
        result = call(s, f, l);
    return result;
}

enum proact_status cuda_launch_result(struct device_stream *s,
                                      const struct device_function *f,
                                      const struct device_launch *l, cu_result result,
                                      struct proact_error *err)
{
    enum proact_status status = cuda_result(s->set, s->device, result, f->name, err);

    if (result == CU_COOPERATIVE_TOO_LARGE)
        return fail(
            err, PROACT_EINVAL,
            "kernel '%s': %u x %u x %u CTAs, launched cooperatively, do not all fit "
            "on device %u at once",
            f->name, l->grid[0], l->grid[1], l->grid[2], s->device);
    if (result == CU_INVALID_CLUSTER_SIZE)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': a grid of %u x %u x %u CTAs cannot run in clusters of "
                    "%u x %u x %u (0: as it was built) on device %u",
                    f->name, l->grid[0], l->grid[1], l->grid[2], l->cluster[0],
                    l->cluster[1], l->cluster[2], s->device);
    /* Drivers before 12.4 cannot report the size of the parameters. */
    if (result == CU_INVALID_VALUE && f->parameter_bytes == SIZE_MAX)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': the driver refuses %zu bytes of parameters, or the grid",
                    f->name, l->parameter_bytes);
    return status;
}
