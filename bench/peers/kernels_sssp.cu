/* SPDX-License-Identifier: Apache-2.0 */
#include "app_wrap.cuh"

#include "../../apps/sssp/sssp.cu"

#include "app_unwrap.cuh"

static unsigned sssp_writes(const proact_arg *args, app_write *out)
{
    const auto shape = app_value<sssp_shape>(args, 7);

    out[0] = {5, shape.cta_size * sizeof(float), 0};
    out[1] = {6, APP_PAIR_BYTES, 0};
    return 2;
}

/* A bit for each vertex as well. */
static unsigned sssp_frontier_writes(const proact_arg *args, app_write *out)
{
    const auto shape = app_value<sssp_shape>(args, 7);

    out[2] = {9, shape.cta_size / SSSP_WORD_VERTICES * sizeof(proact_u32), 0};
    return sssp_writes(args, out) + 1;
}

const app_kernel app_sssp[] = {APP_KERNEL(sssp_rounds_int32, sssp_writes),
                               APP_KERNEL(sssp_rounds_f32, sssp_writes),
                               APP_KERNEL(sssp_paper_int32, sssp_writes),
                               APP_KERNEL(sssp_paper_f32, sssp_writes),
                               APP_KERNEL(sssp_frontier_int32, sssp_frontier_writes),
                               APP_KERNEL(sssp_frontier_f32, sssp_frontier_writes),
                               {}};
