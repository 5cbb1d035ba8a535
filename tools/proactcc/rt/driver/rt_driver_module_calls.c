/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/driver/rt_driver_module.h"

static const struct driver_options no_options;

enum cuda_error cuModuleLoad(struct cuda_module **out, const char *path)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error)
        error = driver_module_load_file(rt, path, &no_options, out);
    return driver_end(rt, error);
}

enum cuda_error cuModuleLoadDataEx(struct cuda_module **out, const void *data,
                                   unsigned count, const int *options, void **values)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error)
        error = driver_module_load(rt, data, 0,
                                   &(struct driver_options){count, options, values}, out);
    return driver_end(rt, error);
}

enum cuda_error cuModuleLoadData(struct cuda_module **out, const void *data)
{
    return cuModuleLoadDataEx(out, data, 0, NULL, NULL);
}

enum cuda_error cuModuleLoadFatBinary(struct cuda_module **out, const void *data)
{
    return cuModuleLoadData(out, data);
}

enum cuda_error cuModuleUnload(struct cuda_module *m)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    return driver_end(rt, error ? error : driver_module_unload(rt, m));
}

enum cuda_error cuModuleGetFunction(struct cuda_kernel **out, struct cuda_module *m,
                                    const char *name)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    return driver_end(rt, error ? error : driver_module_kernel(rt, m, name, out));
}

enum cuda_error cuModuleGetGlobal_v2(void **out, size_t *bytes, struct cuda_module *m,
                                     const char *name)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    return driver_end(rt, error ? error : driver_module_variable(rt, m, name, out, bytes));
}

enum cuda_error cuModuleGetFunctionCount(unsigned *out, struct cuda_module *m)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error && !handle_is(&rt->handles, m, RT_MODULE))
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        *out = m->kernel_count;
    return driver_end(rt, error);
}

enum cuda_error cuModuleEnumerateFunctions(struct cuda_kernel **out, unsigned count,
                                           struct cuda_module *m)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    return driver_end(rt, error ? error : driver_module_kernels(rt, m, count, out));
}

/* Modules are read at load time. */
enum cuda_error cuModuleGetLoadingMode(int *out)
{
    enum { EAGER = 1 };
    enum cuda_error error = driver_enter(DRIVER_ANY);

    if (!error)
        *out = EAGER;
    return driver_leave(error);
}

enum cuda_error cuFuncGetModule(struct cuda_module **out, struct cuda_kernel *k)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);
    struct cuda_module *m =
        !error && rt_kernel_find(rt, k) ? driver_module_of(rt, k) : NULL;

    if (!error && !m)
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        *out = m;
    return driver_end(rt, error);
}
