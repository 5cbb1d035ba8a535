/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Choice of the partition axis of a program's launch: the slowest dimension or another one
   (launch_axis.h). The first launches with many missing bytes compare these for all axes.
   Once the readers are known, the bytes to be sent are compared too. An axis with far fewer
   missing bytes and no additional sends is selected, or that of a stored decision. A shape
   changes its axis only a few times, since each of several launches may prefer its own. */

#include <stdbool.h>

struct choice;
struct launching;

/* Selects another axis for the launch, which has its binding. `c` NULL: no decision for the
   shape. Returns true if the launch changed; it then has no binding. */
bool order_change(struct launching *l, struct choice *c);
