/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/transfer_methods.h"

/* The last writer of a chunk sends it: the dynamic launch of PROACT III-C without the
   launch. */
const struct transfer_method transfer_fused = {
    .name = "fused",
    .summary = "the CTA that completes a chunk sends it before it ends",
    .initiator = TRANSFER_BY_CTA,
    .partition_mode = PROACT_MODE_COUNT | PROACT_MODE_SEND,
    .lane = TRANSFER_MAIN,
    .takes_chunks = true,
    .mixes = true,
    .divides = true,
    .needs_peers = true,
};
