/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of the driver interface. Each thread has a stack of contexts, as CUDA specifies.
   All contexts name the same device, and memory outlives the context in which it was
   allocated. */
#include <stdlib.h>

#include "rt/driver/rt_driver.h"
#include "rt/driver/rt_driver_context.h"

enum { API_VERSION = 3020 };

static enum cuda_error check_device(int device)
{
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

static enum cuda_error check_context(const struct rt *rt, const struct cuda_context *c)
{
    return handle_is(&rt->handles, c, RT_CONTEXT) ? cudaSuccess
                                                  : cudaErrorDeviceUninitialized;
}

enum cuda_error cuDevicePrimaryCtxRetain(struct cuda_context **out, int device)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error && !(error = check_device(device))) {
        rt->primary_users++;
        *out = driver_primary(rt);
    }
    return driver_end(rt, error);
}

enum cuda_error cuDevicePrimaryCtxRelease_v2(int device)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error)
        error = check_device(device);
    if (!error && !rt->primary_users)
        error = cudaErrorDeviceUninitialized;
    if (!error)
        rt->primary_users--;
    return driver_end(rt, error);
}

enum cuda_error cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error && !(error = check_device(device)))
        driver_primary(rt)->flags = flags;
    return driver_end(rt, error);
}

enum cuda_error cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error && !(error = check_device(device))) {
        *flags = driver_primary(rt)->flags;
        *is_active = rt->primary_users || rt_thread()->is_bound;
    }
    return driver_end(rt, error);
}

enum cuda_error cuDevicePrimaryCtxReset_v2(int device)
{
    enum cuda_error error = driver_enter(DRIVER_ANY);

    if (!error && !(error = check_device(device)))
        error = cudaDeviceReset();
    return driver_leave(error);
}

static enum cuda_error push(struct cuda_context *c)
{
    struct rt_thread *t = rt_thread();

    if (t->context_count == RT_CONTEXTS_MAX)
        return cudaErrorMemoryAllocation;
    t->contexts[t->context_count++] = c;
    return cudaSuccess;
}

static void pop(void)
{
    struct rt_thread *t = rt_thread();

    if (t->context_count)
        t->context_count--;
    else
        t->is_bound = false;
}

enum cuda_error cuCtxCreate_v2(struct cuda_context **out, unsigned flags, int device)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error)
        error = out ? check_device(device) : cudaErrorInvalidValue;
    if (!error) {
        struct cuda_context *c = driver_context_create(rt, flags);

        if ((error = push(c))) {
            handle_drop(&rt->handles, c);
            free(c);
        } else {
            *out = c;
        }
    }
    return driver_end(rt, error);
}

enum cuda_error cuCtxCreate_v3(struct cuda_context **out, const void *affinity, int count,
                               unsigned flags, int device)
{
    if (affinity && count) {
        rt_print("cuCtxCreate(): contexts on a subset of the SMs are not supported");
        return cudaErrorNotSupported;
    }
    return cuCtxCreate_v2(out, flags, device);
}

enum cuda_error cuCtxCreate_v4(struct cuda_context **out, const void *how, unsigned flags,
                               int device)
{
    const struct {
        const void *affinity;
        int count;
        const void *graphics;
    } *const params = how;

    if (params && params->graphics) {
        rt_print("cuCtxCreate(): contexts with graphics are not supported");
        return cudaErrorNotSupported;
    }
    return cuCtxCreate_v3(out, params ? params->affinity : NULL, params ? params->count : 0,
                          flags, device);
}

enum cuda_error cuCtxDestroy_v2(struct cuda_context *c)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error)
        error = check_context(rt, c);
    if (!error && c == rt->primary)
        error = cudaErrorDeviceUninitialized;
    if (!error) {
        error = rt_wait(rt);
        if (driver_current(rt) == c)
            pop();
        handle_drop(&rt->handles, c);
        free(c);
    }
    return driver_end(rt, error);
}

/* Deprecated reference counting: the last detach destroys the context. */
enum cuda_error cuCtxAttach(struct cuda_context **out, unsigned flags)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error && (!out || flags))
        error = cudaErrorInvalidValue;
    if (!error) {
        *out = driver_current(rt);
        (*out)->attached++;
    }
    return driver_end(rt, error);
}

enum cuda_error cuCtxDetach(struct cuda_context *c)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);
    bool is_last = false;

    if (!error)
        error = c == driver_current(rt) ? cudaSuccess : cudaErrorDeviceUninitialized;
    if (!error && !(is_last = !c->attached))
        c->attached--;
    error = driver_end(rt, error);
    return is_last ? cuCtxDestroy_v2(c) : error;
}

enum cuda_error cuCtxPushCurrent_v2(struct cuda_context *c)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error && !(error = check_context(rt, c)))
        error = push(c);
    return driver_end(rt, error);
}

enum cuda_error cuCtxPopCurrent_v2(struct cuda_context **out)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error) {
        if (out)
            *out = driver_current(rt);
        pop();
    }
    return driver_end(rt, error);
}

enum cuda_error cuCtxSetCurrent(struct cuda_context *c)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error && c)
        error = check_context(rt, c);
    if (!error) {
        pop();
        if (c)
            error = push(c);
    }
    return driver_end(rt, error);
}

enum cuda_error cuCtxGetCurrent(struct cuda_context **out)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error)
        *out = driver_current(rt);
    return driver_end(rt, error);
}

enum cuda_error cuCtxGetDevice(int *out)
{
    enum cuda_error error = driver_enter(DRIVER_CONTEXT);

    if (!error)
        *out = 0;
    return driver_leave(error);
}

/* The named context, or the thread's current one. */
static enum cuda_error find(struct cuda_context *c, struct cuda_context *out)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(c ? DRIVER_ANY : DRIVER_CONTEXT, &rt);

    if (!error && c)
        error = check_context(rt, c);
    if (!error)
        *out = c ? *c : *driver_current(rt);
    return driver_end(rt, error);
}

enum cuda_error cuCtxGetDevice_v2(int *out, struct cuda_context *c)
{
    struct cuda_context found = {0, 0, 0};
    enum cuda_error error = find(c, &found);

    if (!error)
        *out = 0;
    return error;
}

enum cuda_error cuCtxGetFlags(unsigned *flags)
{
    struct cuda_context found = {0, 0, 0};
    enum cuda_error error = find(NULL, &found);

    if (!error)
        *flags = found.flags;
    return error;
}

enum cuda_error cuCtxSetFlags(unsigned flags)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error)
        driver_current(rt)->flags = flags;
    return driver_end(rt, error);
}

enum cuda_error cuCtxGetId(struct cuda_context *c, unsigned long long *id)
{
    struct cuda_context found = {0, 0, 0};
    enum cuda_error error = find(c, &found);

    if (!error)
        *id = found.id;
    return error;
}

enum cuda_error cuCtxGetApiVersion(struct cuda_context *c, unsigned *version)
{
    struct cuda_context found = {0, 0, 0};
    enum cuda_error error = find(c, &found);

    if (!error)
        *version = API_VERSION;
    return error;
}

enum cuda_error cuCtxSynchronize_v2(struct cuda_context *c)
{
    struct cuda_context found = {0, 0, 0};
    enum cuda_error error = find(c, &found);

    return error ? error : cuCtxSynchronize();
}

enum cuda_error cuStreamGetCtx(struct cuda_stream *s, struct cuda_context **out)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error && !(error = rt_stream_check(rt, s)))
        *out = driver_current(rt);
    return driver_end(rt, error);
}

enum cuda_error cuStreamGetCtx_v2(struct cuda_stream *s, struct cuda_context **out,
                                  void **green)
{
    *green = NULL;
    return cuStreamGetCtx(s, out);
}
