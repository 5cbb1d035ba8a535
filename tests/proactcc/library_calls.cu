/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of (fake) libraries between kernels that are split over the devices. A printed
   value is wrong if a call ran too early or too late, or if a kernel read an array's
   content from before the call. */
#include <cstdio>
#include <cstring>

#include "fake_library.h"

static const int n = 6000;

__global__ void ramp(float *x, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = factor * i;
}

__global__ void twice(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = 2 * x[n - 1 - i];
}

static float *array()
{
    float *x;

    cudaMalloc(&x, n * sizeof *x);
    cudaMemset(x, 0, n * sizeof *x);
    return x;
}

static double sum(const float *x)
{
    static float host[n];
    double total = 0;

    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        total += (i % 7 + 1) * host[i];
    return total;
}

static const int threads = 128, blocks = (n + threads - 1) / threads;

/* Kernel, library, kernel, without other calls between. */
static void between_kernels(struct fake_handle *h, const char *what, void *stream)
{
    float *a = array(), *b = array(), *c = array(), *d = array();

    cublasSetStream_v2(h, stream);
    for (int k = 1; k < 4; k++) {
        ramp<<<blocks, threads>>>(a, k);
        cublasScopy_v2(h, n, a, 1, b, 1);
        twice<<<blocks, threads>>>(c, b);
        cublasScopy_v2(h, n, c, 1, d, 1);
        cublasScopy_v2(h, n / 2, d + n / 2, 1, a, 1); /* after the library's own call */
        twice<<<blocks, threads>>>(d, a);
        printf("%s: %.0f %.0f %.0f %.0f\n", what, sum(a), sum(b), sum(c), sum(d));
    }
}

/* Only the handle knows the arrays: no argument of the call refers to them. */
static float *memory[3];

static void by_handle(void)
{
    struct fake_handle *h;

    for (float *&x : memory)
        x = array();
    cusparseCreate(&h);
    cusparseSetPointers(h, n, memory[0], memory[1]);
    for (int k = 1; k < 4; k++) {
        ramp<<<blocks, threads>>>(memory[0], k);
        cudaDeviceSynchronize();
        cusparseDoIt(h);
        twice<<<blocks, threads>>>(memory[2], memory[1]);
        printf("by handle: %.0f\n", sum(memory[2]));
    }
    cusparseDestroy(h);
}

/* Host memory with a copy on a device: a library fills it, and a kernel reads the new
   content. */
static void registered(void)
{
    static float mine[n];
    struct fake_handle *h;
    float *a = array(), *b = array(), *noted;

    cublasCreate_v2(&h);
    cudaHostRegister(mine, sizeof mine, cudaHostRegisterMapped);
    cudaHostGetDevicePointer((void **)&noted, mine, 0);
    for (int k = 1; k < 3; k++) {
        ramp<<<blocks, threads>>>(a, k);
        cublasGetVectorAsync(n, sizeof *a, a, 1, mine, 1, h);
        twice<<<blocks, threads>>>(b, noted);
        printf("registered: %.0f\n", sum(b));
    }
    cudaHostUnregister(mine);
    cublasDestroy_v2(h);
}

static void arguments(void)
{
    double (*add)(int, ...) = cublasAddVaried;
    struct fake_complex z = cublasTurn({3, 4});
    struct fake_pair p = cublasSwapPair({5, 6});
    struct fake_mixed m = cublasSwapMixed({7, 8});

    printf("all: %.2f\n",
           cublasAddAll(1, 1.5f, 2, 2.5, 3, 3.5f, 4, 4.5, 5, 5.5f, 6, 6.5, 7, 7.5f, 8, 8.5,
                        9, 9.5f, 10, 10.5, 11, 11.5f, 12, 12.5, 13, 14, 15, 16, 17, 18, 19,
                        20, 21, 22, 23, 24, 25, 26, 27, 1L << 40));
    printf("returned: %g %g, %ld %ld, %ld %g\n", z.re, z.im, p.first, p.second, m.first,
           m.second);
    printf("varied: %g\n", add(10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.));
}

/* A graph cannot contain the call. */
static void captured(struct fake_handle *h, cudaStream_t stream)
{
    cudaGraph_t graph;
    float *a = array();

    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    printf("captured: %d\n", cublasScopy_v2(h, 1, a, 1, a + 1, 1));
    cudaStreamEndCapture(stream, &graph);
}

/* Without a GPU handles can be created and set. Calls that compute fail. */
static void handles_only(struct fake_handle *h)
{
    struct fake_handle *other = h;
    int status = cublasSetStream_v2(h, nullptr);

    printf("set: %d\n", status);
    status = cublasScopy_v2(h, n, array(), 1, array(), 1);
    printf("computes %d: %s\n", status, cublasGetStatusString(status));
    status = cublasCreate_v2(&other);
    printf("another: %d, %s\n", status, other == h ? "the same" : "new");
    printf("destroyed: %d\n", cublasDestroy_v2(other) + cublasDestroy_v2(h));
}

int main(int count, char **)
{
    struct fake_handle *h = nullptr;
    int status = cublasCreate_v2(&h);
    cudaStream_t stream;

    printf("status %d: %s\n", status, cublasGetStatusString(status));
    if (status)
        return 0;
    if (count == 3) {
        handles_only(h);
        return 0;
    }
    between_kernels(h, "default stream", nullptr);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (count == 1)
        between_kernels(h, "stream", stream);
    else
        captured(h, stream);
    cublasDestroy_v2(h);
    cudaStreamDestroy(stream);
    by_handle();
    registered();
    arguments();
    return cudaDeviceSynchronize();
}
