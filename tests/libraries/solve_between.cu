/* SPDX-License-Identifier: Apache-2.0 */
/* cuRAND and cuSOLVER between kernels: a system of equations with a known solution. */
#include <curand.h>
#include <cusolverDn.h>

#include "between.h"

static const int n = 512, size = n * n, threads = 256;

/* A diagonally dominant matrix, which is well conditioned. */
__global__ void make_heavy(double *a, const float *random)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < size)
        a[i] = (double)random[i] + (i / n == i % n ? n : 0);
}

/* The right-hand side for the solution 1, 2, 3, 1, 2, 3, ... */
__global__ void right_hand(double *b, const double *a)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;

    for (int k = 0; row < n && k < n; k++)
        sum += a[k * n + row] * (k % 3 + 1);
    if (row < n)
        b[row] = sum;
}

__global__ void to_thousandths(int *out, const double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = (int)rint(x[i] * 1000);
}

int main(void)
{
    float *random = on_device<float>(size);
    double *a = on_device<double>(size), *b = on_device<double>(n), *room;
    int *pivots = on_device<int>(n), *info = on_device<int>(1), *whole = on_device<int>(n);
    int room_count;
    cusolverDnHandle_t h;
    curandGenerator_t dice;
    bool right = true;

    WELL(curandCreateGenerator(&dice, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    WELL(curandSetPseudoRandomGeneratorSeed(dice, 1234));
    WELL(cusolverDnCreate(&h));
    WELL(cusolverDnDgetrf_bufferSize(h, n, n, a, n, &room_count));
    room = on_device<double>(room_count);
    for (int turn = 0; turn < 3; turn++) {
        WELL(curandGenerateUniform(dice, random, size));
        make_heavy<<<blocks_for(size, threads), threads>>>(a, random);
        right_hand<<<blocks_for(n, 32), 32>>>(b, a);
        print_sum("random", random, size);
        WELL(cusolverDnDgetrf(h, n, n, a, n, room, pivots, info));
        WELL(cusolverDnDgetrs(h, CUBLAS_OP_N, n, 1, a, n, pivots, b, n, info));
        to_thousandths<<<blocks_for(n, 32), 32>>>(whole, b);
        int *host = on_host(whole, n);

        for (int i = 0; i < n; i++)
            right = right && host[i] == (i % 3 + 1) * 1000;
        printf("turn %d: %u\n", turn, checksum(host, n * sizeof *host));
        free(host);
    }
    WELL(cusolverDnDestroy(h));
    WELL(curandDestroyGenerator(dice));
    return verdict("solve_between", right);
}
