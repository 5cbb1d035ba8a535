/* SPDX-License-Identifier: Apache-2.0 */
/* Implicit diffusion along the columns of grids of several heights. Each thread eliminates
   down its column and substitutes back up. The compiler processes a remainder and then four
   rows at once, so the start of the second loop depends on the remainder. */
#include "programs.h"

#include <math.h>

enum { ROWS_MAX = 45, WIDTH = 150, CELLS = ROWS_MAX * WIDTH };

__global__ void solve(const double *rate, double *heat, double *factor, int rows, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;

    if (x >= width)
        return;
    factor[x] = -rate[x] / (1 + 2 * rate[x]);
    heat[x] /= 1 + 2 * rate[x];
    for (int y = 1; y < rows; y++) {
        int i = y * width + x;
        double rest = 1 + 2 * rate[i] + rate[i] * factor[i - width];

        factor[i] = -rate[i] / rest;
        heat[i] = (heat[i] + rate[i] * heat[i - width]) / rest;
    }
    for (int y = rows - 2; y >= 0; y--)
        heat[y * width + x] -= factor[y * width + x] * heat[(y + 1) * width + x];
}

/* Largest residual of the solution. */
static double error_of(const double *rate, const double *from, const double *got, int rows)
{
    double most = 0;

    for (int i = 0; i < rows * WIDTH; i++) {
        double is = (1 + 2 * rate[i]) * got[i];

        is -= i >= WIDTH ? rate[i] * got[i - WIDTH] : 0;
        is -= i < (rows - 1) * WIDTH ? rate[i] * got[i + WIDTH] : 0;
        most = fmax(most, fabs(is - from[i]));
    }
    return most;
}

int main(void)
{
    static double rate[CELLS], from[CELLS], got[CELLS];
    double *d_rate, *d_heat, *d_factor, most = 0;
    unsigned state = 5;

    for (int i = 0; i < CELLS; i++) {
        rate[i] = next_random(&state) % 1000 / 1000.;
        from[i] = next_random(&state) % 1000 / 10.;
    }
    CHECK(cudaMalloc(&d_rate, sizeof rate));
    CHECK(cudaMemcpy(d_rate, rate, sizeof rate, cudaMemcpyHostToDevice));
    for (int rows = ROWS_MAX - 3; rows <= ROWS_MAX; rows++) {
        const size_t bytes = rows * WIDTH * sizeof(double);

        CHECK(cudaMalloc(&d_heat, bytes));
        CHECK(cudaMalloc(&d_factor, bytes));
        CHECK(cudaMemcpy(d_heat, from, bytes, cudaMemcpyHostToDevice));
        solve<<<blocks_for(WIDTH, 32), 32>>>(d_rate, d_heat, d_factor, rows, WIDTH);
        CHECK(cudaMemcpy(got, d_heat, bytes, cudaMemcpyDeviceToHost));
        printf("%d rows: %08x\n", rows, checksum(got, bytes));
        most = fmax(most, error_of(rate, from, got, rows));
        CHECK(cudaFree(d_heat));
        CHECK(cudaFree(d_factor));
    }
    CHECK(cudaFree(d_rate));
    return verdict("implicit_lines", most < 1e-9);
}
