/* SPDX-License-Identifier: Apache-2.0 */
#include "cta_sum.h"
#include "repeat_look.h"

/* The first of two levels: CTA c adds the pairs of group c, `size` CTAs of the iteration.
   Both grids are divided in the same order, so most pairs are already on the device. */
extern "C" __global__ void repeat_group(const struct cta_pair *pairs,
                                        struct cta_pair *groups, proact_u32 count,
                                        proact_u32 size)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    proact_u32 group = proact_local_cta(), first = group * size;
    proact_u32 end = first + size < count ? first + size : count;
    struct cta_pair total = cta_sum_pairs(pairs + first, end - first, scratch);

    if (proact_thread_x() == 0)
        groups[group] = total;
}

/* The device side of a query: one CTA after a batch of iterations adds their pairs. It uses
   the order of cta_sum_pairs(), so its sums equal those of the iterations. The sum is
   computed once per batch, and not by a kernel after each iteration. The CTAs of the next
   iteration compute it themselves before such a kernel would start. All pairs are already
   on the device, which also reads them in the iterations. */
extern "C" __global__ void repeat_look(
    const struct cta_pair *pairs0, const struct cta_pair *pairs1,
    const struct cta_pair *pairs2, const struct cta_pair *pairs3,
    const struct cta_pair *pairs4, const struct cta_pair *pairs5,
    const struct cta_pair *pairs6, const struct cta_pair *pairs7, struct repeat_state *last,
    proact_u32 iterations, proact_u32 pair_count, double tolerance,
    struct proact_partition partition)
{
    __shared__ double scratch[REPEAT_BATCH][CTA_WARPS];
    const struct cta_pair *pairs[REPEAT_BATCH] = {pairs0, pairs1, pairs2, pairs3,
                                                  pairs4, pairs5, pairs6, pairs7};
    proact_u32 thread = proact_thread_x();
    double change[REPEAT_BATCH] = {0};

    /* Unwritten pairs are not read. There is no branch, so that the loads overlap. */
#pragma unroll
    for (proact_u32 k = 1; k < REPEAT_BATCH; k++)
        pairs[k] = k < iterations ? pairs[k] : pairs0;
    for (proact_u32 i = thread; i < pair_count; i += CTA_THREADS)
#pragma unroll
        for (proact_u32 k = 0; k < REPEAT_BATCH; k++)
            change[k] += pairs[k][i].a;
#pragma unroll
    for (proact_u32 k = 0; k < REPEAT_BATCH; k++) {
        double sum = warp_sum(change[k]);

        if (thread % WARP_THREADS == 0)
            scratch[k][thread / WARP_THREADS] = sum;
    }
    proact_cta_sync(); /* the sums of all warps are stored */
    if (thread == 0) {
        struct repeat_state now = {last->change, last->iterations};

        for (proact_u32 k = 0; k < iterations && !(now.change < tolerance); k++) {
            now.change = 0;
            for (proact_u32 warp = 0; warp < CTA_WARPS; warp++)
                now.change += scratch[k][warp];
            proact_store(&partition, 0, &last->changes[now.iterations % REPEAT_HISTORY],
                         now.change);
            now.iterations++;
        }
        proact_store(&partition, 0, &last->change, now.change);
        proact_store(&partition, 0, &last->iterations, now.iterations);
    }
    proact_done(&partition);
}
