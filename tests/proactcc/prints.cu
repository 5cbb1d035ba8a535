// SPDX-License-Identifier: Apache-2.0
/* printf of a kernel: its text, and its result, the number of arguments. */
#include "check.cuh"

__global__ void print(int *result, const char *none)
{
    int i = 0;

    result[i++] = printf("%f %d %d %f\n", 1.5, 2, 3, 4.5);
    result[i++] = printf("no argument, 100%%\n");
    result[i++] =
        printf("%lld %c %hd %s %p\n", -5000000000ll, 'x', (short)-7, "text", none);
    result[i++] = printf("%*d|%-*d|%.*f\n", 6, 42, 6, 42, 2, 3.14159);
    result[i++] = printf(none);
    result[i++] = printf("");
}

int main()
{
    const int expected[] = {4, 0, 5, 6, -1, 0};
    int *d, h[6];

    MUST(cudaMalloc(&d, sizeof h));
    print<<<1, 1>>>(d, nullptr);
    MUST(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++)
        if (h[i] != expected[i])
            printf("result %d is %d\n", i, h[i]);
    return 0;
}
