/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of many lengths, updated by one launch as in optimizers. A struct passed by value
   gives the tensor and its piece for each CTA. */
#include "programs.h"
#include <vector>

enum { TENSORS = 8, LISTS = 3, PIECES = 128, PIECE = 1000, THREADS = 128 };

struct Lists {
    void *address[LISTS][TENSORS];
    int length[TENSORS];
    unsigned char tensor_of[PIECES];
    short piece_of[PIECES];
};

/* In place: the written elements were read. */
__global__ void descend(Lists lists, float rate)
{
    const int tensor = lists.tensor_of[blockIdx.x];
    const int first = lists.piece_of[blockIdx.x] * PIECE;
    float *weight = (float *)lists.address[0][tensor] + first;
    const float *slope = (const float *)lists.address[1][tensor] + first;
    float *speed = (float *)lists.address[2][tensor] + first;
    const int left = lists.length[tensor] - first;

    for (int i = threadIdx.x; i < PIECE && i < left; i += blockDim.x) {
        speed[i] = speed[i] / 2 + slope[i];
        weight[i] -= rate * speed[i];
    }
}

/* From the other end of the tensor: pieces of other devices. */
__global__ void mirror(Lists lists)
{
    const int tensor = lists.tensor_of[blockIdx.x], n = lists.length[tensor];
    const float *from = (const float *)lists.address[0][tensor];
    float *to = (float *)lists.address[1][tensor];

    for (int k = threadIdx.x; k < PIECE; k += blockDim.x) {
        const int i = lists.piece_of[blockIdx.x] * PIECE + k;

        if (i < n)
            to[i] = from[n - 1 - i] / 4;
    }
}

struct Host {
    std::vector<float> weight, slope, speed;
};

static void step(std::vector<Host> &host, float rate)
{
    for (Host &h : host)
        for (size_t i = 0; i < h.weight.size(); i++) {
            h.speed[i] = h.speed[i] / 2 + h.slope[i];
            h.weight[i] -= rate * h.speed[i];
        }
    for (Host &h : host)
        for (size_t i = 0; i < h.weight.size(); i++)
            h.slope[i] = h.weight[h.weight.size() - 1 - i] / 4;
}

int main(void)
{
    std::vector<Host> host(TENSORS);
    Lists lists = {};
    unsigned state = 5;
    int pieces = 0;
    float *memory;

    CHECK(cudaMalloc(&memory, 32000 * sizeof(float)));
    CHECK(cudaMemset(memory, 0, 32000 * sizeof(float)));
    for (int t = 0, used = 0; t < TENSORS; t++) {
        const int n = 1500 + 700 * t;

        host[t].slope.assign(n, 0);
        host[t].speed.assign(n, 0);
        for (int i = 0; i < n; i++)
            host[t].weight.push_back((float)(next_random(&state) % 64));
        lists.length[t] = n;
        CHECK(cudaMalloc(&lists.address[0][t], n * sizeof(float)));
        CHECK(cudaMemcpy(lists.address[0][t], host[t].weight.data(), n * sizeof(float),
                         cudaMemcpyHostToDevice));
        lists.address[2][t] = memory + used; /* all in one array, one after the other */
        used += n;
        for (int piece = 0; piece * PIECE < n; piece++) {
            lists.tensor_of[pieces] = (unsigned char)t;
            lists.piece_of[pieces++] = (short)piece;
        }
    }
    for (int t = 0; t < TENSORS; t++) {
        if (t % 4 == 0) { /* four in an array, with gaps between them */
            CHECK(cudaMalloc(&memory, 28000 * sizeof(float)));
            CHECK(cudaMemset(memory, 0, 28000 * sizeof(float)));
        }
        lists.address[1][t] = memory + 7000 * (t % 4);
    }
    for (int round = 0; round < 5; round++) {
        descend<<<pieces, THREADS>>>(lists, 0.25f);
        mirror<<<pieces, THREADS>>>(lists);
        step(host, 0.25f);
    }
    bool good = true;

    for (int t = 0; t < TENSORS; t++) {
        std::vector<float> got(lists.length[t]);
        const size_t bytes = got.size() * sizeof(float);

        CHECK(cudaMemcpy(got.data(), lists.address[0][t], bytes, cudaMemcpyDeviceToHost));
        good = good && got == host[t].weight;
        printf("tensor %d: checksum %08x\n", t, checksum(got.data(), bytes));
        CHECK(cudaMemcpy(got.data(), lists.address[1][t], bytes, cudaMemcpyDeviceToHost));
        good = good && got == host[t].slope;
    }
    return verdict("tensor_lists", good);
}
