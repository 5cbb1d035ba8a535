/* SPDX-License-Identifier: Apache-2.0 */
/* Modules whose kernels launch kernels: the driver links them with CUDA's device
   runtime. */
#include <string.h>

#include "base/fail.h"
#include "device/cuda/cuda_set.h"

/* libcudadevrt.a, embedded; 0 bytes if the build had none. */
extern const char device_runtime[];
extern const uint64_t device_runtime_bytes;

enum proact_status cuda_launches(struct device_set *set, struct proact_error *err)
{
    (void)set;
    if (device_runtime_bytes)
        return PROACT_OK;
    return fail(err, PROACT_EREFUSED,
                "kernels cannot launch kernels: this proact was built without nvcc, and "
                "does not contain CUDA's device runtime (libcudadevrt.a)");
}

bool cuda_must_link(const char *ptx)
{
    return strstr(ptx, "__cudaCDP2LaunchDeviceV2") != NULL;
}

static cu_result add_all(const struct driver *v, cu_link link, const char *ptx)
{
    void *runtime = (void *)(uintptr_t)device_runtime;
    cu_result result = v->link_add(link, CU_LINK_PTX, (void *)(uintptr_t)ptx,
                                   strlen(ptx) + 1, "module", 0, NULL, NULL);

    if (result || !device_runtime_bytes) /* without it the link names the missing symbols */
        return result;
    return v->link_add(link, CU_LINK_LIBRARY, runtime, device_runtime_bytes,
                       "libcudadevrt.a", 0, NULL, NULL);
}

cu_result cuda_link(const struct driver *v, const char *ptx, unsigned count,
                    cu_jit_option *options, void **values, cu_module *out)
{
    cu_link link;
    void *image;
    size_t bytes;
    cu_result result = v->link_create(count, options, values, &link);

    if (result)
        return result;
    if (!(result = add_all(v, link, ptx)) &&
        !(result = v->link_complete(link, &image, &bytes))) /* owned by the link */
        result = v->module_load(out, image, 0, NULL, NULL);
    v->link_destroy(link);
    return result;
}
