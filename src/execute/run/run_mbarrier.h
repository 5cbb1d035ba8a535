/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "execute/run/run.h"

enum mbarrier_kind {
    MBARRIER_NONE,
    MBARRIER_INIT,
    MBARRIER_ARRIVE,
    MBARRIER_EXPECT, /* expects that many more bytes */
    MBARRIER_ARRIVE_EXPECT,
    MBARRIER_DROP, /* arrives, and is not expected in later phases */
    MBARRIER_DROP_EXPECT,
    MBARRIER_COMPLETE, /* that many bytes have arrived */
    MBARRIER_TEST,     /* tests whether the phase of a state is complete */
    MBARRIER_TEST_PARITY,
};

/* Arrivals that were pending in this state of an mbarrier. */
uint32_t mbarrier_pending(uint64_t state);
/* Runs lane by lane. Returns false after a fault. */
bool mbarrier_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask);
/* cp.async.bulk into shared memory, performed immediately. detail[0]: the source is shared
   memory. */
bool bulk_load(struct execute_warp *w, const struct execute_op *op, uint32_t mask);
