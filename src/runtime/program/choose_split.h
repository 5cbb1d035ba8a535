/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Decision whether a program's launch that can be split is split. The second launch of a
   shape is timed as a split launch, including its fetch, and the third as a single-device
   launch. A close result is measured once more. From then on the faster mode is used. A
   kernel with one or two launches is split. A grid for which one device has four SMs per
   CTA is neither probed nor split, unless a split misses fewer bytes (plan/cost.h).

   If the second launch has other arrays than the first, as with alternating arrays, the
   first launch with repeated arrays is timed: unread output still goes to every device.
   Joint costs with other kernels are counted separately (choice_edges.h). Probes repeat
   after 256 launches, and then at intervals that grow fourfold. They repeat earlier if a
   parameter changes by a factor of four or missing bytes appear. The measurement budget
   limits their total time (plan/budget.h). */

#include <proact/status.h>
#include <stdbool.h>

struct choice;
struct launching;

/* Queues the launch in the decided mode; `whole` queues a single-device launch. A timed
   launch waits before and after. */
enum proact_status choice_run(struct choice *c, struct launching *l,
                              enum proact_status (*whole)(struct launching *l,
                                                          struct proact_error *err),
                              struct proact_error *err);
/* Whether versions are being compiled in the background, of any kernel, and that of the
   launch has been requested or is loaded. All kernels then run on one device: arrays would
   move between kernels that are split and those that are not. */
bool choice_awaits_versions(const struct choice *c, const struct launching *l);
/* Queues the launch on one device, because its version is being compiled. */
enum proact_status choice_run_uncompiled(
    struct choice *c, struct launching *l,
    enum proact_status (*whole)(struct launching *l, struct proact_error *err),
    struct proact_error *err);
/* Whether a split cannot pay, known without the footprint: one device has four SMs for
   each CTA, and device 0 has all bytes of the arrays. */
bool choice_is_small(const struct choice *c, const struct launching *l);
/* Queues the launch on one device without an analysis (choice_is_untried()). */
enum proact_status choice_run_untried(struct choice *c, struct launching *l,
                                      enum proact_status (*whole)(struct launching *l,
                                                                  struct proact_error *err),
                                      struct proact_error *err);
/* Queues the launch on one device, because a split of its grid cannot pay. */
enum proact_status choice_run_small(struct choice *c, struct launching *l,
                                    enum proact_status (*whole)(struct launching *l,
                                                                struct proact_error *err),
                                    struct proact_error *err);
