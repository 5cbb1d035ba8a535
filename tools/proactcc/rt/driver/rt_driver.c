/* SPDX-License-Identifier: Apache-2.0 */
/* Entry and exit of driver calls, and the current context of a thread. */
#include "rt/driver/rt_driver.h"

#include "base/memory.h"
#include "rt/driver/rt_driver_context.h"

static const struct {
    int number;
    const char *name;
} results[] = {
#define RESULT(name, number) {number, #name},
#include "rt/abi/driver_result.def"
#undef RESULT
};

static const char *name_of(int number)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].number == number)
            return results[i].name;
    return NULL;
}

/* The driver result of a runtime error. Errors known to both have equal numbers. The others
   become an invalid value or an invalid handle. */
static enum cuda_error result_of(enum cuda_error error)
{
    if (name_of((int)error))
        return error;
    return error == cudaErrorInvalidDeviceFunction ? cudaErrorInvalidResourceHandle
                                                   : cudaErrorInvalidValue;
}

struct cuda_context *driver_primary(struct rt *rt)
{
    if (!rt->primary)
        rt->primary = driver_context_create(rt, 0);
    return rt->primary;
}

struct cuda_context *driver_current(struct rt *rt)
{
    const struct rt_thread *t = rt_thread();

    if (t->context_count)
        return t->contexts[t->context_count - 1];
    return t->is_bound && rt->session ? driver_primary(rt) : NULL;
}

static enum cuda_error check(struct rt *rt, enum driver_need need)
{
    const struct cuda_context *current;

    if (rt->broken || need == DRIVER_NEVER)
        return rt->broken;
    if (!rt->session)
        return cudaErrorInitializationError;
    if (need == DRIVER_ANY)
        return cudaSuccess;
    if (!(current = driver_current(rt)))
        return cudaErrorDeviceUninitialized;
    return handle_is(&rt->handles, current, RT_CONTEXT) ? cudaSuccess
                                                        : cudaErrorContextIsDestroyed;
}

enum cuda_error driver_enter(enum driver_need need)
{
    struct rt *rt;

    rt_thread()->driver_calls++;
    if (need == DRIVER_NEVER)
        return cudaSuccess;
    rt = rt_enter_interop();
    return rt_leave_interop(check(rt, need));
}

enum cuda_error driver_leave(enum cuda_error error)
{
    rt_thread()->driver_calls--;
    return result_of(error);
}

enum cuda_error driver_begin(enum driver_need need, struct rt **out)
{
    rt_thread()->driver_calls++;
    *out = rt_enter();
    return check(*out, need);
}

enum cuda_error driver_end(struct rt *rt, enum cuda_error error)
{
    return driver_leave(rt_leave(rt, error));
}

enum cuda_error cuInit(unsigned flags)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_NEVER, &rt);

    if (!error)
        error = flags ? cudaErrorInvalidValue : rt_open(rt);
    return driver_end(rt, error);
}

enum cuda_error cuGetErrorName(int error, const char **out)
{
    *out = name_of(error);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

enum cuda_error cuGetErrorString(int error, const char **out)
{
    *out = name_of(error) ? cudaGetErrorString((enum cuda_error)error) : NULL;
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}
