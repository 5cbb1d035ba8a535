/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that all attract each other: tiles of positions in shared memory, a kernel for
   the accelerations and one for the motion, positions in two buffers. Plain CUDA for one
   GPU, for nvcc and proactcc. Prints a checksum of the last positions and velocities.
   Usage: n_body [BODIES [STEPS]] */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "check.cuh"

enum { TILE = 128, LARGEST = 1 << 22 };

__device__ float3 pull(float4 on, float4 from, float3 a)
{
    float dx = from.x - on.x, dy = from.y - on.y, dz = from.z - on.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f);
    float strength = from.w * inverse * inverse * inverse;

    return make_float3(a.x + dx * strength, a.y + dy * strength, a.z + dz * strength);
}

/* The fourth component of a position is the mass. */
__global__ void accelerate(const float4 *position, float4 *acceleration, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 body = i < n ? position[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);

    for (int first = 0; first < n; first += TILE) {
        int j = first + threadIdx.x;

        tile[threadIdx.x] = j < n ? position[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < TILE; k++)
            a = pull(body, tile[k], a);
        __syncthreads();
    }
    if (i < n)
        acceleration[i] = make_float4(a.x, a.y, a.z, 0);
}

__global__ void integrate(const float4 *from, float4 *to, float4 *velocity,
                          const float4 *acceleration, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float4 p = from[i], v = velocity[i], a = acceleration[i];

    v.x += a.x * dt;
    v.y += a.y * dt;
    v.z += a.z * dt;
    velocity[i] = v;
    to[i] = make_float4(p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt, p.w);
}

static float next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (1 << 24);
}

static void start(std::vector<float4> &position, std::vector<float4> &velocity)
{
    uint32_t state = 12345;

    for (size_t i = 0; i < position.size(); i++) {
        float x = next_random(&state) - 0.5f, y = next_random(&state) - 0.5f;
        float z = next_random(&state) - 0.5f;

        position[i] = make_float4(x, y, z, 1.0f / position.size());
        velocity[i] = make_float4(-y, x, 0, 0);
    }
}

static uint64_t checksum_of(const float4 *on_device, size_t count)
{
    std::vector<uint32_t> words(4 * count);
    uint64_t sum = 1469598103934665603u;

    CHECK(cudaMemcpy(words.data(), on_device, count * sizeof *on_device,
                     cudaMemcpyDeviceToHost));
    for (uint32_t word : words)
        sum = (sum ^ word) * 1099511628211u;
    return sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 65536, steps = argc > 2 ? atoi(argv[2]) : 100;

    if (argc > 3 || n < 1 || n > LARGEST || steps < 0) {
        fprintf(stderr, "usage: n_body [BODIES [STEPS]], at most %d bodies\n", LARGEST);
        return 2;
    }
    std::vector<float4> p(n), v(n);
    size_t bytes = n * sizeof(float4);
    int ctas = (n + TILE - 1) / TILE;
    float4 *from, *to, *velocity, *acceleration;

    start(p, v);
    for (float4 **array : {&from, &to, &velocity, &acceleration})
        CHECK(cudaMalloc(array, bytes));
    CHECK(cudaMemcpy(from, p.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(velocity, v.data(), bytes, cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        accelerate<<<ctas, TILE>>>(from, acceleration, n);
        CHECK(cudaGetLastError());
        integrate<<<ctas, TILE>>>(from, to, velocity, acceleration, n, 1e-3f);
        CHECK(cudaGetLastError());
        std::swap(from, to);
    }
    printf("n_body: %d bodies, %d steps, checksum %016llx\n", n, steps,
           (unsigned long long)(checksum_of(from, n) ^ 3 * checksum_of(velocity, n)));
    for (float4 *array : {from, to, velocity, acceleration})
        CHECK(cudaFree(array));
    return 0;
}
