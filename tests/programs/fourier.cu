/* SPDX-License-Identifier: Apache-2.0 */
/* A Fourier transform by passes of base 2 (Stockham), forward and inverse. The two tones of
   the input appear in the spectrum, and the inverse restores the input. */
#include "programs.h"
#include <math.h>
#include <utility>

__global__ void fft_pass(const float2 *in, float2 *out, int half, int done, float sign)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= half)
        return;
    int k = i % done;
    float s, c;

    sincospif(sign * (float)k / (float)done, &s, &c);
    float2 a = in[i], b = in[i + half];
    float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    int to = (i / done) * 2 * done + k;

    out[to] = make_float2(a.x + t.x, a.y + t.y);
    out[to + done] = make_float2(a.x - t.x, a.y - t.y);
}

__global__ void scale(float2 *v, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        v[i].x *= by, v[i].y *= by;
}

static void transform(float2 *&from, float2 *&to, int n, float sign)
{
    for (int done = 1; done < n; done *= 2) {
        fft_pass<<<blocks_for(n / 2, 128), 128>>>(from, to, n / 2, done, sign);
        CHECK(cudaGetLastError());
        std::swap(from, to);
    }
}

int main(void)
{
    const int n = 1 << 15, low = 123, high = 4567;
    size_t bytes = n * sizeof(float2);
    float2 *h = (float2 *)malloc(bytes), *got = (float2 *)malloc(bytes), *d_from, *d_to;
    int loud = 0;
    bool right = true;

    for (int i = 0; i < n; i++) {
        double angle = 2 * M_PI * i / n;

        h[i].x = (float)(cos(low * angle) + 0.5 * cos(high * angle));
        h[i].y = (float)(sin(low * angle) + 0.5 * sin(high * angle));
    }
    CHECK(cudaMalloc(&d_from, bytes));
    CHECK(cudaMalloc(&d_to, bytes));
    CHECK(cudaMemcpy(d_from, h, bytes, cudaMemcpyHostToDevice));
    transform(d_from, d_to, n, -1.f);
    CHECK(cudaMemcpy(got, d_from, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        float size = hypotf(got[i].x, got[i].y) / n, must = i == low    ? 1
                                                            : i == high ? 0.5f
                                                                        : 0;

        right = right && fabsf(size - must) < 1e-4f;
        if (size > 0.25f) {
            printf("bin %d: %.2f\n", i, size);
            loud++;
        }
    }
    transform(d_from, d_to, n, 1.f);
    scale<<<blocks_for(n, 128), 128>>>(d_from, n, 1.f / n);
    CHECK(cudaMemcpy(got, d_from, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        right =
            right && fabsf(got[i].x - h[i].x) < 1e-4f && fabsf(got[i].y - h[i].y) < 1e-4f;
    CHECK(cudaFree(d_from));
    CHECK(cudaFree(d_to));
    return verdict("fourier", right && loud == 2);
}
