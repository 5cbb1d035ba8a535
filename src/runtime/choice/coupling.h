/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What one kernel's way costs another: of what a launch on one device wrote a split one
   lacks what its devices read, and the other way around the first device lacks what the
   others wrote. So which way is better hangs on how the rest of the program runs: kernels
   are settled together, from all split or all whole, whichever takes less, to where no
   single one is better the other way. */

#include "runtime/choice/choice.h"

/* Before a launch: what it would lack either way, noted for who wrote that. */
void joint_cost_record(struct choice *c, struct launching *l);
/* Of what the writer writes the reader would lack so much, split or whole, if that had run
   the other way. */
void coupling_note(struct choice *reader, struct choice *writer, bool is_whole,
                   uint64_t bytes);
/* Once this one was timed both ways: all that were, where it is coupled to any. */
void coupling_settle(struct choice *c);
/* At each launch, so that how often kernels come is known; and then of one that was timed,
   which is settled anew after 1, 2, 4, ... launches, for others come and go. */
void coupling_launched(struct choice *c);
void coupling_choose(struct choice *c);
/* A launch that was timed brought so much before it. */
void coupling_note_rate(struct proact *p, uint64_t bytes, uint64_t ns);
/* Between devices: bytes a nanosecond. */
double coupling_rate(const struct proact *p);
/* A kernel of which no launch came for long does not matter. */
bool coupling_is_of_now(const struct choice *c);
void coupling_drop(struct choice *c);
