/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What launches on the first device alone share with copies there. */

#include "runtime/session/session.h"

#include <proact/program.h>

/* What is queued next on the first device may use all of its memory: after all sends. */
enum proact_status first_await_all(struct proact *p, struct proact_error *err);
/* Behind an operation there, of that number. */
enum proact_status first_done(struct proact *p, uint64_t sequence,
                              struct proact_error *err);
/* Behind the session's last operation, which has used every array, and may have written to
   all of them; or to some, which the caller says. */
enum proact_status first_done_all(struct proact *p, struct proact_error *err);
enum proact_status first_done_some(struct proact *p, struct proact_error *err);
