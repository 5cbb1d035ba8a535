/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of data that other CTAs update by atomics, as in steps on graphs: a distance is
   lowered only if the new one is less, and newly reached vertices go to the next list, for
   as many iterations as a loaded value gives. Loops that wait for another CTA run on a
   single device. */
#include <cuda/atomic>

#include "programs.h"

enum { NODES = 3000, DEGREE = 6, EDGES = NODES * DEGREE, FAR = 1 << 29 };
enum { THREADS = 64, ROUNDS = 3, CORE = 5, TURNS = 12, COSTS = 24, NUMBERS = COSTS + 3 };

/* The edges of node v are those from first[v] to first[v + 1] - 1. */
struct graph {
    int *first, *to, *cost;
};

__global__ void lower(struct graph g, int *distance, int *changed)
{
    const int v = blockIdx.x * THREADS + threadIdx.x;

    if (v >= NODES || distance[v] == FAR)
        return;
    for (int e = g.first[v]; e < g.first[v + 1]; e++) {
        const int by = distance[v] + g.cost[e];

        if (by < distance[g.to[e]]) {
            atomicMin(&distance[g.to[e]], by);
            *changed = 1;
        }
    }
}

/* Visits the edges of the nodes of a list; creates the next list. */
__global__ void advance(struct graph g, int *distance, int *marks, const int *list,
                        int count, int *next, int *next_count, int round)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i >= count)
        return;
    const int v = list[i], from = distance[v];

    for (int e = g.first[v]; e < g.first[v + 1]; e++) {
        const int to = g.to[e], by = from + g.cost[e];

        if (by < atomicMin(&distance[to], by) && atomicExch(&marks[to], round) != round)
            next[atomicAdd(next_count, 1)] = to;
    }
}

/* Removes nodes with fewer than `least` remaining others, until none is removed. */
__global__ void peel(struct graph g, int *left, int *is_in, int least, int *changed)
{
    const int v = blockIdx.x * THREADS + threadIdx.x;

    if (v >= NODES || !is_in[v] || left[v] >= least)
        return;
    is_in[v] = 0;
    *changed = 1;
    for (int e = g.first[v]; e < g.first[v + 1]; e++)
        atomicSub(&left[g.to[e]], 1);
}

/* Sequentially consistent atomics, the default of cuda::atomic_ref. */
__global__ void tell(const int *cost, int *counts, int *most)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i >= NODES)
        return;
    cuda::atomic_ref<int> count(counts[cost[i]]);
    cuda::atomic_ref<int, cuda::thread_scope_device> highest(*most);

    count.fetch_add(1);
    highest.fetch_max(cost[i] * NODES + i, cuda::memory_order_release);
}

/* Each CTA waits for the one before it. */
__global__ void in_turn(int *turn, int *value)
{
    if (threadIdx.x)
        return;
    while (atomicAdd(turn, 0) != blockIdx.x)
        ;
    value[0] = value[0] * 3 + blockIdx.x;
    __threadfence();
    atomicAdd(turn, 1);
}

/* Each thread takes the next node, until there are no more. */
__global__ void take(int *next, const int *cost, int *out)
{
    for (int i = atomicAdd(next, 1); i < NODES; i = atomicAdd(next, 1))
        out[i] = cost[i] * 2;
}

static int first[NODES + 1], to[EDGES], cost[EDGES], is[NODES], got[NODES];
static struct graph g;
static int *numbers, *distance, *marks, *lists[2];

static int *copied(const int *from, int count)
{
    int *on_device;

    CHECK(cudaMalloc(&on_device, count * sizeof *from));
    CHECK(cudaMemcpy(on_device, from, count * sizeof *from, cudaMemcpyHostToDevice));
    return on_device;
}

static int number(int which)
{
    int value;

    CHECK(cudaMemcpy(&value, numbers + which, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* Undirected; nodes have one to ten edges. */
static void make_graph()
{
    static int ends[NODES][DEGREE / 2];
    unsigned state = 5;

    for (int v = 0; v < NODES; v++)
        for (int k = 0; k < DEGREE / 2; k++) {
            ends[v][k] = next_random(&state) % NODES;
            first[v + 1]++;
            first[ends[v][k] + 1]++;
        }
    for (int v = 0; v < NODES; v++)
        first[v + 1] += first[v];
    memset(is, 0, sizeof is);
    for (int v = 0; v < NODES; v++)
        for (int k = 0; k < DEGREE / 2; k++) {
            const int u = ends[v][k], there = first[v] + is[v]++;

            to[there] = u;
            cost[there] = 1 + (v + u) % 23;
            const int back = first[u] + is[u]++;

            to[back] = v;
            cost[back] = cost[there];
        }
}

static bool distances_are_right()
{
    memset(is, 0, sizeof is);
    for (int v = 0; v < NODES; v++)
        is[v] = v ? FAR : 0;
    CHECK(cudaMemcpy(distance, is, sizeof is, cudaMemcpyHostToDevice));
    do {
        CHECK(cudaMemset(numbers, 0, sizeof(int)));
        lower<<<blocks_for(NODES, THREADS), THREADS>>>(g, distance, numbers);
    } while (number(0));
    CHECK(cudaMemcpy(got, distance, sizeof got, cudaMemcpyDeviceToHost));
    printf("checksum %08x\n", checksum(got, sizeof got));
    for (bool changed = true; changed;) {
        changed = false;
        for (int v = 0; v < NODES; v++)
            for (int e = first[v]; e < first[v + 1]; e++)
                if (is[v] + cost[e] < is[to[e]]) {
                    is[to[e]] = is[v] + cost[e];
                    changed = true;
                }
    }
    return !memcmp(is, got, sizeof is);
}

/* The list version reaches the distances of `is`. */
static bool lists_lead_there()
{
    int count = 1;

    CHECK(cudaMemset(marks, 0, NODES * sizeof(int)));
    CHECK(cudaMemset(distance, 0x1f, NODES * sizeof(int)));
    CHECK(cudaMemset(distance, 0, sizeof(int)));
    CHECK(cudaMemset(lists[0], 0, sizeof(int)));
    for (int round = 1; count; round++) {
        CHECK(cudaMemset(numbers, 0, sizeof(int)));
        advance<<<blocks_for(count, THREADS), THREADS>>>(g, distance, marks,
                                                         lists[~round & 1], count,
                                                         lists[round & 1], numbers, round);
        count = number(0);
    }
    CHECK(cudaMemcpy(got, distance, sizeof got, cudaMemcpyDeviceToHost));
    for (int v = 0; v < NODES; v++)
        if (got[v] != is[v] && (is[v] != FAR || got[v] != 0x1f1f1f1f))
            return false;
    return true;
}

static bool cores_are_right()
{
    static int left[NODES];

    for (int v = 0; v < NODES; v++) {
        left[v] = first[v + 1] - first[v];
        is[v] = 1;
    }
    CHECK(cudaMemcpy(distance, left, sizeof left, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(marks, is, sizeof is, cudaMemcpyHostToDevice));
    do {
        CHECK(cudaMemset(numbers, 0, sizeof(int)));
        peel<<<blocks_for(NODES, THREADS), THREADS>>>(g, distance, marks, CORE, numbers);
    } while (number(0));
    CHECK(cudaMemcpy(got, marks, sizeof got, cudaMemcpyDeviceToHost));
    printf("checksum %08x\n", checksum(got, sizeof got));
    for (bool changed = true; changed;) {
        changed = false;
        for (int v = 0; v < NODES; v++)
            if (is[v] && left[v] < CORE) {
                is[v] = 0;
                changed = true;
                for (int e = first[v]; e < first[v + 1]; e++)
                    left[to[e]]--;
            }
    }
    return !memcmp(is, got, sizeof is);
}

static bool counts_are_right()
{
    int counts[COSTS] = {0}, highest = 0, got_counts[COSTS];

    CHECK(cudaMemset(numbers, 0, NUMBERS * sizeof(int)));
    tell<<<blocks_for(NODES, THREADS), THREADS>>>(g.cost, numbers + 3, numbers);
    CHECK(cudaMemcpy(got_counts, numbers + 3, sizeof counts, cudaMemcpyDeviceToHost));
    for (int i = 0; i < NODES; i++) {
        counts[cost[i]]++;
        highest = cost[i] * NODES + i > highest ? cost[i] * NODES + i : highest;
    }
    return !memcmp(counts, got_counts, sizeof counts) && number(0) == highest;
}

static bool who_waits_is_right()
{
    int value = 0;

    CHECK(cudaMemset(numbers, 0, NUMBERS * sizeof(int)));
    in_turn<<<TURNS, 32>>>(numbers, numbers + 1);
    for (int i = 0; i < TURNS; i++)
        value = value * 3 + i;
    take<<<TURNS, THREADS>>>(numbers + 2, g.cost, distance);
    CHECK(cudaMemcpy(got, distance, sizeof got, cudaMemcpyDeviceToHost));
    for (int v = 0; v < NODES; v++)
        if (got[v] != cost[v] * 2)
            return false;
    return number(1) == value;
}

int main(void)
{
    bool right = true;

    make_graph();
    g = {copied(first, NODES + 1), copied(to, EDGES), copied(cost, EDGES)};
    numbers = copied(is, NUMBERS);
    distance = copied(is, NODES);
    marks = copied(is, NODES);
    for (int *&list : lists)
        list = copied(is, NODES);
    for (int round = 0; round < ROUNDS; round++)
        right = distances_are_right() && lists_lead_there() && cores_are_right() &&
                counts_are_right() && who_waits_is_right() && right;
    for (int *of : {g.first, g.to, g.cost, numbers, distance, marks, lists[0], lists[1]})
        CHECK(cudaFree(of));
    return verdict("watched_minima", right);
}
