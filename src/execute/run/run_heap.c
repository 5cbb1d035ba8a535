/* SPDX-License-Identifier: Apache-2.0 */
/* malloc and free of a kernel's threads. The host owns the heap. */
#include <inttypes.h>

#include "execute/run/run.h"

static bool give(struct execute_warp *w, const struct execute_op *op, unsigned lane)
{
    const struct execute_host *host = w->grid->launch.host;
    uint64_t address = thread_word(w, lane, op->from[0], 8);

    if (!address || host->heap_give(host->context, w, address))
        return true;
    warp_fault(w, op->line, lane, "free of 0x%" PRIx64 ", which malloc did not return",
               address);
    return false;
}

bool heap_lanes(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    const struct execute_host *host = w->grid->launch.host;

    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);

        if (!host->heap_take) {
            warp_fault(w, op->line, lane, "allocates memory, which is not supported here");
            return false;
        }
        if (op->detail[0] == HEAP_GIVE && !give(w, op, lane))
            return false;
        if (op->detail[0] == HEAP_TAKE)
            thread_answer(
                w, lane, op->to,
                host->heap_take(host->context, w, thread_word(w, lane, op->from[0], 8)), 8);
    }
    return true;
}
