/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that run on one device: only device 0 has their textures, or they write memory
   that they read through a texture. The results are right (split_textures.sh). */
#include "textures.cuh"

enum { N = 4096 };

struct four {
    cudaTextureObject_t t[4];
};

__global__ void from_memory(float *out, const cudaTextureObject_t *t, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = tex1Dfetch<float>(t[which], i);
}

__global__ void computed(float *out, cudaTextureObject_t t, unsigned by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = tex1Dfetch<float>(t - by, i);
}

__global__ void one_of_four(float *out, four f, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = tex1Dfetch<float>(f.t[which], i);
}

__global__ void in_place(float *x, cudaTextureObject_t t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    x[i] = tex1Dfetch<float>(t, i) * 2;
}

__global__ void by_surface(float *out, cudaSurfaceObject_t s, cudaTextureObject_t t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = surf1Dread<float>(s, i * 4) + tex1Dfetch<float>(t, i);
}

__global__ void keeps(float *out, unsigned long long *kept, cudaTextureObject_t t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = tex1Dfetch<float>(t, i);
    kept[i] = t;
}

__global__ void keeps_too(float *out, unsigned long long *kept, cudaTextureObject_t plane)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = tex1D<float>(plane, i + 0.5f);
    kept[i] = plane;
}

/* The coordinate depends on an array's address. */
__global__ void looks_there(float *out, cudaTextureObject_t t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = (int)((unsigned long long)&out[i] / sizeof *out % 4096);

    out[i] = tex1Dfetch<float>(t, at) * 0 + 1;
}

/* The texture contains addresses. */
__global__ void follows(float *out, cudaTextureObject_t addresses)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint2 a = tex1Dfetch<uint2>(addresses, i);

    out[i] = *(const float *)((unsigned long long)a.y << 32 | a.x);
}

/* Not inlined: it calls itself. */
static __device__ __noinline__ float deep(cudaTextureObject_t t, int i, int depth)
{
    float f = tex1Dfetch<float>(t, i);

    return depth ? f - deep(t, i, depth - 1) + f : f;
}

__global__ void calls(float *out, cudaTextureObject_t t, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = deep(t, i, depth);
}

static float in[N], out[N];

/* Expects the values read, times `by`. */
static void expect(const float *from, float by)
{
    MUST(cudaMemcpy(out, from, sizeof out, cudaMemcpyDeviceToHost));
    for (int n = 0; n < N; n++)
        HOLDS(out[n] == in[n] * by);
}

int main()
{
    const dim3 grid(N / 64), block(64);
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t, addresses, *table;
    static float *places[N];
    cudaArray_t array;
    unsigned long long *kept;
    float *x, *result;

    fill(in, N);
    MUST(cudaMalloc(&x, sizeof in));
    MUST(cudaMalloc(&result, sizeof in));
    MUST(cudaMalloc(&kept, N * sizeof *kept));
    MUST(cudaMalloc(&table, 4 * sizeof t));
    MUST(cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice));
    MUST(cudaMallocArray(&array, &channel, N, 0, cudaArraySurfaceLoadStore));
    MUST(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in, sizeof in, 1,
                             cudaMemcpyHostToDevice));
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = x;
    what.res.linear.desc = channel;
    what.res.linear.sizeInBytes = sizeof in;
    MUST(cudaCreateTextureObject(&t, &what, &how, nullptr));
    cudaSurfaceObject_t s = surface_of(array);
    cudaTextureObject_t plane = texture_of(array, how);
    const four f = {{t, t, t, t}};

    MUST(cudaMemcpy(table, f.t, sizeof f, cudaMemcpyHostToDevice));
    for (int round = 0; round < 2; round++) {
        from_memory<<<grid, block>>>(result, table, 2);
        expect(result, 1);
        computed<<<grid, block>>>(result, t + 7, 7);
        expect(result, 1);
        one_of_four<<<grid, block>>>(result, f, 3);
        expect(result, 1);
        by_surface<<<grid, block>>>(result, s, t);
        expect(result, 2);
        keeps<<<grid, block>>>(result, kept, t);
        expect(result, 1);
        keeps_too<<<grid, block>>>(result, kept, plane);
        expect(result, 1);
        calls<<<grid, block>>>(result, t, 2);
        expect(result, 1);
    }
    for (int n = 0; n < N; n++)
        places[n] = x + n;
    MUST(cudaMemcpy(kept, places, sizeof places, cudaMemcpyHostToDevice));
    what.res.linear.devPtr = kept;
    what.res.linear.desc = cudaCreateChannelDesc<uint2>();
    what.res.linear.sizeInBytes = sizeof places;
    MUST(cudaCreateTextureObject(&addresses, &what, &how, nullptr));
    follows<<<grid, block>>>(result, addresses);
    expect(result, 1);
    looks_there<<<grid, block>>>(result, t);
    MUST(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    HOLDS(out[0] == 1 && out[N - 1] == 1);
    in_place<<<grid, block>>>(x, t);
    expect(x, 2);
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaDestroyTextureObject(plane));
    MUST(cudaDestroyTextureObject(addresses));
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(x));
    MUST(cudaFree(result));
    MUST(cudaFree(kept));
    MUST(cudaFree(table));
    printf("whole textures: as they are\n");
    return 0;
}
