/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in stream order, and pools of it. */
#include "check.cuh"

#include <cstdint>

__global__ void fill(int *x, int value)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

static int sum(const int *x)
{
    static int host[256];
    int total = 0;

    MUST(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    for (int value : host)
        total += value;
    return total;
}

static void attributes(cudaMemPool_t pool)
{
    uint64_t threshold = UINT64_MAX, is = 0;
    int flag = 7, off = 0;

    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag));
    printf("opportunistic: %d\n", flag);
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &off));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag));
    printf("then: %d\n", flag);
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &is));
    printf("threshold: %llu\n", (unsigned long long)is);
    MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &is));
    HOLDS(is == threshold);
    MUST(cudaMemPoolTrimTo(pool, 0));
}

static void use(cudaMemPool_t pool, cudaStream_t stream)
{
    int *x, *y;

    MUST(cudaMallocAsync(&x, 256 * sizeof *x, stream));
    MUST(cudaMallocFromPoolAsync(&y, 256 * sizeof *y, pool, stream));
    fill<<<2, 128, 0, stream>>>(x, 3);
    fill<<<2, 128, 0, stream>>>(y, 4);
    MUST(cudaStreamSynchronize(stream));
    printf("%d %d\n", sum(x), sum(y));
    MUST(cudaFreeAsync(x, stream));
    MUST(cudaFreeAsync(y, stream));
}

int main()
{
    cudaMemPool_t standard, pool, current;
    cudaMemPoolProps how = {};
    cudaMemAccessDesc access = {};
    cudaMemAccessFlags flags;
    cudaStream_t stream;
    int supported = 0;

    MUST(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    HOLDS(supported);
    MUST(cudaStreamCreate(&stream));
    MUST(cudaDeviceGetDefaultMemPool(&standard, 0));
    attributes(standard);
    use(standard, stream);
    how.allocType = cudaMemAllocationTypePinned;
    how.location.type = cudaMemLocationTypeDevice;
    MUST(cudaMemPoolCreate(&pool, &how));
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    MUST(cudaMemPoolSetAccess(pool, &access, 1));
    MUST(cudaMemPoolGetAccess(&flags, pool, &access.location));
    HOLDS(flags == cudaMemAccessFlagsProtReadWrite);
    MUST(cudaDeviceSetMemPool(0, pool));
    MUST(cudaDeviceGetMemPool(&current, 0));
    HOLDS(current == pool);
    use(pool, stream);
    MUST(cudaMemPoolDestroy(pool));
    MUST(cudaDeviceGetMemPool(&current, 0));
    HOLDS(current == standard);
    printf("of another device: %s\n",
           cudaGetErrorName(cudaDeviceGetDefaultMemPool(&pool, 1)));
    cudaGetLastError();
    MUST(cudaStreamDestroy(stream));
    return 0;
}
