/* SPDX-License-Identifier: Apache-2.0 */
/* All pairs of bodies, in managed memory, a few steps with two sets of positions. */
#include "programs.h"
#include <math.h>

enum { BODIES = 1000, THREADS = 128, STEPS = 4 };

__global__ void integrate(const float4 *__restrict__ from, float4 *__restrict__ to,
                          float4 *velocity, int n, float dt)
{
    extern __shared__ float4 shared[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? from[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);

    for (int tile = 0; tile < n; tile += blockDim.x) {
        int j = tile + threadIdx.x;

        shared[threadIdx.x] = j < n ? from[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float3 r =
                make_float3(shared[k].x - me.x, shared[k].y - me.y, shared[k].z - me.z);
            float square = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
            float inverse = rsqrtf(square), by = shared[k].w * inverse * inverse * inverse;

            a.x += r.x * by;
            a.y += r.y * by;
            a.z += r.z * by;
        }
        __syncthreads();
    }
    if (i >= n)
        return;
    float4 v = velocity[i];

    v.x += a.x * dt, v.y += a.y * dt, v.z += a.z * dt;
    velocity[i] = v;
    to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

static void integrate_on_host(const double (*from)[4], double (*to)[4], double (*v)[3],
                              double dt)
{
    for (int i = 0; i < BODIES; i++) {
        double a[3] = {0, 0, 0};

        for (int j = 0; j < BODIES; j++) {
            double r[3], square = 0.01;

            for (int d = 0; d < 3; d++) {
                r[d] = from[j][d] - from[i][d];
                square += r[d] * r[d];
            }
            for (int d = 0; d < 3; d++)
                a[d] += from[j][3] * r[d] / (square * sqrt(square));
        }
        for (int d = 0; d < 3; d++) {
            v[i][d] += a[d] * dt;
            to[i][d] = from[i][d] + v[i][d] * dt;
        }
        to[i][3] = from[i][3];
    }
}

int main(void)
{
    static double p[2][BODIES][4], v[BODIES][3];
    float4 *position[2], *velocity;
    double worst = 0;
    unsigned state = 12;

    for (int k = 0; k < 2; k++)
        CHECK(cudaMallocManaged(&position[k], BODIES * sizeof(float4)));
    CHECK(cudaMallocManaged(&velocity, BODIES * sizeof(float4)));
    memset(velocity, 0, BODIES * sizeof(float4));
    for (int i = 0; i < BODIES; i++) {
        float x = next_random(&state) / 16777216.f, y = next_random(&state) / 16777216.f,
              z = next_random(&state) / 16777216.f;

        position[0][i] = make_float4(x, y, z, 1.f / BODIES);
        p[0][i][0] = x, p[0][i][1] = y, p[0][i][2] = z, p[0][i][3] = 1.f / BODIES;
    }
    for (int s = 0; s < STEPS; s++)
        integrate<<<blocks_for(BODIES, THREADS), THREADS, THREADS * sizeof(float4)>>>(
            position[s % 2], position[(s + 1) % 2], velocity, BODIES, 0.01f);
    CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < STEPS; s++)
        integrate_on_host(p[s % 2], p[(s + 1) % 2], v, 0.01);
    const float4 *last = position[STEPS % 2];
    double centre[3] = {0, 0, 0};

    for (int i = 0; i < BODIES; i++) {
        const float is[3] = {last[i].x, last[i].y, last[i].z};

        for (int d = 0; d < 3; d++) {
            worst = fmax(worst, fabs(is[d] - p[STEPS % 2][i][d]));
            centre[d] += is[d] / (double)BODIES;
        }
    }
    printf("centre %.3f %.3f %.3f\n", centre[0], centre[1], centre[2]);
    for (int k = 0; k < 2; k++)
        CHECK(cudaFree(position[k]));
    CHECK(cudaFree(velocity));
    return verdict("nbody", worst < 1e-4);
}
