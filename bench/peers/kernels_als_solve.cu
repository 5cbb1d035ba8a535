/* SPDX-License-Identifier: Apache-2.0 */
#include "app_wrap.cuh"

#include "../../apps/als/als_solve.cu"

#include "app_unwrap.cuh"

template <class T, int K>
static unsigned solve_writes(const proact_arg *args, app_write *out)
{
    const uint64_t rank = app_value<proact_u32>(args, 9);

    out[0] = {6, solve_shape<K>::rows * rank * sizeof(T), 0};
    return 1;
}

/* A matrix of rank columns and a right side for each part. */
template <class T, int K>
static unsigned solve_parts_writes(const proact_arg *args, app_write *out)
{
    const uint64_t rank = app_value<proact_u32>(args, 6);

    out[0] = {4, solve_shape<K>::rows * rank * (rank + 1) * sizeof(T), 0};
    return 1;
}

#define APP_SOLVE(T, suffix, K)                                                            \
    APP_KERNEL(als_solve_##suffix, (solve_writes<T, K>)),                                  \
        APP_KERNEL(als_solve_parts_##suffix, (solve_parts_writes<T, K>))

const app_kernel app_als_solve[] = {APP_SOLVE(float, f32_16, 16),
                                    APP_SOLVE(float, f32_32, 32),
                                    APP_SOLVE(float, f32_64, 64),
                                    APP_SOLVE(float, f32_256, 256),
                                    APP_SOLVE(double, f64_16, 16),
                                    APP_SOLVE(double, f64_32, 32),
                                    APP_SOLVE(double, f64_64, 64),
                                    APP_SOLVE(double, f64_256, 256),
                                    {}};
