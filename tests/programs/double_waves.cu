/* SPDX-License-Identifier: Apache-2.0 */
/* Waves in double precision: sin() and pow() call functions that read a table of numbers,
   which are no addresses. */
#include "programs.h"
#include <cmath>

__global__ void waves(double *out, int count, double turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        out[i] = sin(i * turns) + cos(i * 0.01) + pow(i * 0.5, 1.25);
}

int main()
{
    const int count = 3000;
    static double got[count];
    double worst = 0, *d_out;

    CHECK(cudaMalloc(&d_out, sizeof got));
    for (int t = 1; t <= 3; t++)
        waves<<<blocks_for(count, 128), 128>>>(d_out, count, t * 1e5);
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        worst = fmax(worst,
                     fabs(got[i] - (sin(i * 3e5) + cos(i * 0.01) + pow(i * 0.5, 1.25))));
    printf("double_waves: %08x\n", checksum(got, sizeof got));
    return verdict("double_waves", worst < 1e-9);
}
