/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of a program about its device, its kernels and its memory. */
#include "check.cuh"
#include <cstring>

__global__ void tile(float *x)
{
    __shared__ float part[256];

    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = part[255 - threadIdx.x];
}

__global__ __launch_bounds__(128) void small(float *x)
{
    x[threadIdx.x] = 0;
}

int main()
{
    cudaDeviceProp p;
    cudaFuncAttributes f;
    cudaPointerAttributes a;
    int count = 0, device = -1, value = 0, version = 0, blocks = 0, least = 0;
    size_t before, after, total, dynamic;
    float *x, *host, *managed, local;

    MUST(cudaGetDeviceCount(&count));
    MUST(cudaSetDevice(0));
    MUST(cudaGetDevice(&device));
    HOLDS(count == 1 && device == 0);
    HOLDS(cudaSetDevice(1) == cudaErrorInvalidDevice);
    HOLDS(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    HOLDS(cudaGetLastError() == cudaErrorInvalidDevice);
    HOLDS(cudaGetLastError() == cudaSuccess);
    MUST(cudaGetDeviceProperties(&p, 0));
    printf("%s %d.%d, %d SMs, %zu MB, %d threads, warp %d, %zu + %zu bytes shared\n",
           p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem >> 20,
           p.maxThreadsPerBlock, p.warpSize, p.sharedMemPerBlock, p.sharedMemPerBlockOptin);
    HOLDS(p.maxGridSize[1] == 65535 && p.maxThreadsDim[2] == 64 && p.unifiedAddressing);
    HOLDS(p.maxThreadsPerMultiProcessor == 2048 && p.l2CacheSize > 1 << 20);
    MUST(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    HOLDS(value == p.multiProcessorCount);
    MUST(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    HOLDS(value > 500000);
    /* Values that programs use as divisors or buffer sizes. */
    MUST(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryClockRate, 0));
    HOLDS(2.0 * value * p.memoryBusWidth / 8 / 1e6 > 4000);
    HOLDS(2.0 * value * p.memoryBusWidth / 8 / 1e6 < 4900);
    MUST(cudaDeviceGetAttribute(&value, cudaDevAttrTexturePitchAlignment, 0));
    HOLDS(value > 0 && value == (int)p.texturePitchAlignment);
    MUST(cudaDeviceGetAttribute(&value, cudaDevAttrSurfaceAlignment, 0));
    HOLDS(value > 0 && value == (int)p.surfaceAlignment);
    MUST(cudaDeviceGetAttribute(&value, cudaDevAttrHostNumaId, 0));
    HOLDS(value == p.hostNumaId);
    HOLDS(p.regsPerBlock > 0 && p.regsPerMultiprocessor > 0 && p.memPitch > 0);
    HOLDS(p.totalConstMem > 0 && p.textureAlignment > 0 && p.asyncEngineCount > 0);
    HOLDS(p.sharedMemPerMultiprocessor > p.sharedMemPerBlockOptin);
    /* Not supported. */
    MUST(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, 0));
    HOLDS(!value && !p.concurrentManagedAccess && !p.persistingL2CacheMaxSize);
    MUST(cudaDriverGetVersion(&version));
    MUST(cudaRuntimeGetVersion(&value));
    HOLDS(version >= 13000 && value == 13000);

    MUST(cudaMemGetInfo(&before, &total));
    MUST(cudaMalloc(&x, 1 << 20));
    MUST(cudaMemGetInfo(&after, &total));
    HOLDS(before - after == 1 << 20 && total == p.totalGlobalMem);
    MUST(cudaMallocHost(&host, 4096));
    MUST(cudaMallocManaged(&managed, 4096));
    MUST(cudaPointerGetAttributes(&a, x + 100));
    HOLDS(a.type == cudaMemoryTypeDevice && a.devicePointer == x + 100 && !a.hostPointer);
    MUST(cudaPointerGetAttributes(&a, host));
    HOLDS(a.type == cudaMemoryTypeHost && a.hostPointer == host);
    MUST(cudaPointerGetAttributes(&a, managed));
    HOLDS(a.type == cudaMemoryTypeManaged);
    MUST(cudaPointerGetAttributes(&a, &local));
    HOLDS(a.type == cudaMemoryTypeUnregistered);

    MUST(cudaFuncGetAttributes(&f, tile));
    HOLDS(f.sharedSizeBytes == 1024 && f.maxThreadsPerBlock == 1024 && f.numRegs > 0);
    MUST(cudaFuncGetAttributes(&f, (const void *)small));
    HOLDS(f.maxThreadsPerBlock == 128);
    MUST(cudaFuncSetAttribute(tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 99 << 10));
    HOLDS(cudaFuncSetAttribute(tile, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               1 << 20) == cudaErrorInvalidValue);
    MUST(cudaFuncSetCacheConfig(tile, cudaFuncCachePreferShared));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tile, 256, 0));
    HOLDS(blocks == 8);
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tile, 256, 99 << 10));
    HOLDS(blocks == 2);
    MUST(cudaOccupancyMaxPotentialBlockSize(&least, &blocks, tile, 0, 0));
    HOLDS(blocks == 1024 && least == 2 * p.multiProcessorCount);
    MUST(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, tile, 4, 256));
    HOLDS(dynamic > 48 << 10);
    HOLDS(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);
    HOLDS(strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady") == 0);
    MUST(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 22));
    MUST(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    return 0;
}
