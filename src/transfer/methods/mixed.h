/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Mixed binding: two mechanisms share the chunks. plan.tail sends the chunks that are
   expected last, plan.method the others. */

#include "transfer/transfer.h"

struct transfer_mixed {
    bool *in_tail[TRANSFER_DEVICES_MAX][PROACT_SLOTS_MAX]; /* indexed by chunk */
    /* As sent_by_cta of struct proact_slot; 0: no CTA sends. */
    device_addr sends[TRANSFER_DEVICES_MAX][PROACT_SLOTS_MAX];
};

/* Sets b->mixed and adds the tail as a part, before the methods bind; call mixed_close()
 * also after a failure. */
enum proact_status mixed_open(struct transfer_binding *b, struct proact_error *err);
void mixed_close(struct transfer_binding *b);

/* Whether one method sends in the CTA that completes a chunk while the other waits for
   counters. */
bool mixed_is_active(const struct transfer_plan *plan);
