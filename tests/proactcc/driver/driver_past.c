/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a program that the host compiler builds. Its driver calls bypass proact. It
   reads data that kernels wrote, and kernels read its writes. */
#include <cuda.h>
#include <stdio.h>

enum { N = 40000 };
void *make_numbers(int n);
void add_one(void *x, int n);
int sum_is(const void *x, int n, double sum);

int main(void)
{
    static float host[N];
    CUdeviceptr x = (CUdeviceptr)make_numbers(N);

    add_one((void *)x, N);
    if (cuMemcpyDtoHAsync(host, x, sizeof host, NULL) || cuStreamSynchronize(NULL))
        return 1;
    for (int i = 0; i < N; i++)
        if (host[i] != (float)(i + 1)) {
            printf("%d: %g\n", i, host[i]);
            return 2;
        }
    for (int i = 0; i < N; i++)
        host[i] = 1;
    if (cuMemcpyHtoDAsync(x, host, sizeof host, NULL) || cuStreamSynchronize(NULL))
        return 3;
    add_one((void *)x, N);
    return sum_is((void *)x, N, 2.0 * N) ? 0 : 4;
}
