/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Order and bookkeeping of device-0 operations, for launches and copies. */

#include <proact/program.h>

/* Orders the next operation on device 0 after all transfers into its memory. */
enum proact_status first_await_all(struct proact *p, struct proact_error *err);
/* Records the end of the operation with that number. */
enum proact_status first_done(struct proact *p, uint64_t sequence,
                              struct proact_error *err);
/* Record the end of the session's last operation, which used every array. It may have
   written to all arrays, or to some, which the caller records. */
enum proact_status first_done_all(struct proact *p, struct proact_error *err);
enum proact_status first_done_some(struct proact *p, struct proact_error *err);
