/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/cuda/cuda_set.h"

/* A call of the driver's that failed as devices were opened. */
struct cuda_trouble {
    cu_result result; /* 0: none did */
    const char *call;
    unsigned device;
};

/* All, or the first one: set->here. */
enum proact_status cuda_lazy_devices_open(struct device_set *set, bool lazy,
                                          struct proact_error *err);
/* Waits for the device that is being opened; of those that are not, none will be. */
void cuda_lazy_devices_close(struct device_set *set);

/* The contract's. */
uint64_t cuda_open_ns(const struct device_set *set);
enum proact_status cuda_open_remaining(struct device_set *set, bool waits, bool *are_open,
                                       struct proact_error *err);
