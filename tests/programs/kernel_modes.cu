// SPDX-License-Identifier: Apache-2.0
// A kernel with several modes, selected by its parameters; some modes cannot be split. It
// reads a constant and variables that the host and another mode change between launches.
#include "programs.h"
#include <algorithm>
#include <utility>
#include <vector>

enum { N = (1 << 13) - 5, THREADS = 64, TABLE = 64, ROUNDS = 10 };
enum mode { SHIFT, BY_TABLE, REMEMBER };

__constant__ int factor;
__device__ int offset, table[TABLE];

struct order {
    int *out;
    const int *in;
    int **tables; // by CTA, even and odd
    int n, mode, few; // few: number of threads of a CTA that do work; 0: all
};

__global__ void work(struct order o, int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= o.n)
        return;
    if (o.few && threadIdx.x >= o.few)
        return;
    if (o.mode == BY_TABLE)
        o.tables[blockIdx.x & 1][i] = o.in[i] + 1;
    else if (o.mode == REMEMBER)
        atomicMax(&table[i % TABLE], o.in[i]);
    else
        o.out[i] = o.in[(i + shift) % o.n] * factor + offset + table[i % TABLE];
}

// Prints its findings only on request.
__global__ void clip(int *out, int n, int most, bool tells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n || out[i] <= most)
        return;
    if (tells)
        printf("%d at %d is more than %d\n", out[i], i, most);
    out[i] = most;
}

struct model {
    std::vector<int> in, out, table;
};

static void expect(struct model *m, enum mode mode, int few, int round)
{
    for (int i = 0; i < N; i++)
        if (few && i % THREADS >= few)
            continue;
        else if (mode == BY_TABLE)
            m->out[i] = m->in[i] + 1;
        else if (mode == REMEMBER)
            m->table[i % TABLE] = std::max(m->table[i % TABLE], m->in[i]);
        else
            m->out[i] = m->in[(i + round) % N] * (round % 3) + 5 * round +
                        m->table[i % TABLE];
}

static void launch(struct order o, struct model *m, enum mode mode, int round)
{
    o.mode = mode;
    o.few = round % 2 * 50;
    work<<<blocks_for(N, THREADS), THREADS>>>(o, round);
    CHECK(cudaGetLastError());
    expect(m, mode, o.few, round);
}

int main()
{
    struct model m = {std::vector<int>(N), std::vector<int>(N), std::vector<int>(TABLE)};
    std::vector<int> got(N);
    int *in, *out, **tables;
    bool right = true;

    for (int i = 0; i < N; i++)
        m.in[i] = i % 37;
    CHECK(cudaMalloc(&in, N * sizeof(int)));
    CHECK(cudaMalloc(&out, N * sizeof(int)));
    CHECK(cudaMemset(out, 0, N * sizeof(int)));
    CHECK(cudaMalloc(&tables, 2 * sizeof(int *)));
    CHECK(cudaMemcpy(in, m.in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) {
        int by = round % 3, more = 5 * round, *both[2] = {out, out};

        CHECK(cudaMemcpy(tables, both, sizeof both, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpyToSymbol(factor, &by, sizeof by));
        CHECK(cudaMemcpyToSymbol(offset, &more, sizeof more));
        launch({out, in, tables, N}, &m, round % 4 == 3 ? BY_TABLE : SHIFT, round);
        if (round % 3 == 1)
            launch({out, in, tables, N}, &m, REMEMBER, round);
        clip<<<blocks_for(N, THREADS), THREADS>>>(out, N, 300, false);
        for (int &is : m.out)
            is = std::min(is, 300);
        CHECK(cudaMemcpy(got.data(), out, N * sizeof(int), cudaMemcpyDeviceToHost));
        right = right && got == m.out;
        std::swap(in, out);
        std::swap(m.in, m.out);
    }
    printf("checksum %08x\n", checksum(m.in.data(), N * sizeof(int)));
    return verdict("kernel_modes", right);
}
