/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's linker. The inputs become one PTX, which the program receives instead of a
   cubin. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rt/driver/rt_driver_module.h"

struct cuda_linking {
    struct proact_image *objects;
    size_t count, capacity;
    char *linked;
    struct driver_options options; /* borrowed from the program */
};

enum cuda_error cuLinkCreate_v2(unsigned count, const int *options, void **values,
                                struct cuda_linking **out)
{
    const struct driver_options o = {count, options, values};
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error)
        error = out ? driver_options_check(&o) : cudaErrorInvalidValue;
    if (!error) {
        *out = must_calloc(1, sizeof **out);
        (*out)->options = o;
        handle_add(&rt->handles, *out, RT_LINKING);
    }
    return driver_end(rt, error);
}

static enum cuda_error explain(const struct cuda_linking *l, enum proact_status status,
                               const struct proact_error *err)
{
    if (!status)
        return cudaSuccess;
    driver_options_write_logs(&l->options, err->text);
    return status == PROACT_EREFUSED ? cudaErrorNoKernelImageForDevice
                                     : cudaErrorInvalidPtx;
}

static enum cuda_error add(struct rt *rt, struct cuda_linking *l, int type,
                           const void *data, size_t bytes)
{
    struct rt_image image = {.next = NULL};
    struct proact_error err = {""};

    if (!handle_is(&rt->handles, l, RT_LINKING))
        return cudaErrorInvalidResourceHandle;
    if (!data || !bytes)
        return cudaErrorInvalidValue;
    if (type != DRIVER_INPUT_PTX && type != DRIVER_INPUT_FAT_BINARY) {
        rt_print(
            "cuLinkAddData(): PTX and fat binaries can be linked, and this is neither");
        return cudaErrorNoKernelImageForDevice;
    }
    enum proact_status status = driver_image_take(
        data, bytes, proact_device_describe(rt->session).compute_capability, &image, &err);

    if (status)
        return explain(l, status, &err);
    l->objects = must_grow(l->objects, l->count + 1, &l->capacity, sizeof *l->objects);
    l->objects[l->count++] = image.ptx;
    return cudaSuccess;
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cuLinkAddData_v2(struct cuda_linking *l, int type, void *data, size_t bytes,
                                 const char *name, unsigned count, const int *options,
                                 void **values)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    (void)name, (void)count, (void)options, (void)values;
    return driver_end(rt, error ? error : add(rt, l, type, data, bytes));
}

enum cuda_error cuLinkAddFile_v2(struct cuda_linking *l, int type, const char *path,
                                 unsigned count, const int *options, void **values)
{
    struct rt *rt;
    size_t bytes = 0;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);
    char *data = error ? NULL : driver_file_read(path, &bytes);

    (void)count, (void)options, (void)values;
    if (!error)
        error = data ? add(rt, l, type, data, bytes + 1) : cudaErrorFileNotFound;
    free(data);
    return driver_end(rt, error);
}

enum cuda_error cuLinkComplete(struct cuda_linking *l, void **out, size_t *bytes)
{
    struct proact_image linked = {.name = NULL};
    struct proact_error err = {""};
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error && !handle_is(&rt->handles, l, RT_LINKING))
        error = cudaErrorInvalidResourceHandle;
    if (!error && !out)
        error = cudaErrorInvalidValue;
    if (!error)
        error = explain(l, rt_link(l->objects, l->count, &linked, &err), &err);
    if (!error) {
        driver_options_write_logs(&l->options, NULL);
        free(l->linked);
        *out = l->linked = must_strndup(linked.text, linked.bytes);
        free((void *)(uintptr_t)linked.text);
        if (bytes)
            *bytes = linked.bytes + 1;
    }
    return driver_end(rt, error);
}

enum cuda_error cuLinkDestroy(struct cuda_linking *l)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error && !handle_is(&rt->handles, l, RT_LINKING))
        error = cudaErrorInvalidResourceHandle;
    if (!error) {
        handle_drop(&rt->handles, l);
        for (size_t i = 0; i < l->count; i++)
            free((void *)(uintptr_t)l->objects[i].text);
        free(l->objects);
        free(l->linked);
        free(l);
    }
    return driver_end(rt, error);
}
