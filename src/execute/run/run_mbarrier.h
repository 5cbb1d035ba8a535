/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "execute/run/run.h"

enum mbarrier_kind {
    MBARRIER_NONE,
    MBARRIER_INIT,
    MBARRIER_ARRIVE,
    MBARRIER_EXPECT, /* so many bytes more */
    MBARRIER_ARRIVE_EXPECT,
    MBARRIER_COMPLETE, /* so many bytes have come */
    MBARRIER_TEST,     /* whether the phase of a state is over */
    MBARRIER_TEST_PARITY,
};

/* One lane after the other; false after a fault. */
bool mbarrier_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask);
/* cp.async.bulk into shared memory, done at once; detail[0]: from shared memory. */
bool bulk_load(struct execute_warp *w, const struct execute_op *op, uint32_t mask);
