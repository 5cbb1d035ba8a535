/* SPDX-License-Identifier: Apache-2.0 */
#include "app_wrap.cuh"

#include "../../apps/pagerank/pagerank.cu"

#include "app_unwrap.cuh"

template <class T> static unsigned pagerank_writes(const proact_arg *args, app_write *out)
{
    const auto size = app_value<pagerank_size>(args, 8);

    out[0] = {6, size.cta_size * sizeof(T), 0};
    out[1] = {7, APP_PAIR_BYTES, 0};
    return 2;
}

const app_kernel app_pagerank[] = {
    APP_KERNEL(pagerank_default_f64, pagerank_writes<double>),
    APP_KERNEL(pagerank_default_f32, pagerank_writes<float>),
    APP_KERNEL(pagerank_paper_f64, pagerank_writes<double>),
    APP_KERNEL(pagerank_paper_f32, pagerank_writes<float>),
    {}};
