/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of all kinds: structs with pointers, pointer tables on the device, templates,
   lambdas, wide and narrow types, printf; launches by address. */
#include "check.cuh"

template <class T> struct matrix {
    T *data;
    int rows, columns;
    __device__ T &at(int y, int x) const
    {
        return data[y * columns + x];
    }
};

template <class T, int TILE>
__global__ void multiply(matrix<T> c, const matrix<T> a, matrix<T> b)
{
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    T sum = 0;

    for (int k = 0; k < a.columns; k += TILE) {
        as[threadIdx.y][threadIdx.x] = a.at(y, k + threadIdx.x);
        bs[threadIdx.y][threadIdx.x] = b.at(k + threadIdx.y, x);
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    c.at(y, x) = sum;
}

__global__ void gather(int **rows, int *out, char tag, short step, double bias, bool on,
                       int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && on)
        out[i] = rows[i][i * step] + tag + (int)bias;
}

template <class F> __global__ void each(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        f(i);
}

__global__ void nothing()
{
}

__global__ void hello(int n)
{
    if (threadIdx.x == 0)
        printf("CTA %d of %d: %s\n", blockIdx.x, n, "hello");
}

__global__ void increment(int *out)
{
    cudaGridDependencySynchronize();
    out[threadIdx.x]++;
}

__global__ void fill_if_set(int *out, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (out)
        out[i] = i * by;
}

/* A pointer may be NULL in a launch, also if the kernel has no other pointer. */
static void launch_without_arrays(int *out, int *is, int count)
{
    const int half = count / 2;

    for (int round = 1; round < 4; round++) {
        fill_if_set<<<2, half>>>(nullptr, -1);
        MUST(cudaGetLastError());
        fill_if_set<<<2, half>>>(out, round);
        fill_if_set<<<2, half>>>(nullptr, -1);
        MUST(cudaMemcpy(is, out, count * sizeof *is, cudaMemcpyDeviceToHost));
        HOLDS(is[1] == round && is[count - 1] == (count - 1) * round);
    }
}

/* Optional launch attributes: early start, and no cluster. */
static void launch_with_hints(int *out, int count)
{
    cudaLaunchAttribute hints[3] = {};
    cudaLaunchConfig_t config = {};

    hints[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    hints[0].val.programmaticStreamSerializationAllowed = 1;
    hints[1].id = cudaLaunchAttributeClusterDimension;
    hints[1].val.clusterDim.x = hints[1].val.clusterDim.y = hints[1].val.clusterDim.z = 1;
    hints[2].id = cudaLaunchAttributeMemSyncDomain;
    hints[2].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    config.gridDim = dim3(1);
    config.blockDim = dim3(count);
    config.attrs = hints;
    config.numAttrs = 3;
    MUST(cudaLaunchKernelEx(&config, increment, out));
}

int main()
{
    enum { N = 64, ROWS = 8 };
    static double a[N * N], c[N * N];
    matrix<double> da = {nullptr, N, N}, db = da, dc = da;
    int *rows[ROWS], **table, *out, is[ROWS], row[ROWS * 2];

    for (int i = 0; i < N * N; i++)
        a[i] = i % 7;
    MUST(cudaMalloc(&da.data, sizeof a));
    MUST(cudaMalloc(&db.data, sizeof a));
    MUST(cudaMalloc(&dc.data, sizeof a));
    MUST(cudaMemcpy(da.data, a, sizeof a, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(db.data, a, sizeof a, cudaMemcpyHostToDevice));
    multiply<double, 16><<<dim3(N / 16, N / 16), dim3(16, 16)>>>(dc, da, db);
    MUST(cudaMemcpy(c, dc.data, sizeof c, cudaMemcpyDeviceToHost));
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) {
            double sum = 0;

            for (int k = 0; k < N; k++)
                sum += a[y * N + k] * a[k * N + x];
            HOLDS(c[y * N + x] == sum);
        }

    MUST(cudaMalloc(&table, sizeof rows));
    MUST(cudaMalloc(&out, sizeof is));
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < ROWS * 2; i++)
            row[i] = 100 * r + i;
        MUST(cudaMalloc(&rows[r], sizeof row));
        MUST(cudaMemcpy(rows[r], row, sizeof row, cudaMemcpyHostToDevice));
    }
    MUST(cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice));
    gather<<<1, 32>>>(table, out, 'a', (short)2, 1000.5, true, ROWS);
    MUST(cudaMemcpy(is, out, sizeof is, cudaMemcpyDeviceToHost));
    for (int r = 0; r < ROWS; r++)
        HOLDS(is[r] == 100 * r + 2 * r + 'a' + 1000);
    int bias = 3;
    each<<<1, ROWS>>>((int)ROWS, [=] __device__(int i) { out[i] = i * i + bias; });
    MUST(cudaMemcpy(is, out, sizeof is, cudaMemcpyDeviceToHost));
    HOLDS(is[7] == 52);
    nothing<<<1, 1>>>();
    int n = 3;
    void *args[] = {&n};
    MUST(cudaLaunchKernel((const void *)hello, dim3(3), dim3(32), args, 0, nullptr));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    MUST(cudaLaunchKernelEx(&config, hello, 9));
    MUST(cudaDeviceSynchronize());
    launch_with_hints(out, ROWS);
    MUST(cudaMemcpy(is, out, sizeof is, cudaMemcpyDeviceToHost));
    HOLDS(is[7] == 53);
    printf("structs: %g %d\n", c[17], is[7]);
    launch_without_arrays(out, is, ROWS);
    return 0;
}
