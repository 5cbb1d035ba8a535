/* SPDX-License-Identifier: Apache-2.0 */
#include "app_wrap.cuh"

#include "../../apps/als/als_gradient.cu"

#include "app_unwrap.cuh"

/* Rows of a CTA. */
template <class T, unsigned ROWS>
static unsigned gradient_writes(const proact_arg *args, app_write *out)
{
    out[0] = {7, (uint64_t)ROWS * app_value<proact_u32>(args, 10) * sizeof(T), 0};
    return 1;
}

template <class T>
static unsigned gradient_parts_writes(const proact_arg *args, app_write *out)
{
    out[0] = {6, app_value<proact_u32>(args, 7) * sizeof(T), 0};
    return 1;
}

#define APP_GRADIENT(T, suffix)                                                            \
    APP_KERNEL(als_gradient_##suffix, (gradient_writes<T, CTA_WARPS>)),                    \
        APP_KERNEL(als_gradient_thread_##suffix, (gradient_writes<T, THREAD_CTA>)),        \
        APP_KERNEL(als_gradient_parts_##suffix, gradient_parts_writes<T>)

const app_kernel app_als_gradient[] = {APP_GRADIENT(float, f32_16),
                                       APP_GRADIENT(float, f32_32),
                                       APP_GRADIENT(float, f32_64),
                                       APP_GRADIENT(float, f32_256),
                                       APP_GRADIENT(double, f64_16),
                                       APP_GRADIENT(double, f64_32),
                                       APP_GRADIENT(double, f64_64),
                                       APP_GRADIENT(double, f64_256),
                                       {}};
