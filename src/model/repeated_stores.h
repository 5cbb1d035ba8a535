/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Cost of stores that a kernel repeats to the peers (instrument/clone/clone_stores.c). */

#include "model/candidate.h"
#include "model/predict.h"

/* Time that the instructions of repeated stores add to the last wave of a kernel. By them
   the stores of a CTA find their peers. Where an SM has more warps than their dependences
   require, they use the slots that the kernel leaves free. `wave` CTAs run at once. */
double model_repeated_stores_ns(const struct topology_device *d,
                                const struct model_problem *p, double wave,
                                const struct model_candidate *c);
