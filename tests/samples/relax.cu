/* SPDX-License-Identifier: Apache-2.0 */
/* Bellman-Ford: one edge for each thread with atomics, and one vertex for each thread on
   compressed rows. */
#include "sample.h"

enum { FAR = 0x7fffffff };

#ifndef SAMPLE_SHARED /* atomics on the output: its bytes belong to no CTA */
KERNEL(relax_edges, const int *from, const int *to, const int *weight, int *distance,
       int *changed, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;

    if (e >= edges)
        return;
    int before = distance[from[e]];

    if (before != FAR) {
        int after = before + weight[e];

        if (after < atomicMin(&distance[to[e]], after))
            *changed = 1;
    }
}
#endif

/* Many CTAs set `changed`, so it is not replicated: every device has a separate one. */
KERNEL(relax_csr, const int *row, const int *column, const int *weight, const int *in,
       int *out, int *changed, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v < n) {
        int best = in[v], before = best;

        for (int e = row[v]; e < row[v + 1]; e++) {
            int through = in[column[e]];

            if (through != FAR)
                best = min(best, through + weight[e]);
        }
        STORE(0, out[v], best);
        if (best < before)
            *changed = 1;
    }
    DONE();
}
