/* SPDX-License-Identifier: Apache-2.0 */
#include "app_wrap.cuh"

#include "../../apps/jacobi/jacobi.cu"

#include "app_unwrap.cuh"

/* Each cell needs one row above and below. */
static unsigned jacobi_writes(const proact_arg *args, app_write *out)
{
    const auto grid = app_value<jacobi_grid>(args, 4);
    const uint64_t row_bytes = grid.size * sizeof(float);

    out[0] = {2, grid.rows * row_bytes, row_bytes};
    out[1] = {3, APP_PAIR_BYTES, 0};
    return 2;
}

const app_kernel app_jacobi[] = {APP_KERNEL(jacobi_step, jacobi_writes),
                                 APP_KERNEL(jacobi_step_narrow, jacobi_writes),
                                 {}};
