/* SPDX-License-Identifier: Apache-2.0 */
/* Stream-ordered memory allocation, and memory pools. */
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

static uint64_t bytes_of(cudaMemPool_t pool, cudaMemPoolAttr what)
{
    uint64_t bytes = ~0ull;

    MUST(cudaMemPoolGetAttribute(pool, what, &bytes));
    return bytes;
}

/* Each pool counts its own allocations, and no other memory. */
static void counts(cudaMemPool_t standard, cudaMemPool_t pool, cudaStream_t stream)
{
    enum { BYTES = 1 << 16 };
    void *x, *y, *z, *other;
    uint64_t zero = 0, one = 1;

    MUST(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrUsedMemHigh, &zero));
    MUST(cudaMalloc(&other, BYTES));
    MUST(cudaMallocAsync(&x, BYTES, stream));
    MUST(cudaMallocAsync(&y, 2 * BYTES, stream));
    MUST(cudaMallocFromPoolAsync(&z, 4 * BYTES, pool, stream));
    HOLDS(bytes_of(standard, cudaMemPoolAttrUsedMemCurrent) == 3 * BYTES);
    HOLDS(bytes_of(pool, cudaMemPoolAttrUsedMemCurrent) == 4 * BYTES);
    MUST(cudaFreeAsync(y, stream));
    HOLDS(bytes_of(standard, cudaMemPoolAttrUsedMemCurrent) == BYTES);
    HOLDS(bytes_of(standard, cudaMemPoolAttrUsedMemHigh) == 3 * BYTES);
    HOLDS(bytes_of(standard, cudaMemPoolAttrReservedMemCurrent) >= BYTES);
    HOLDS(bytes_of(standard, cudaMemPoolAttrReservedMemHigh) >= 3 * BYTES);
    MUST(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrUsedMemHigh, &zero));
    HOLDS(bytes_of(standard, cudaMemPoolAttrUsedMemHigh) == BYTES);
    HOLDS(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrUsedMemHigh, &one));
    HOLDS(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrUsedMemCurrent, &zero));
    cudaGetLastError();
    MUST(cudaFree(z));
    MUST(cudaFreeAsync(x, stream));
    MUST(cudaFree(other));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemPoolTrimTo(standard, 0));
    for (cudaMemPool_t p : {standard, pool}) {
        HOLDS(!bytes_of(p, cudaMemPoolAttrUsedMemCurrent));
        HOLDS(!bytes_of(p, cudaMemPoolAttrReservedMemCurrent));
    }
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

/* A stream may reuse memory that it freed; another stream may do so only after it. Anything
   else is a race on checked devices. */
static void reuse(cudaStream_t one, cudaStream_t two)
{
    enum { COUNT = 1 << 14, ROUNDS = 4 };
    int *back[2];
    bool right = true;

    for (int *&b : back)
        MUST(cudaMallocHost(&b, COUNT * sizeof *b));
    for (int round = 0; round < ROUNDS; round++) {
        int *x, *y, *z;

        MUST(cudaMallocAsync(&x, COUNT * sizeof *x, one));
        fill<<<COUNT / 128, 128, 0, one>>>(x, 2 * round);
        MUST(cudaMemcpyAsync(back[0], x, COUNT * sizeof *x, cudaMemcpyDeviceToHost, one));
        MUST(cudaFreeAsync(x, one));
        MUST(cudaMallocAsync(&y, COUNT * sizeof *y, two));
        fill<<<COUNT / 128, 128, 0, two>>>(y, 2 * round + 1);
        MUST(cudaMallocAsync(&z, COUNT * sizeof *z, one));
        HOLDS(y != x && z == x);
        fill<<<COUNT / 128, 128, 0, one>>>(z, -1);
        MUST(cudaMemcpyAsync(back[1], y, COUNT * sizeof *y, cudaMemcpyDeviceToHost, two));
        MUST(cudaFreeAsync(y, two));
        MUST(cudaFreeAsync(z, one));
        MUST(cudaDeviceSynchronize());
        for (int i = 0; i < COUNT; i++)
            right = right && back[0][i] == 2 * round && back[1][i] == 2 * round + 1;
    }
    for (int *b : back)
        MUST(cudaFreeHost(b));
    printf("given again: %s\n", right ? "right" : "wrong");
}

/* Memory cached for one stream is available to others if there is no other space. */
static void make_room(cudaStream_t stream)
{
    size_t room, all;
    char *most, *other;

    MUST(cudaMemGetInfo(&room, &all));
    if (all > (size_t)1 << 30)
        return; /* would fill the host's memory */
    MUST(cudaMallocAsync(&most, room / 10 * 9, stream));
    MUST(cudaFreeAsync(most, stream));
    MUST(cudaMallocAsync(&other, room / 20 * 19, stream));
    MUST(cudaFreeAsync(other, stream));
}

int main()
{
    cudaMemPool_t standard, pool, current;
    cudaMemPoolProps how = {};
    cudaMemAccessDesc access = {};
    cudaMemAccessFlags flags;
    cudaStream_t stream, second;
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
    counts(standard, pool, stream);
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
    MUST(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    reuse(stream, second);
    make_room(stream);
    MUST(cudaStreamDestroy(second));
    MUST(cudaStreamDestroy(stream));
    return 0;
}
