/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Decision whether a program's launch that can be split is split. The second launch of a
   shape is timed as a split launch, including its fetch, and the third as a single-device
   launch. A close result is measured once more. From then on the faster mode is used. A
   kernel with one or two launches is split.

   If the second launch has other arrays than the first, as with alternating arrays, the
   first launch with repeated arrays is timed: unread output still goes to every device.
   Joint costs with other kernels are counted separately (coupling.h). Probes repeat after
   256 launches, then four times as many, and so on. They repeat earlier if a parameter
   changes by a factor of four or missing bytes appear. look.h limits their total time. */

#include <proact/status.h>

struct choice;
struct launching;

/* Queues the launch in the decided mode; `whole` queues a single-device launch. A timed
   launch waits before and after. */
enum proact_status choice_run(struct choice *c, struct launching *l,
                              enum proact_status (*whole)(struct launching *l,
                                                          struct proact_error *err),
                              struct proact_error *err);
