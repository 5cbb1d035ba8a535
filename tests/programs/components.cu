/* SPDX-License-Identifier: Apache-2.0 */
/* Graph algorithms with flags. Connected components: each vertex takes the minimum label of
   its neighbours, until nothing changes. Also the vertices that keep two neighbours, a
   relaxation of a grid, and paths to the roots of trees. */
#include "programs.h"
#include <vector>

__global__ void spread_labels(const int *first, const int *neighbour, const int *label,
                              int *next, int *changed, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= n)
        return;
    int least = label[v];

    for (int e = first[v]; e < first[v + 1]; e++)
        least = min(least, label[neighbour[e]]);
    next[v] = least;
    if (least != label[v])
        *changed = 1;
}

/* Removes vertices with fewer than `least` remaining neighbours. noted[0]: a vertex was
   removed; noted[1]: the last iteration with a removal; noted[2]: bits of events. */
__global__ void peel(const int *first, const int *neighbour, const bool *here, bool *next,
                     int *noted, int least, int round, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, left = 0;

    if (v >= n)
        return;
    for (int e = first[v]; e < first[v + 1]; e++)
        left += here[neighbour[e]];
    next[v] = here[v] && left >= least;
    if (!here[v])
        atomicOr(&noted[2], 4);
    if (here[v] && left < least) {
        atomicExch(&noted[0], 1);
        atomicMax(&noted[1], round);
    }
}

/* flags[0]: a cell moved; flags[1]: a cell moved far. */
__global__ void relax(const float *from, float *to, bool *flags, float near, int width,
                      int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x,
        y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    int i = y * width + x;
    float mean = 0.25f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
    float by = fabsf(mean - from[i]);

    to[i] = mean;
    if (by > near)
        flags[0] = true;
    if (by > 16 * near)
        flags[1] = true;
}

/* The compiler may keep the index of the store and the loop variable in one register. */
__global__ void climb(const int *parent, int *root, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (v >= n)
        return;
    int at = v;

    while (parent[at] != at)
        at = parent[at];
    root[v] = at;
}

static int find_root(std::vector<int> &parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

static bool peel_graph(const int *d_first, const int *d_neighbour, int n,
                       const std::vector<int> &first, const std::vector<int> &neighbour)
{
    std::vector<char> here(n, 1), next(n, 1);
    std::vector<unsigned char> now(n, 1);
    int noted[3] = {0, 0, 1}, rounds = 0, *d_noted;
    bool *d_here, *d_next, moves = true;

    CHECK(cudaMalloc(&d_here, n));
    CHECK(cudaMalloc(&d_next, n));
    CHECK(cudaMalloc(&d_noted, sizeof noted));
    CHECK(cudaMemcpy(d_here, now.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_noted, noted, sizeof noted, cudaMemcpyHostToDevice));
    do {
        CHECK(cudaMemset(d_noted, 0, sizeof(int)));
        peel<<<blocks_for(n, 128), 128>>>(d_first, d_neighbour, d_here, d_next, d_noted, 2,
                                          ++rounds, n);
        CHECK(cudaMemcpy(noted, d_noted, sizeof noted, cudaMemcpyDeviceToHost));
        std::swap(d_here, d_next);
    } while (noted[0]);
    CHECK(cudaMemcpy(now.data(), d_here, n, cudaMemcpyDeviceToHost));
    while (moves) {
        moves = false;
        for (int v = 0; v < n; v++) {
            int left = 0;

            for (int e = first[v]; e < first[v + 1]; e++)
                left += here[neighbour[e]];
            next[v] = here[v] && left >= 2;
            moves |= next[v] != here[v];
        }
        here.swap(next);
    }
    printf("peeled in %d rounds, seen %d and %d, checksum %08x\n", rounds, noted[1],
           noted[2], checksum(now.data(), n));
    return noted[1] == rounds - 1 && noted[2] == 5 &&
           memcmp(now.data(), here.data(), n) == 0;
}

static bool label_graph(void)
{
    const int n = 30000, edges = 26000;
    std::vector<int> from(edges), to(edges), first(n + 1), neighbour(2 * edges), label(n);
    std::vector<int> parent(n), least(n);
    unsigned state = 5;

    for (int v = 0; v < n; v++)
        label[v] = parent[v] = least[v] = v;
    for (int e = 0; e < edges; e++) {
        from[e] = next_random(&state) % n;
        to[e] = (from[e] + 1 + next_random(&state) % 40) % n;
        first[from[e] + 1]++;
        first[to[e] + 1]++;
        int a = find_root(parent, from[e]), b = find_root(parent, to[e]);

        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (int v = 0; v < n; v++)
        first[v + 1] += first[v];
    std::vector<int> at(first);

    for (int e = 0; e < edges; e++) {
        neighbour[at[from[e]]++] = to[e];
        neighbour[at[to[e]]++] = from[e];
    }
    for (int v = 0; v < n; v++)
        least[v] = find_root(parent, v);
    int *d_first, *d_neighbour, *d_label, *d_next, *d_changed, changed, rounds = 0;

    CHECK(cudaMalloc(&d_first, (n + 1) * sizeof(int)));
    CHECK(cudaMalloc(&d_neighbour, 2 * edges * sizeof(int)));
    CHECK(cudaMalloc(&d_label, n * sizeof(int)));
    CHECK(cudaMalloc(&d_next, n * sizeof(int)));
    CHECK(cudaMalloc(&d_changed, sizeof(int)));
    CHECK(cudaMemcpy(d_first, first.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_neighbour, neighbour.data(), 2 * edges * sizeof(int),
                     cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_label, label.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    do {
        CHECK(cudaMemset(d_changed, 0, sizeof(int)));
        spread_labels<<<blocks_for(n, 128), 128>>>(d_first, d_neighbour, d_label, d_next,
                                                   d_changed, n);
        CHECK(cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(d_label, d_next);
        rounds++;
    } while (changed);
    CHECK(cudaMemcpy(label.data(), d_label, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("labels after %d rounds, checksum %08x\n", rounds,
           checksum(label.data(), n * sizeof(int)));
    return peel_graph(d_first, d_neighbour, n, first, neighbour) && label == least;
}

static bool climb_trees(void)
{
    const int n = 20000;
    std::vector<int> parent(n), expected(n), root(n);
    unsigned state = 3;
    int *d_parent, *d_root;

    for (int v = 0; v < n; v++) {
        parent[v] = v < 50 || v % 997 == 0 ? v : v - 1 - (int)(next_random(&state) % 50);
        expected[v] = parent[v] == v ? v : expected[parent[v]];
    }
    CHECK(cudaMalloc(&d_parent, n * sizeof(int)));
    CHECK(cudaMalloc(&d_root, n * sizeof(int)));
    CHECK(cudaMemcpy(d_parent, parent.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    climb<<<blocks_for(n, 128), 128>>>(d_parent, d_root, n);
    CHECK(cudaMemcpy(root.data(), d_root, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("roots: checksum %08x\n", checksum(root.data(), n * sizeof(int)));
    return root == expected;
}

static bool relax_grid(void)
{
    const int width = 200, height = 150, n = width * height;
    const float near = 0.02f;
    std::vector<float> now(n), next(n);
    std::vector<float> expected;
    unsigned state = 9;
    int rounds = 0, far = 0, expected_rounds = 0;
    bool *d_flags, flags[2], moves;

    for (int i = 0; i < n; i++)
        now[i] = next[i] = (float)(next_random(&state) % 100);
    expected = now;
    float *d_now, *d_next;

    CHECK(cudaMalloc(&d_now, n * sizeof(float)));
    CHECK(cudaMalloc(&d_next, n * sizeof(float)));
    CHECK(cudaMalloc(&d_flags, sizeof flags));
    CHECK(cudaMemcpy(d_now, now.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_next, now.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    do {
        CHECK(cudaMemset(d_flags, 0, sizeof flags));
        relax<<<dim3(blocks_for(width, 32), blocks_for(height, 4)), dim3(32, 4)>>>(
            d_now, d_next, d_flags, near, width, height);
        CHECK(cudaMemcpy(flags, d_flags, sizeof flags, cudaMemcpyDeviceToHost));
        std::swap(d_now, d_next);
        rounds++;
        far += flags[1];
    } while (flags[0] && rounds < 120);
    CHECK(cudaMemcpy(now.data(), d_now, n * sizeof(float), cudaMemcpyDeviceToHost));
    do {
        moves = false;
        for (int y = 1; y < height - 1; y++)
            for (int x = 1; x < width - 1; x++) {
                const float *at = &expected[y * width + x];

                next[y * width + x] = 0.25f * (at[-1] + at[1] + at[-width] + at[width]);
                moves |= fabsf(next[y * width + x] - *at) > near;
            }
        for (int i = 0; i < n; i++)
            if (i % width > 0 && i % width < width - 1 && i >= width && i < n - width)
                expected[i] = next[i];
        expected_rounds++;
    } while (moves && expected_rounds < 120);
    printf("even after %d rounds, %d of them far, checksum %08x\n", rounds, far,
           checksum(now.data(), n * sizeof(float)));
    return rounds == expected_rounds && now == expected;
}

int main(void)
{
    bool good = label_graph();

    good &= relax_grid();
    return verdict("components", climb_trees() && good);
}
