/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What launches on the first device alone share with copies there. */

#include "runtime/session.h"

#include <proact/program.h>

/* What is queued next on the first device may use all of its memory: after all sends. */
enum proact_status first_await_all(struct proact *p, struct proact_error *err);
/* Behind it: the session's last operation has used every array, and may have written to all
   of them; or to some, which the caller says. */
enum proact_status first_done_all(struct proact *p, struct proact_error *err);
enum proact_status first_done_some(struct proact *p, struct proact_error *err);
