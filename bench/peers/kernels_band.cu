/* SPDX-License-Identifier: Apache-2.0 */
#include "app_wrap.cuh"

#include "../../apps/band/band.cu"

#include "app_unwrap.cuh"

template <class T> static unsigned band_writes(const proact_arg *args, app_write *out)
{
    const auto size = app_value<band_rows>(args, 7);

    out[0] = {5, size.cta_rows * sizeof(T), size.half_width * sizeof(T)};
    out[1] = {6, APP_PAIR_BYTES, 0};
    return 2;
}

const app_kernel app_band[] = {APP_KERNEL(band_f64, band_writes<double>),
                               APP_KERNEL(band_f32, band_writes<float>),
                               APP_KERNEL(sparse_f64, band_writes<double>),
                               APP_KERNEL(sparse_f32, band_writes<float>),
                               {}};
