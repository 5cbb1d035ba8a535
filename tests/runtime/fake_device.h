/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A fake backend of the device contract. Device memory is host memory, copies and writes
   are immediate, and kernels do nothing. Every call is logged, so that a test can check
   which operation was queued on which stream and in which order. */

#include "base/text.h"
#include "device/device.h"

extern const struct device_backend fake_device;

/* The log has lines such as "copy 1.1 12000@1+64 > 12000@2+64 for 128". A stream is
   DEVICE.NUMBER, numbered in order of creation. An address is the allocation size, the
   device and the offset. For a strided copy the address is that of the first range, and the
   line ends in "for 8 in each of 500 rows". */
struct fake_state {
    struct text log;
    unsigned waits;            /* calls that wait for a device: synchronize and read */
    unsigned memory, things;   /* not freed yet: allocations; streams, events and modules */
    unsigned allocations_left; /* memory is exhausted afterwards; 0: never */
    enum proact_status breaks; /* status of the next synchronize */
};

struct fake_state *fake_state(struct device_set *set);
void fake_forget(struct device_set *set); /* clears the log */
