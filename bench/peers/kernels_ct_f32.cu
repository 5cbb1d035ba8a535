/* SPDX-License-Identifier: Apache-2.0 */
/* Names of their own: the other type has the same kernels. */
#define ct_residual ct_residual_f32
#define ct_back ct_back_f32
#define ct_update ct_update_f32
#define ct_cost ct_cost_f32
#define ct_show ct_show_f32

#include "app_wrap.cuh"

#include "../../apps/ct/ct_f32.cu"

#include "app_ct.cuh"

const app_kernel app_ct_f32[] = {APP_CT("ct_f32.cu")};
