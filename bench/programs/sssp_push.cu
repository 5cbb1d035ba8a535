// SPDX-License-Identifier: Apache-2.0
// Shortest paths by pushing: a vertex whose distance fell lowers those of its successors
// with atomicMin(). Plain CUDA for nvcc and proactcc, to compare with `proact run sssp`,
// which pulls: the rounds and distances are equal. The weights are those of --weights hash.
// Prints the answer, and the time of the fastest run to stderr.
// Usage: sssp_push GRAPH.sg [SOURCE [RUNS]]
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "check.cuh"

enum { THREADS = 256, LANES = 32, FAR_AWAY = INT_MAX };

// A warp for each vertex. No other access touches `next`: devices may lower replicas of it.
__global__ void push(const int64_t *first, const int *target, const int *weight,
                     const int *distance, const int *changed, int *next, int n)
{
    int v = (int)((blockIdx.x * blockDim.x + threadIdx.x) / LANES);

    if (v >= n || !changed[v])
        return;
    for (int64_t e = first[v] + threadIdx.x % LANES; e < first[v + 1]; e += LANES)
        atomicMin(&next[target[e]], distance[v] + weight[e]);
}

// The lowered distances become the current ones.
__global__ void advance(int *distance, int *changed, const int *next, int *any, int n)
{
    int v = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (v >= n)
        return;
    changed[v] = next[v] < distance[v];
    if (changed[v]) {
        distance[v] = next[v];
        *any = 1;
    }
}

struct digraph {
    std::vector<int64_t> first;
    std::vector<int> target, weight;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// The outgoing lists of a binary graph of the GAP Benchmark Suite.
static digraph read_graph(const char *path)
{
    FILE *f = fopen(path, "rb");
    bool directed;
    int64_t edges, vertices;
    digraph g;

    if (!f || fread(&directed, 1, 1, f) != 1 || fread(&edges, 8, 1, f) != 1 ||
        fread(&vertices, 8, 1, f) != 1 || vertices < 1 || vertices >= INT_MAX ||
        edges < 0) {
        fprintf(stderr, "sssp_push: %s: not a binary graph\n", path);
        exit(1);
    }
    g.first.resize(vertices + 1);
    g.target.resize(edges);
    g.weight.resize(edges);
    if (fread(g.first.data(), 8, vertices + 1, f) != (size_t)vertices + 1 ||
        fread(g.target.data(), 4, edges, f) != (size_t)edges) {
        fprintf(stderr, "sssp_push: %s: the file is too short\n", path);
        exit(1);
    }
    fclose(f);
    for (int64_t v = 0; v < vertices; v++)
        for (int64_t e = g.first[v]; e < g.first[v + 1]; e++) {
            uint64_t pair = (uint64_t)v << 32 | (uint32_t)g.target[e];

            g.weight[e] = (int)(1 + mix(pair + 0x9e3779b97f4a7c15u) % 255);
        }
    return g;
}

template <class T> static T *on_device(const std::vector<T> &values)
{
    T *copy;

    CHECK(cudaMalloc(&copy, std::max<size_t>(values.size(), 1) * sizeof(T)));
    CHECK(
        cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return copy;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: sssp_push GRAPH.sg [SOURCE [RUNS]]\n");
        return 2;
    }
    digraph g = read_graph(argv[1]);
    int n = (int)g.first.size() - 1, source = argc > 2 ? atoi(argv[2]) - 1 : 0;
    int runs = argc > 3 ? atoi(argv[3]) : 1, rounds = 0;
    float fastest = 0, took;
    cudaEvent_t begin, end;

    if (source < 0 || source >= n || runs < 1) {
        fprintf(stderr, "sssp_push: source %d: the graph has %d vertices\n", source + 1, n);
        return 1;
    }
    std::vector<int> start(n, FAR_AWAY), flags(n, 0), distance(n);
    int64_t *first = on_device(g.first);
    int *target = on_device(g.target), *weight = on_device(g.weight);
    int *old = on_device(start), *next = on_device(start), *changed = on_device(flags);
    int *any, more;

    CHECK(cudaMalloc(&any, sizeof *any));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    start[source] = 0;
    flags[source] = 1;
    for (int run = 0; run < runs; run++) {
        for (int *d : {old, next})
            CHECK(cudaMemcpy(d, start.data(), n * sizeof *d, cudaMemcpyHostToDevice));
        CHECK(
            cudaMemcpy(changed, flags.data(), n * sizeof *changed, cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(begin));
        rounds = 0;
        do {
            CHECK(cudaMemset(any, 0, sizeof *any));
            push<<<(int)(((int64_t)n * LANES + THREADS - 1) / THREADS), THREADS>>>(
                first, target, weight, old, changed, next, n);
            advance<<<(n + THREADS - 1) / THREADS, THREADS>>>(old, changed, next, any, n);
            CHECK(cudaMemcpy(&more, any, sizeof more, cudaMemcpyDeviceToHost));
            rounds++;
        } while (more);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&took, begin, end));
        fastest = run ? std::min(fastest, took) : took;
    }
    CHECK(cudaMemcpy(distance.data(), old, n * sizeof *old, cudaMemcpyDeviceToHost));
    long long reached = 0, sum = 0;

    for (int d : distance)
        if (d != FAR_AWAY) {
            reached++;
            sum += d;
        }
    printf("%lld of %d vertices are reached; the distances sum up to %lld; %d rounds\n",
           reached, n, sum, rounds);
    fprintf(stderr, "%.3f ms\n", fastest);
    return 0;
}
