/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/transfer_methods.h"

/* PROACT III-C, "Direct Inline Stores": the kernel stores to the peers, and its end orders
   the stores. */
const struct transfer_method transfer_inline = {
    .name = "inline",
    .summary = "every store goes to the peers that need it as it happens",
    .initiator = TRANSFER_BY_STORE,
    .partition_mode = PROACT_MODE_STORE,
    .lane = TRANSFER_MAIN,
    .needs_peers = true,
};
