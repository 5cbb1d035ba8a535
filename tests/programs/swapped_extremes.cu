/* SPDX-License-Identifier: Apache-2.0 */
/* Maximum and minimum of floating-point numbers by compare-and-swap: the maximum of all
   nearest distances, and extremes by index. A kernel that uses the loaded value elsewhere
   would have to see the updates of other devices. */
#include "programs.h"

enum { POINTS = 6000, PLACES = 2048, ROUNDS = 3 };

__device__ static unsigned here()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static void raise(float *to, float value)
{
    unsigned was = __float_as_uint(*to);

    while (value > __uint_as_float(was)) {
        const unsigned tried = was;

        was = atomicCAS((unsigned *)to, tried, __float_as_uint(value));
        if (was == tried)
            break;
    }
}

__device__ static void lower(double *to, double value)
{
    unsigned long long *bits = (unsigned long long *)to, now = *bits, was;

    do {
        was = now;
        now = atomicCAS(bits, was,
                        __double_as_longlong(fmin(value, __longlong_as_double(was))));
    } while (now != was);
}

__global__ void find_farthest(const float2 *point, const float2 *of, float *farthest)
{
    const float2 p = point[here() % POINTS];
    float least = 1e30f;

    for (int n = 0; n < 200; n++)
        least = fminf(least, hypotf(p.x - of[n].x, p.y - of[n].y));
    raise(farthest, least);
}

__global__ void find_bounds(const float2 *point, float *most, double *least)
{
    const float2 p = point[here() % POINTS];
    const unsigned place = (unsigned)(p.x * p.y * 1e4f) % PLACES;

    raise(&most[place], p.x);
    lower(&least[place], p.y);
}

/* The number of tries is visible in addition to the result. */
__global__ void count_tries(const float2 *point, float *most, unsigned *tries)
{
    const float value = point[here() % POINTS].x;
    unsigned was = __float_as_uint(*most), count = 0, now;

    while (value > __uint_as_float(was)) {
        count++;
        now = atomicCAS((unsigned *)most, was, __float_as_uint(value));
        if (now == was)
            break;
        was = now;
    }
    tries[here()] = count ? 1 : 0;
}

/* The last store remains. */
__global__ void replace(const float2 *point, float *last)
{
    const float value = point[here() % POINTS].x;
    unsigned was = __float_as_uint(*last), now;

    while (value != __uint_as_float(was) &&
           (now = atomicCAS((unsigned *)last, was, __float_as_uint(value))) != was)
        was = now;
}

/* A maximum that stops where the content is at least as large. */
__global__ void stop_early(const float2 *point, float *most)
{
    const float value = point[here() % POINTS].x;
    unsigned was, now = __float_as_uint(*most);

    do {
        if (__uint_as_float(now) >= value)
            break;
        was = now;
        now = atomicCAS((unsigned *)most, was, __float_as_uint(value));
    } while (was != now);
}

/* Makes the missing ranges of the other devices large. */
__global__ void set(float *to, float value)
{
    to[here()] = value;
}

template <typename T> static T *copy(const T *from, size_t count)
{
    T *to;

    CHECK(cudaMalloc(&to, count * sizeof *to));
    CHECK(cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyHostToDevice));
    return to;
}

int main()
{
    static float2 host[POINTS];
    static float most[PLACES], farthest;
    static double least[PLACES], sum;
    unsigned seed = 1;

    for (int n = 0; n < POINTS; n++) {
        host[n].x = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24);
        host[n].y = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24);
    }
    float2 *points = copy(host, POINTS);
    float *d_most = copy(most, PLACES), *d_farthest = copy(&farthest, 1);
    double *d_least = copy(least, PLACES);
    unsigned *tries;

    CHECK(cudaMalloc(&tries, 6144 * sizeof *tries));
    for (int round = 0; round < ROUNDS; round++) {
        const float start = round - 1.0f;

        CHECK(cudaMemcpy(d_farthest, &start, sizeof start, cudaMemcpyHostToDevice));
        find_farthest<<<24, 256>>>(points, points + 1000 * round, d_farthest);
        CHECK(cudaMemcpy(&farthest, d_farthest, sizeof farthest, cudaMemcpyDeviceToHost));
        printf("farthest %.6f\n", farthest);
        set<<<PLACES / 256, 256>>>(d_most, 5);
        set<<<1, 256>>>(d_most, 0); /* one CTA, on device 0 only */
        for (int n = 0; n < PLACES; n++)
            least[n] = 2 - 0.9 * round;
        CHECK(cudaMemcpy(d_least, least, sizeof least, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(d_farthest, &start, sizeof start, cudaMemcpyHostToDevice));
        stop_early<<<24, 256>>>(points, d_farthest);
        CHECK(cudaMemcpy(&farthest, d_farthest, sizeof farthest, cudaMemcpyDeviceToHost));
        printf("most %.6f\n", farthest);
        find_bounds<<<24, 256>>>(points, d_most, d_least);
        CHECK(cudaMemcpy(most, d_most, sizeof most, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(least, d_least, sizeof least, cudaMemcpyDeviceToHost));
        sum = 0;
        for (int n = 0; n < PLACES; n++)
            sum += (n + 1) * (double)most[n] + n * least[n];
        printf("bounds %.9f\n", sum);
        count_tries<<<24, 256>>>(points, d_most, tries);
        replace<<<24, 256>>>(points, d_most);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(points));
    CHECK(cudaFree(d_most));
    CHECK(cudaFree(d_farthest));
    CHECK(cudaFree(d_least));
    CHECK(cudaFree(tries));
}
