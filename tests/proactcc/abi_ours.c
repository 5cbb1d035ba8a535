/* SPDX-License-Identifier: Apache-2.0 */
#include "abi_ours.h"

#include "cuda_abi.h"
#include "driver_abi.h"
#include "graph_calls.h"
#include "pool_calls.h"

const struct abi_row abi_ours[] = {
#define SAME(ours, theirs) {#ours, "", sizeof(ours)},
#define FIELD(ours, theirs, our_field, their_field)                                        \
    {#ours, #our_field, offsetof(ours, our_field)},
#include "abi_struct.def"
    {NULL, NULL, 0},
};
