/* SPDX-License-Identifier: Apache-2.0 */
#include "../graph/cta_sum.h"

/* One iteration of Jacobi on a square of size * size cells. A CTA has `rows` whole rows;
   cells of the edge keep what they are. Each CTA begins with the sum over all CTAs of the
   iteration before, the square of the change: it tells every device alike when to stop.
   From then on cells stay where the last iteration wrote them. */

struct row {
    const float *above, *here, *below;
};

__device__ static inline float mean(const struct row *r, proact_u32 x)
{
    return 0.25f * ((r->here[x - 1] + r->here[x + 1]) + (r->above[x] + r->below[x]));
}

extern "C" __global__ void jacobi_step(const float *old, const struct cta_pair *old_sums,
                                       float *cells, struct cta_pair *sums, proact_u32 size,
                                       proact_u32 rows, proact_u32 cta_count,
                                       double tolerance_squared, struct proact_share share)
{
    __shared__ struct cta_pair scratch[CTA_WARPS];
    proact_u32 cta = proact_cta_x(&share);
    bool stopped = cta_sum_pairs(old_sums, cta_count, scratch).a < tolerance_squared;
    proact_u32 last = (cta + 1) * rows < size ? (cta + 1) * rows : size;
    double sum = 0;

    for (proact_u32 y = cta * rows; y < last && !stopped; y++) {
        const float *here = old + (proact_u64)y * size;
        float *to = cells + (proact_u64)y * size;
        struct row row = {here - size, here, here + size};
        bool fixed = y == 0 || y == size - 1;

        for (proact_u32 x = proact_thread_x(); x < size; x += CTA_THREADS) {
            float was = here[x];
            float now = fixed || x == 0 || x == size - 1 ? was : mean(&row, x);
            double change = (double)now - (double)was;

            proact_store(&share, 0, &to[x], now);
            sum += change * change;
        }
    }
    struct cta_pair total = cta_sum(sum, 0, scratch);

    if (proact_thread_x() == 0) {
        proact_store(&share, 1, &sums[cta].a, total.a);
        proact_store(&share, 1, &sums[cta].b, total.b);
    }
    proact_done(&share);
}
