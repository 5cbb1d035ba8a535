/* SPDX-License-Identifier: Apache-2.0 */
/* Thrust between kernels: its kernels are compiled into the program. */
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include "between.h"

static const int n = 5000, threads = 128;

__global__ void mix(unsigned *x, int turn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = (i * 2654435761u + turn) >> 12;
}

__global__ void halve(unsigned *out, const unsigned *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[n - 1 - i] / 2;
}

struct square {
    __host__ __device__ unsigned operator()(unsigned x) const
    {
        return x % 1000 * (x % 1000);
    }
};

int main(void)
{
    const int blocks = blocks_for(n, threads);
    thrust::device_vector<unsigned> x(n), y(n);
    unsigned *dx = thrust::raw_pointer_cast(x.data()),
             *dy = thrust::raw_pointer_cast(y.data());
    bool right = true;

    for (int turn = 0; turn < 2; turn++) {
        mix<<<blocks, threads>>>(dx, turn);
        thrust::sort(x.begin(), x.end());
        halve<<<blocks, threads>>>(dy, dx);
        unsigned sum = thrust::reduce(y.begin(), y.end());

        thrust::transform(y.begin(), y.end(), x.begin(), square());
        thrust::inclusive_scan(x.begin(), x.end(), x.begin());
        halve<<<blocks, threads>>>(dy, dx);
        unsigned *host = on_host(dy, n), *sums = on_host(dx, n);

        for (int i = 0; i < n; i++)
            right = right && host[i] == sums[n - 1 - i] / 2;
        printf("turn %d: %u %u\n", turn, sum, checksum(host, n * sizeof *host));
        free(host), free(sums);
    }
    return verdict("thrust_between", right);
}
