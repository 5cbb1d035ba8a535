/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth-first search from one vertex, with masks and a flag that the host reads. */
#include "programs.h"
#include <vector>

struct Node {
    int start, count;
};

__global__ void visit(const Node *nodes, const int *edges, bool *mask, bool *updating,
                      const bool *visited, int *cost, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v < n && mask[v]) {
        mask[v] = false;
        for (int i = nodes[v].start; i < nodes[v].start + nodes[v].count; i++)
            if (!visited[edges[i]]) {
                cost[edges[i]] = cost[v] + 1;
                updating[edges[i]] = true;
            }
    }
}

__global__ void update(bool *mask, bool *updating, bool *visited, bool *over, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v < n && updating[v]) {
        mask[v] = true;
        visited[v] = true;
        *over = true;
        updating[v] = false;
    }
}

int main(void)
{
    const int n = 20000, source = 7;
    std::vector<Node> nodes(n);
    std::vector<int> edges, cost(n, -1), expected(n, -1), front(1, source);
    unsigned state = 21;
    int levels = 0;

    for (int v = 0; v < n; v++) {
        nodes[v].start = (int)edges.size();
        nodes[v].count = next_random(&state) % 6;
        for (int i = 0; i < nodes[v].count; i++)
            edges.push_back(next_random(&state) % n);
    }
    cost[source] = expected[source] = 0;
    Node *d_nodes;
    int *d_edges, *d_cost;
    bool *d_mask, *d_updating, *d_visited, *d_over, *over, yes = true;

    CHECK(cudaMalloc(&d_nodes, n * sizeof(Node)));
    CHECK(cudaMalloc(&d_edges, edges.size() * sizeof(int)));
    CHECK(cudaMalloc(&d_cost, n * sizeof(int)));
    CHECK(cudaMalloc(&d_mask, n));
    CHECK(cudaMalloc(&d_updating, n));
    CHECK(cudaMalloc(&d_visited, n));
    CHECK(cudaMalloc(&d_over, 1));
    CHECK(cudaHostAlloc(&over, 1, cudaHostAllocDefault));
    CHECK(cudaMemcpy(d_nodes, nodes.data(), n * sizeof(Node), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_edges, edges.data(), edges.size() * sizeof(int),
                     cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_cost, cost.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_mask, 0, n));
    CHECK(cudaMemset(d_updating, 0, n));
    CHECK(cudaMemset(d_visited, 0, n));
    CHECK(cudaMemcpy(d_mask + source, &yes, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_visited + source, &yes, 1, cudaMemcpyHostToDevice));
    do {
        *over = false;
        CHECK(cudaMemcpyAsync(d_over, over, 1, cudaMemcpyHostToDevice, 0));
        visit<<<blocks_for(n, 256), 256>>>(d_nodes, d_edges, d_mask, d_updating, d_visited,
                                           d_cost, n);
        update<<<blocks_for(n, 256), 256>>>(d_mask, d_updating, d_visited, d_over, n);
        CHECK(cudaMemcpyAsync(over, d_over, 1, cudaMemcpyDeviceToHost, 0));
        CHECK(cudaStreamSynchronize(0));
        levels++;
    } while (*over);
    CHECK(cudaMemcpy(cost.data(), d_cost, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < front.size(); i++)
        for (int k = 0; k < nodes[front[i]].count; k++) {
            int to = edges[nodes[front[i]].start + k];

            if (expected[to] < 0) {
                expected[to] = expected[front[i]] + 1;
                front.push_back(to);
            }
        }
    printf("%zu reached in %d levels, checksum %08x\n", front.size(), levels,
           checksum(cost.data(), n * sizeof(int)));
    CHECK(cudaFreeHost(over));
    return verdict("breadth_first", cost == expected);
}
