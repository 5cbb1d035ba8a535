/* SPDX-License-Identifier: Apache-2.0 */
#include "app_wrap.cuh"

#include "../../apps/als/als_errors.cu"

#include "app_unwrap.cuh"

static unsigned square_errors_writes(const proact_arg *, app_write *out)
{
    out[0] = {4, sizeof(double), 0};
    return 1;
}

static unsigned penalty_writes(const proact_arg *, app_write *out)
{
    out[0] = {2, sizeof(double), 0};
    return 1;
}

const app_kernel app_als_errors[] = {
    APP_KERNEL(als_square_errors_f32, square_errors_writes),
    APP_KERNEL(als_square_errors_f64, square_errors_writes),
    APP_KERNEL(als_penalty_f32, penalty_writes),
    APP_KERNEL(als_penalty_f64, penalty_writes),
    {}};
