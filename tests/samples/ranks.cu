/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank on compressed rows, one vertex for each thread: by gathering, and by atomics on
   the successors. */
#include "sample.h"

KERNEL(pr_pull, const int *row, const int *column, const float *contribution, float *rank,
       float *next, const int *degree, int n, float damping)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v < n) {
        float sum = 0;

        for (int e = row[v]; e < row[v + 1]; e++)
            sum += contribution[column[e]];
        float mine = (1.f - damping) / n + damping * sum;

        STORE(0, rank[v], mine);
        STORE(1, next[v], degree[v] ? mine / degree[v] : 0.f);
    }
    DONE();
}

#ifndef SAMPLE_SHARED /* atomics on the output: its bytes belong to no CTA */
KERNEL(pr_push, const int *row, const int *column, const float *rank, float *next, int n,
       float damping)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= n)
        return;
    int begin = row[v], end = row[v + 1];

    if (end > begin) {
        float partition = damping * rank[v] / (end - begin);

        for (int e = begin; e < end; e++)
            atomicAdd(&next[column[e]], partition);
    }
}
#endif
