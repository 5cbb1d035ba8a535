/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Whether a launch of a program for one GPU that could be split is better split: its second
   launch of a shape is timed split, its third whole, and from then on the faster is taken.
   A kernel that is launched once or twice uses all devices. */

#include "runtime/launching.h"

struct choice;

struct choice *choice_find(const struct launching *l);
bool choice_is_made(const struct choice *c);
bool choice_is_split(const struct choice *c);
/* Runs `queue` and, where this launch is one of those that are timed, waits before and
   behind it. */
enum proact_status choice_run(struct choice *c, struct launching *l,
                              enum proact_status (*queue)(struct launching *l,
                                                          struct proact_error *err),
                              struct proact_error *err);

/* Why the last launch was not split, for all that it could be; NULL: it was. */
const char *choice_refusal(const struct proact_kernel *k);
void choices_drop(struct proact_kernel *k);
