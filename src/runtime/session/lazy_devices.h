/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The devices but the first, of a session that opened with `late`. Until they are there the
   session has them in its tables, but asks nothing of them: all that is done is done on the
   first one, which holds everything, and launches are not split. What others lack then they
   are brought as ever. A program that ends before that never waits for them. */

#include "runtime/session/session.h"

/* Behind the opening of the session's devices, and once they have lanes. */
void lazy_devices_begin(struct proact *p);

/* Before a launch of a program, over so many devices: whether it is to run on the first one
   without a look at it. They are there, it has to be looked at, or it is not. */
enum proact_status lazy_devices_launch(struct proact *p, unsigned over, bool *is_whole,
                                       struct proact_error *err);
void lazy_devices_close(struct proact *p); /* nothing is in flight */
/* That one could be split: they are opened from now on. False: they are there. */
bool lazy_devices_request(struct proact *p);
/* If they have come, the session has them from now on. Not while anything is recorded. */
enum proact_status lazy_devices_poll(struct proact *p, struct proact_error *err);
/* What cannot do without them waits for them; fails as their opening did. */
enum proact_status lazy_devices_require(struct proact *p, struct proact_error *err);

/* Why a launch of now would not be split; NULL: they are there. */
const char *lazy_devices_refusal(const struct proact *p);
