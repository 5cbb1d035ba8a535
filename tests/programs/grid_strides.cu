/* SPDX-License-Identifier: Apache-2.0 */
/* Grid-stride loops whose stride is in a variable. The compiler processes the remainder one
   by one and then four iterations at once. Grids are wider than the arrays, or cover them
   in two, three or many iterations. */
#include "programs.h"

enum { N = 30013, THREADS = 256, GRIDS = 6 };

static const int grids[GRIDS] = {118, 131, 61, 40, 29, 5};

__global__ void accumulate(const float *__restrict__ from, const float *__restrict__ rate,
                           float *__restrict__ to, int n)
{
    const int width = blockDim.x * gridDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += width)
        to[i] = to[i] * 0.5f + from[i] * rate[i];
}

__global__ void drift(float2 *__restrict__ place, float2 *__restrict__ speed, float step,
                      int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int width = blockDim.x * gridDim.x;

    for (int i = first; i < n; i += width) {
        float2 p = place[i], s = speed[i];

        s.x -= step * p.x;
        s.y -= step * p.y;
        p.x += step * s.x;
        p.y += step * s.y;
        place[i] = p;
        speed[i] = s;
    }
}

static float from[N], rate[N], to[N], expected[N];
static float2 place[N], speed[N], moved[N];

template <class T> static T *put(const T *host)
{
    T *array;

    CHECK(cudaMalloc((void **)&array, N * sizeof(T)));
    CHECK(cudaMemcpy(array, host, N * sizeof(T), cudaMemcpyHostToDevice));
    return array;
}

int main(void)
{
    unsigned state = 7;
    bool right = true;

    for (int i = 0; i < N; i++) {
        from[i] = (int)(next_random(&state) % 64);
        rate[i] = (int)(next_random(&state) % 16);
        place[i] = make_float2(i % 31, i % 17);
    }
    /* Adjacent arrays, with more memory after the last. */
    float *d_from = put(from), *d_rate = put(rate), *d_to = put(to);
    float2 *d_place = put(place), *d_speed = put(speed), *beyond = put(place);

    for (int g = 0; g < GRIDS; g++) {
        accumulate<<<grids[g], THREADS>>>(d_from, d_rate, d_to, N);
        drift<<<grids[g], THREADS>>>(d_place, d_speed, 0.25f, N);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(to, d_to, sizeof to, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(moved, d_place, sizeof moved, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        for (int g = 0; g < GRIDS; g++)
            expected[i] = expected[i] * 0.5f + from[i] * rate[i];
        right = right && to[i] == expected[i];
    }
    printf("checksum %08x %08x\n", checksum(to, sizeof to), checksum(moved, sizeof moved));
    CHECK(cudaMemcpy(place, beyond, sizeof place, cudaMemcpyDeviceToHost));
    right = right && place[N - 1].x == (N - 1) % 31;
    CHECK(cudaFree(d_from));
    CHECK(cudaFree(d_rate));
    CHECK(cudaFree(d_to));
    CHECK(cudaFree(d_place));
    CHECK(cudaFree(d_speed));
    CHECK(cudaFree(beyond));
    return verdict("grid_strides", right);
}
