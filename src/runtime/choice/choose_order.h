/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Along which dimension of its grid a program's launch is split: the slowest, or another
   (launch_axis.h). In its first launches, where it lacks much of what split launches wrote,
   it is asked what it would lack with another one as the slowest; and once it is known who
   reads what it writes, what would have to be sent to them. One that lacks far less, and
   makes no more to be sent, is taken. Launches differ, and each may be right by itself: so
   no shape changes more than a few times. */

#include "runtime/launch/launching.h"

/* Of a launch with its binding, and of which it is chosen how it runs, or not (`c` NULL):
   whether it became one along another dimension, which has
   none yet. */
bool order_change(struct launching *l, const struct choice *c);
