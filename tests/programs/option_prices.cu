/* SPDX-License-Identifier: Apache-2.0 */
/* Black-Scholes with a polynomial for the normal distribution; the same options several
   times. */
#include "programs.h"
#include <math.h>

static __host__ __device__ float cnd(float d)
{
    const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f,
                a5 = 1.330274429f;
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) *
              (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));

    return d > 0 ? 1.0f - c : c;
}

static __host__ __device__ void price(float *call, float *put, float s, float x, float t,
                                      float r, float v)
{
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
    float later = x * expf(-r * t);

    *call = s * cnd(d1) - later * cnd(d2);
    *put = later * (1.0f - cnd(d2)) - s * (1.0f - cnd(d1));
}

__launch_bounds__(128) __global__
    void BlackScholes(float2 *__restrict__ call, float2 *__restrict__ put,
                      const float2 *__restrict__ s, const float2 *__restrict__ x,
                      const float2 *__restrict__ t, float r, float v, int pairs)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;

    if (i < pairs) {
        float2 c, p;

        price(&c.x, &p.x, s[i].x, x[i].x, t[i].x, r, v);
        price(&c.y, &p.y, s[i].y, x[i].y, t[i].y, r, v);
        call[i] = c;
        put[i] = p;
    }
}

int main(void)
{
    const int n = 40000, rounds = 3;
    const float r = 0.02f, v = 0.30f;
    float *h[5], *d[5];
    unsigned state = 5347;
    double sum = 0, reference = 0, error = 0;

    for (int k = 0; k < 5; k++) {
        h[k] = (float *)malloc(n * sizeof(float));
        CHECK(cudaMalloc(&d[k], n * sizeof(float)));
    }
    for (int i = 0; i < n; i++) {
        h[2][i] = 5.f + 25.f * (next_random(&state) / 16777216.f);
        h[3][i] = 1.f + 99.f * (next_random(&state) / 16777216.f);
        h[4][i] = 0.25f + 9.75f * (next_random(&state) / 16777216.f);
    }
    for (int k = 2; k < 5; k++)
        CHECK(cudaMemcpy(d[k], h[k], n * sizeof(float), cudaMemcpyHostToDevice));
    for (int k = 0; k < rounds; k++)
        BlackScholes<<<blocks_for(n / 2, 128), 128>>>((float2 *)d[0], (float2 *)d[1],
                                                      (float2 *)d[2], (float2 *)d[3],
                                                      (float2 *)d[4], r, v, n / 2);
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < 2; k++)
        CHECK(cudaMemcpy(h[k], d[k], n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        float call, put;

        price(&call, &put, h[2][i], h[3][i], h[4][i], r, v);
        error += fabs((double)call - h[0][i]) + fabs((double)put - h[1][i]);
        reference += fabs((double)call) + fabs((double)put);
        sum += (double)h[0][i] + h[1][i];
    }
    printf("mean %.2f\n", sum / n);
    for (int k = 0; k < 5; k++)
        CHECK(cudaFree(d[k]));
    return verdict("option_prices", error < 1e-5 * reference);
}
