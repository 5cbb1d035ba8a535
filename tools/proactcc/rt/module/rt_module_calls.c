/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that a program loads through the runtime, which are the driver's libraries. */
#include "rt/abi/cuda_calls.h"
#include "rt/driver/rt_driver_module.h"

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cudaLibraryLoadData(struct cuda_module **out, const void *data,
                                    const int *jit_options, void **jit_values,
                                    unsigned jit_count, const int *options, void **values,
                                    unsigned count)
{
    const struct driver_options o = {jit_count, jit_options, jit_values};
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    (void)options, (void)values, (void)count;
    return rt_leave(rt, error ? error : driver_module_load(rt, data, 0, &o, out));
}

/* NOLINTNEXTLINE(readability-function-size): the interface has it so */
enum cuda_error cudaLibraryLoadFromFile(struct cuda_module **out, const char *path,
                                        const int *jit_options, void **jit_values,
                                        unsigned jit_count, const int *options,
                                        void **values, unsigned count)
{
    const struct driver_options o = {jit_count, jit_options, jit_values};
    struct rt *rt = rt_enter();
    enum cuda_error error = rt_open(rt);

    (void)options, (void)values, (void)count;
    return rt_leave(rt, error ? error : driver_module_load_file(rt, path, &o, out));
}

enum cuda_error cudaLibraryUnload(struct cuda_module *m)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, driver_module_unload(rt, m));
}

enum cuda_error cudaLibraryGetKernel(struct cuda_kernel **out, struct cuda_module *m,
                                     const char *name)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, driver_module_kernel(rt, m, name, out));
}

enum cuda_error cudaLibraryGetGlobal(void **out, size_t *bytes, struct cuda_module *m,
                                     const char *name)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, driver_module_variable(rt, m, name, out, bytes));
}

enum cuda_error cudaLibraryGetKernelCount(unsigned *out, struct cuda_module *m)
{
    struct rt *rt = rt_enter();
    const bool is_one = handle_is(&rt->handles, m, RT_MODULE);

    if (is_one)
        *out = m->kernel_count;
    return rt_leave(rt, is_one ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

enum cuda_error cudaLibraryEnumerateKernels(struct cuda_kernel **out, unsigned count,
                                            struct cuda_module *m)
{
    struct rt *rt = rt_enter();

    return rt_leave(rt, driver_module_kernels(rt, m, count, out));
}
