/* SPDX-License-Identifier: Apache-2.0 */
#include "abi_ours.h"

#include "rt/abi/cuda_abi.h"
#include "rt/abi/driver_abi.h"
#include "rt/abi/graph_calls.h"
#include "rt/abi/pool_calls.h"

const struct abi_row abi_ours[] = {
#define SAME(ours, theirs) {#ours, "", sizeof(ours)},
#define FIELD(ours, theirs, our_field, their_field)                                        \
    {#ours, #our_field, offsetof(ours, our_field)},
#include "abi_struct.def"
    {NULL, NULL, 0},
};
