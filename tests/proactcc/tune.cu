/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels, the second one with less work. tune LAUNCHES [exit|kill|graph]: the program
   ends between the two in that way, or launches a graph of both. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 16 };

__global__ void long_work(const float *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];

    for (int n = 0; n < 500; n++)
        x = x * 0.5f + 1;
    out[i] = x;
}

__global__ void short_work(float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void launch_graph(int launches, float *a, float *b)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int n = 0; n < 2; n++) {
        long_work<<<N / 256, 256, 0, stream>>>(a, b);
        short_work<<<64, 256, 0, stream>>>(b);
        long_work<<<N / 256, 256, 0, stream>>>(b, a);
    }
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int n = 0; n < launches; n++)
        cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
}

int main(int argc, char **argv)
{
    const int launches = atoi(argv[1]);
    float *a, *b, first = 0;

    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMemset(a, 0, N * sizeof *a);
    if (argc > 2 && strcmp(argv[2], "graph") == 0) {
        launch_graph(launches, a, b);
        argc = 2;
    }
    for (int n = 0; n < launches; n++)
        long_work<<<N / 256, 256>>>(a, b);
    cudaDeviceSynchronize();
    if (argc > 2 && strcmp(argv[2], "exit") == 0)
        exit(3);
    if (argc > 2)
        raise(SIGKILL);
    for (int n = 0; n < launches; n++)
        short_work<<<64, 256>>>(b);
    cudaMemcpy(&first, b, sizeof first, cudaMemcpyDeviceToHost);
    printf("%.6f\n", first);
    return cudaGetLastError() != cudaSuccess;
}
