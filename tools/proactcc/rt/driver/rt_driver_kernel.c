/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/driver/rt_driver.h"

enum cuda_error driver_kernel_try(struct rt *rt, struct cuda_kernel *k,
                                  struct proact_error *why)
{
    struct proact_error err = {""};
    enum proact_status status;

    why->text[0] = '\0';
    if (k->kernel || k->stub != k) /* kernels of nvcc's stubs have a stub address */
        return rt_kernel_load(rt, k);
    status = proact_kernel_load(rt->session, &k->image->ptx, k->name, &k->kernel, &err);
    if (status == PROACT_EINVAL || status == PROACT_EREFUSED) {
        *why = err;
        return status == PROACT_EINVAL ? cudaErrorInvalidPtx : cudaErrorNotSupported;
    }
    if (status)
        return rt_error(rt, status, &err);
    k->info = proact_kernel_describe(k->kernel);
    return cudaSuccess;
}

enum cuda_error driver_kernel_load(struct rt *rt, struct cuda_kernel *k)
{
    struct proact_error why;
    enum cuda_error error = driver_kernel_try(rt, k, &why);

    if (error && why.text[0])
        rt_print("%s", why.text);
    return error;
}
