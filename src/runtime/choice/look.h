/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What looks and trials may cost: they move arrays to and fro, large ones for longer than a
   kernel takes, so no more time goes into them than a part of what the program takes. */

#include "runtime/session/session.h"

/* Whether another one may begin, by the clock of the last synchronize. */
bool look_is_paid(const struct proact *p);
/* One more launch: where looks are not paid for the clock is read now and then. */
enum proact_status look_at_clock(struct proact *p, struct proact_error *err);
/* One took from then until now, at a synchronize each, and that much of it was the
   program's own work. */
void look_spent(struct proact *p, uint64_t from_ns, uint64_t work_ns);
