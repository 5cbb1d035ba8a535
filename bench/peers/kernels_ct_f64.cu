/* SPDX-License-Identifier: Apache-2.0 */
/* Names of their own: the other type has the same kernels. */
#define ct_residual ct_residual_f64
#define ct_back ct_back_f64
#define ct_update ct_update_f64
#define ct_cost ct_cost_f64
#define ct_show ct_show_f64

#include "app_wrap.cuh"

#include "../../apps/ct/ct_f64.cu"

#include "app_ct.cuh"

const app_kernel app_ct_f64[] = {APP_CT("ct_f64.cu")};
