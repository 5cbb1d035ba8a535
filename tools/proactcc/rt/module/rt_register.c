/* SPDX-License-Identifier: Apache-2.0 */
/* Registration of images, kernels and variables by nvcc's stubs before main(). Nothing is
   read before its first use. */
#include <stdlib.h>

#include "base/memory.h"
#include "rt/abi/cuda_calls.h"
#include "rt/rt.h"

void **__cudaRegisterFatBinary(void *binary)
{
    struct rt *rt = rt_enter();
    struct rt_image *image = must_calloc(1, sizeof *image);

    image->binary = binary;
    image->next = rt->images;
    rt->images = image;
    rt_leave(rt, cudaSuccess);
    return (void **)image;
}

void __cudaRegisterFatBinaryEnd(void **image)
{
    (void)image;
}

void __cudaUnregisterFatBinary(void **image)
{
    (void)image; /* at exit, or at the end of an unused library */
}

/* NOLINTNEXTLINE(readability-function-size): the stubs have it so */
void __cudaRegisterFunction(void **image, const char *stub, char *device_stub,
                            const char *name, int thread_limit, void *tid, void *bid,
                            void *block, void *grid, int *warp_size)
{
    struct rt *rt = rt_enter();
    struct cuda_kernel *k = must_calloc(1, sizeof *k);

    (void)device_stub, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid,
        (void)warp_size;
    *k = (struct cuda_kernel){.next = rt->kernels,
                              .stub = stub,
                              .name = must_strdup(name),
                              .image = (struct rt_image *)image};
    rt->kernels = k;
    rt_leave(rt, cudaSuccess);
}

static void add_variable(const struct rt_variable *v)
{
    struct rt *rt = rt_enter();
    struct rt_variable *added = must_calloc(1, sizeof *added);

    *added = *v;
    added->next = rt->variables;
    rt->variables = added;
    rt_leave(rt, cudaSuccess);
}

void __cudaRegisterVar(void **image, char *shadow, char *device_name, const char *name,
                       int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)device_name, (void)is_extern, (void)is_constant, (void)is_global;
    add_variable(&(struct rt_variable){.shadow = shadow,
                                       .name = must_strdup(name),
                                       .bytes = bytes,
                                       .image = (struct rt_image *)image});
}

void __cudaRegisterManagedVar(void **image, void **shadow, char *device_name,
                              const char *name, int is_extern, size_t bytes,
                              int is_constant, int is_global)
{
    (void)device_name, (void)is_extern, (void)is_constant, (void)is_global;
    add_variable(&(struct rt_variable){.shadow = shadow,
                                       .managed = shadow,
                                       .name = must_strdup(name),
                                       .bytes = bytes,
                                       .image = (struct rt_image *)image});
}

void __cudaRegisterHostVar(void **image, const char *name, char *variable, size_t bytes)
{
    (void)image, (void)name, (void)variable, (void)bytes;
}

/* Called before the first access to a managed variable. */
char __cudaInitModule(void **image)
{
    struct rt *rt = rt_enter();

    (void)image;
    return rt_leave(rt, rt_managed_place(rt)) == cudaSuccess;
}

struct cuda_kernel *rt_kernel_find(struct rt *rt, const void *stub_or_handle)
{
    for (struct cuda_kernel *k = rt->kernels; k; k = k->next)
        if (!k->is_gone && (k->stub == stub_or_handle || k == stub_or_handle))
            return k;
    return NULL;
}

/* CUDA 13 on a GPU; its documentation states cudaErrorInvalidDeviceFunction for both. */
enum cuda_error rt_kernel_unknown(const void *stub)
{
    return stub ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

static enum cuda_error load(struct rt *rt, struct cuda_kernel *k)
{
    struct proact_error err = {""};
    enum proact_status status;
    enum cuda_error error;

    if ((error = rt_image_search(rt, k->image)) || (error = rt_managed_place(rt)))
        return error;
    status = proact_kernel_load(rt->session, &k->image->ptx, k->name, &k->kernel, &err);
    if (status)
        return rt_break(
            rt, status == PROACT_EREFUSED ? cudaErrorNotSupported : cudaErrorInvalidPtx,
            err.text);
    k->info = proact_kernel_describe(k->kernel);
    return cudaSuccess;
}

enum cuda_error rt_kernel_load(struct rt *rt, struct cuda_kernel *k)
{
    enum cuda_error error = rt_open(rt);

    return error || k->kernel ? error : load(rt, k);
}

struct rt_variable *rt_variable_find(struct rt *rt, const void *shadow)
{
    for (struct rt_variable *v = rt->variables; v; v = v->next)
        if (v->shadow == shadow || (v->managed && v->place.bytes && *v->managed == shadow))
            return v;
    return NULL;
}

static struct rt_range *variable_range(struct rt *rt, const struct proact_variable *v,
                                       enum rt_kind kind)
{
    struct rt_range *range = range_find(&rt->ranges, v->address[0]);

    if (!range)
        range = range_add(&rt->ranges, &(struct rt_range){.first = v->address[0],
                                                          .bytes = v->bytes,
                                                          .array = v->array,
                                                          .is_shown = true});
    range->kind = kind;
    return range;
}

static void add_range(struct rt *rt, const struct rt_variable *v)
{
    variable_range(rt, &v->place, v->managed ? RT_MANAGED : RT_VARIABLE);
}

struct rt_range *rt_range_of(struct rt *rt, const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct rt_range *range = range_find(&rt->ranges, address);
    struct proact_variable v;

    if (range || !address || !rt->session || !proact_variable_at(rt->session, address, &v))
        return range;
    return variable_range(rt, &v, RT_VARIABLE);
}

enum cuda_error rt_variable_load(struct rt *rt, struct rt_variable *v)
{
    struct proact_error err = {""};
    enum cuda_error error = rt_open(rt);

    if (error || v->place.bytes || (error = rt_image_search(rt, v->image)))
        return error;
    error = rt_error(
        rt, proact_variable_find(rt->session, &v->image->ptx, v->name, &v->place, &err),
        &err);

    if (!error)
        add_range(rt, v);
    return error;
}

enum cuda_error rt_variable_give(struct rt *rt, struct rt_variable *v)
{
    struct proact_error err = {""};
    const uint64_t before = v->place.address[0];
    enum cuda_error error = rt_error(
        rt, proact_variable_export(rt->session, &v->image->ptx, v->name, &v->place, &err),
        &err);

    if (!error && v->place.address[0] != before) {
        range_remove(&rt->ranges, range_find(&rt->ranges, before));
        add_range(rt, v);
    }
    return error;
}

enum cuda_error rt_managed_place(struct rt *rt)
{
    enum cuda_error error = rt->broken;

    for (struct rt_variable *v = rt->variables; v && !error; v = v->next)
        if (v->managed && !v->place.bytes && !(error = rt_variable_load(rt, v)))
            *v->managed = (void *)(uintptr_t)v->place.address[0];
    return error;
}
