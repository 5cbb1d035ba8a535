/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "device/cuda/cuda_set.h"

/* Driver call that failed while devices were opened. */
struct cuda_trouble {
    cu_result result; /* 0: none failed */
    const char *call;
    unsigned device;
};

/* Opens all devices, or only device 0, and sets set->here. */
enum proact_status cuda_lazy_devices_open(struct device_set *set, bool lazy,
                                          struct proact_error *err);
/* Waits for the device that is being opened and cancels the others. */
void cuda_lazy_devices_close(struct device_set *set);

/* Calls of the device contract. */
uint64_t cuda_open_ns(const struct device_set *set);
enum proact_status cuda_open_remaining(struct device_set *set, bool waits, bool *are_open,
                                       struct proact_error *err);
