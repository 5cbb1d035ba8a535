/* SPDX-License-Identifier: Apache-2.0 */
/* Batched copies between all kinds of memory, and refused batches. */
#include "check.cuh"

enum { N = 4096 };

__global__ void scale(float *x, float by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        x[i] *= by;
}

static void show(const char *what, const float *x)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        sum += x[i] * (1 + i % 5);
    printf("%s: %.1f\n", what, sum);
}

#if CUDART_VERSION >= 13000
static void copy(void *const *to, const void *const *from, const size_t *bytes, int count,
                 cudaMemcpySrcAccessOrder order, cudaStream_t stream)
{
    cudaMemcpyAttributes attributes[2] = {};
    size_t firsts[2] = {0, 1};

    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    attributes[1].srcAccessOrder = order;
    MUST(cudaMemcpyBatchAsync(to, from, bytes, count, attributes, firsts, 2, stream));
    firsts[0] = 1; /* the first copy has no attributes */
    HOLDS(cudaMemcpyBatchAsync(to, from, bytes, count, attributes, firsts, 1, stream) ==
          cudaErrorInvalidValue);
    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    firsts[0] = 0;
    HOLDS(cudaMemcpyBatchAsync(to, from, bytes, count, attributes, firsts, 1, stream) ==
          cudaErrorInvalidValue);
    HOLDS(cudaGetLastError() == cudaErrorInvalidValue);
}

static void prefetch(void *managed, cudaStream_t stream)
{
    size_t bytes = N * sizeof(float), first = 0;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};

    MUST(cudaMemPrefetchBatchAsync(&managed, &bytes, 1, &here, &first, 1, 0, stream));
}
#else /* older toolkits have no batches */
enum cudaMemcpySrcAccessOrder {
    cudaMemcpySrcAccessOrderStream,
    cudaMemcpySrcAccessOrderDuringApiCall
};

static void copy(void *const *to, const void *const *from, const size_t *bytes, int count,
                 cudaMemcpySrcAccessOrder order, cudaStream_t stream)
{
    for (int i = 0; i < count; i++)
        MUST(cudaMemcpyAsync(to[i], from[i], bytes[i], cudaMemcpyDefault, stream));
    if (order == cudaMemcpySrcAccessOrderDuringApiCall)
        MUST(cudaStreamSynchronize(stream));
}

static void prefetch(void *, cudaStream_t)
{
}
#endif

int main()
{
    static float host[N], back[N];
    float *pinned, *x, *y, *managed;
    cudaStream_t stream;

    MUST(cudaStreamCreate(&stream));
    MUST(cudaMallocHost(&pinned, sizeof host));
    MUST(cudaMalloc(&x, sizeof host));
    MUST(cudaMalloc(&y, sizeof host));
    MUST(cudaMallocManaged(&managed, sizeof host));
    for (int i = 0; i < N; i++)
        host[i] = pinned[i] = managed[i] = i % 7;
    prefetch(managed, stream);

    void *const in[] = {x, y, y + N / 2};
    const void *const from[] = {host, pinned, managed + N / 2};
    const size_t bytes[] = {sizeof host, sizeof host / 2, sizeof host / 2};

    copy(in, from, bytes, 3, cudaMemcpySrcAccessOrderDuringApiCall, stream);
    for (int i = 0; i < N; i++)
        pinned[i] = -1; /* has been read */
    scale<<<N / 128, 128, 0, stream>>>(x, 2);
    scale<<<N / 128, 128, 0, stream>>>(y, 3);

    void *const out[] = {back, pinned, x + 5};
    const void *const of[] = {x, y, y + 9};
    const size_t parts[] = {sizeof host, sizeof host, 100 * sizeof *x};

    copy(out, of, parts, 3, cudaMemcpySrcAccessOrderStream, stream);
    MUST(cudaStreamSynchronize(stream));
    show("x", back);
    show("y", pinned);
    MUST(cudaMemcpy(back, x, sizeof back, cudaMemcpyDeviceToHost));
    show("both", back);
    return 0;
}
