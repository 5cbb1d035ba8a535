/* SPDX-License-Identifier: Apache-2.0 */
/* Planes of a field whose addresses are in a struct passed by value. The grid, a loop or a
   parameter selects the plane. */
#include "programs.h"
#include <vector>

enum { PLANES = 4, N = 50000 };

struct Planes {
    float *plane[PLANES];
    int n;
};

/* One plane for each row of the grid. */
__global__ void scale(Planes p, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < p.n)
        p.plane[blockIdx.y][i] *= by + blockIdx.y;
}

__global__ void sum(Planes p, int planes, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float all = 0;

    if (i >= p.n)
        return;
    for (int k = 0; k < planes; k++)
        all += p.plane[k][p.n - 1 - i];
    out[i] = all;
}

__global__ void put(Planes p, int which, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < p.n)
        p.plane[which][i] = in[i] / 16;
}

int main(void)
{
    std::vector<float> host(N), expected[PLANES], total(N);
    Planes p;
    float *out;
    unsigned state = 3;
    const dim3 grid(blocks_for(N, 128), PLANES), line(blocks_for(N, 128));

    p.n = N;
    for (int k = 0; k < PLANES; k++) {
        CHECK(cudaMalloc(&p.plane[k], N * sizeof(float)));
        for (int i = 0; i < N; i++)
            host[i] = (float)(next_random(&state) % 64);
        expected[k] = host;
        CHECK(
            cudaMemcpy(p.plane[k], host.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    }
    CHECK(cudaMalloc(&out, N * sizeof(float)));
    for (int round = 0; round < 6; round++) {
        const int which = round * 3 % PLANES;

        scale<<<grid, 128>>>(p, 1);
        sum<<<line, 128>>>(p, PLANES, out);
        put<<<line, 128>>>(p, which, out);
        for (int k = 0; k < PLANES; k++)
            for (int i = 0; i < N; i++)
                expected[k][i] *= (float)(1 + k);
        for (int i = 0; i < N; i++) {
            total[i] = 0;
            for (int k = 0; k < PLANES; k++)
                total[i] += expected[k][N - 1 - i];
        }
        for (int i = 0; i < N; i++)
            expected[which][i] = total[i] / 16;
    }
    bool good = true;

    for (int k = 0; k < PLANES; k++) {
        CHECK(
            cudaMemcpy(host.data(), p.plane[k], N * sizeof(float), cudaMemcpyDeviceToHost));
        good = good && host == expected[k];
        printf("plane %d: checksum %08x\n", k, checksum(host.data(), N * sizeof(float)));
    }
    return verdict("chosen_planes", good);
}
