/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of the driver interface: modules that need no context and whose kernels are
   functions at once. */
#include "rt/driver/rt_driver_module.h"

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cuLibraryLoadData(struct cuda_module **out, const void *data,
                                  const int *jit_options, void **jit_values,
                                  unsigned jit_count, const int *options, void **values,
                                  unsigned count)
{
    const struct driver_options o = {jit_count, jit_options, jit_values};
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    (void)options, (void)values, (void)count;
    return driver_end(rt, error ? error : driver_module_load(rt, data, 0, &o, out));
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cuLibraryLoadFromFile(struct cuda_module **out, const char *path,
                                      const int *jit_options, void **jit_values,
                                      unsigned jit_count, const int *options, void **values,
                                      unsigned count)
{
    const struct driver_options o = {jit_count, jit_options, jit_values};
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    (void)options, (void)values, (void)count;
    return driver_end(rt, error ? error : driver_module_load_file(rt, path, &o, out));
}

enum cuda_error cuLibraryUnload(struct cuda_module *m)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    return driver_end(rt, error ? error : driver_module_unload(rt, m));
}

enum cuda_error cuLibraryGetKernel(struct cuda_kernel **out, struct cuda_module *m,
                                   const char *name)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    return driver_end(rt, error ? error : driver_module_kernel(rt, m, name, out));
}

static enum cuda_error find(struct cuda_module *m, struct cuda_module **out)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    if (!error && !handle_is(&rt->handles, m, RT_MODULE))
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        *out = m;
    return driver_end(rt, error);
}

enum cuda_error cuLibraryGetKernelCount(unsigned *out, struct cuda_module *m)
{
    enum cuda_error error = find(m, &m);

    if (!error)
        *out = m->kernel_count;
    return error;
}

enum cuda_error cuLibraryEnumerateKernels(struct cuda_kernel **out, unsigned count,
                                          struct cuda_module *m)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    return driver_end(rt, error ? error : driver_module_kernels(rt, m, count, out));
}

enum cuda_error cuLibraryGetModule(struct cuda_module **out, struct cuda_module *m)
{
    return find(m, out);
}

enum cuda_error cuLibraryGetGlobal(void **out, size_t *bytes, struct cuda_module *m,
                                   const char *name)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_ANY, &rt);

    return driver_end(rt, error ? error : driver_module_variable(rt, m, name, out, bytes));
}

enum cuda_error cuKernelGetFunction(struct cuda_kernel **out, struct cuda_kernel *k)
{
    struct rt *rt;
    enum cuda_error error = driver_begin(DRIVER_CONTEXT, &rt);

    if (!error && !rt_kernel_find(rt, k))
        error = cudaErrorInvalidResourceHandle;
    if (!error)
        *out = rt_kernel_find(rt, k);
    return driver_end(rt, error);
}

enum cuda_error cuKernelGetLibrary(struct cuda_module **out, struct cuda_kernel *k)
{
    return cuFuncGetModule(out, k);
}
