/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether a launch of a program for one GPU that could be split is better split. A look:
   the second launch of a shape is timed split, with what brings replicas up to date before
   it; the third whole; what loses by little once more; and from then on the faster is
   taken. A kernel that is launched once or twice uses all devices. Where the second launch
   has other arrays than the first (two that change places), the first one that has the same
   again is timed: what nobody has read yet goes to all. What a whole launch costs the split
   ones around it, and the other way around, is counted apart (coupling.h): kernels are
   settled together. Looks are repeated: after 256 launches, four
   times as many, and so on; soon, where a number among the parameters becomes four times
   what it was, or a quarter, or where arrays are suddenly behind. They have a limit
   (look.h). */

#include "runtime/choice/choice.h"

/* Queues the launch as it was chosen, by `whole` or split; where it is one of those that
   are timed it waits before and behind it. */
enum proact_status choice_run(struct choice *c, struct launching *l,
                              enum proact_status (*whole)(struct launching *l,
                                                          struct proact_error *err),
                              struct proact_error *err);
