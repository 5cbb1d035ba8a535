/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A pretend keeper of the device contract: memory is the host's, copies and writes happen
   at once, kernels do nothing, and every call is written down, so that a test sees what was
   queued where and in which order. */

#include "base/text.h"
#include "device/device.h"

extern const struct device_backend fake_device;

/* Lines such as "copy 1.1 12000@1+64 > 12000@2+64 for 128": a stream is DEVICE.NUMBER,
   numbered as made; an address is the size of its allocation, the device and the offset.
   Of rows it is the first's, and the line ends in "for 8 in each of 500 rows". */
struct fake_state {
    struct text log;
    unsigned waits;            /* calls that wait for a device: synchronize and read */
    unsigned memory, things;   /* not yet freed: allocations; streams, events, modules */
    unsigned allocations_left; /* then memory is exhausted; 0: never */
    enum proact_status breaks; /* what the next synchronize says */
};

struct fake_state *fake_state(struct device_set *set);
void fake_forget(struct device_set *set); /* the log so far */
