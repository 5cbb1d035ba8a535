/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What looks and trials may cost: they move arrays to and fro, large ones for longer than a
   kernel takes, so no more time goes into them than a part of what the program has worked.
 */

#include "runtime/session/session.h"

/* Whether another one may begin. */
bool look_is_paid(const struct proact *p);
/* One took from then until now, at a synchronize each, and that much of it was the
   program's own work. */
void look_spent(struct proact *p, uint64_t from_ns, uint64_t work_ns);
void look_worked(struct proact *p, uint64_t work_ns);
