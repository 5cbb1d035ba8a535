/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of ct after their source, for its type `real`. */
#pragma once

#include "app_unwrap.cuh"

static unsigned residual_writes(const proact_arg *, app_write *out)
{
    out[0] = {5, CT_RAYS * sizeof(real), 0};
    return 1;
}

static unsigned back_writes(const proact_arg *, app_write *out)
{
    out[0] = {2, CT_PIXELS * sizeof(real), 0};
    return 1;
}

static unsigned update_writes(const proact_arg *, app_write *out)
{
    out[0] = {4, CT_PIXELS * sizeof(real), 0};
    out[1] = {5, CT_PIXELS * sizeof(real), 0};
    return 2;
}

static unsigned cost_writes(const proact_arg *, app_write *out)
{
    out[0] = {3, sizeof(struct ct_sums), 0};
    return 1;
}

static unsigned show_writes(const proact_arg *, app_write *out)
{
    out[0] = {1, CT_PIXELS * sizeof(real), 0};
    return 1;
}

#define APP_CT(image)                                                                      \
    APP_KERNEL_OF(image, "ct_residual", ct_residual, residual_writes),                     \
        APP_KERNEL_OF(image, "ct_back", ct_back, back_writes),                             \
        APP_KERNEL_OF(image, "ct_update", ct_update, update_writes),                       \
        APP_KERNEL_OF(image, "ct_cost", ct_cost, cost_writes),                             \
        APP_KERNEL_OF(image, "ct_show", ct_show, show_writes),                             \
    {                                                                                      \
    }
