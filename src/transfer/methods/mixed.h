/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A binding whose chunks two mechanisms share: those that are expected last go by
   plan.tail, the others by plan.method. */

#include "transfer/transfer.h"

struct transfer_mixed {
    struct transfer_binding tail; /* as the body, but for its method and state */
    bool *in_tail[TRANSFER_DEVICES_MAX][PROACT_SLOTS_MAX];     /* by chunk */
    device_addr sends[TRANSFER_DEVICES_MAX][PROACT_SLOTS_MAX]; /* as in struct proact_slot;
                                                                  0: no CTA sends */
};

/* Makes b->mixed; `b` is bound by nobody yet. Close it also after a failure. */
enum proact_status mixed_open(struct transfer_binding *b, struct proact_error *err);
void mixed_close(struct transfer_binding *b);

/* One of the two sends where the chunk is completed, and the other waits for flags. */
bool mixed_is_active(const struct transfer_plan *plan);
