/* SPDX-License-Identifier: Apache-2.0 */
/* Indirect stores: items in the order of their keys, elements of a list of materials,
   vertices of a boundary; and failures reported in one location, which may be in host
   memory. */
#include "programs.h"
#include <algorithm>
#include <vector>

enum { ITEMS = 30000, KEYS = 257, EDGE = 4000, NO_ONE = -1, THREADS = 128 };

struct item {
    unsigned key;
    float x, y, z;
};

__device__ static int here()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Last step of a counting sort, of structs and of numbers. */
__global__ void by_rank(const struct item *in, const unsigned *rank, float4 *out,
                        unsigned short *keys, unsigned *from, int n)
{
    int i = here();

    if (i >= n)
        return;
    unsigned to = rank[i];

    out[to] = make_float4(in[i].x, in[i].y, in[i].z, 1);
    keys[to] = (unsigned short)in[i].key;
    from[to] = i;
}

/* Indirect stores of words, and after them in the same array one bit for each word. */
__global__ void pack(const unsigned *rank, unsigned *words, int n)
{
    int i = here();

    if (i >= n)
        return;
    words[rank[i]] = i * 3;
    atomicOr(&words[n + rank[i] / 32], 1u << rank[i] % 32);
}

/* First item of each key, in the sorted order. */
__global__ void find_starts(const unsigned short *keys, int *start, int *end, int n)
{
    int i = here();

    if (i >= n)
        return;
    if (i == 0 || keys[i] != keys[i - 1]) {
        start[keys[i]] = i;
        if (i > 0)
            end[keys[i - 1]] = i;
    }
    if (i == n - 1)
        end[keys[i]] = n;
}

/* Weighs each item and reports the only broken one, in pinned memory for the host. */
__global__ void weigh(const float4 *in, const unsigned *from, float *weight, int *broken,
                      int n)
{
    int i = here();

    if (i >= n)
        return;
    weight[i] = in[i].x * in[i].y + in[i].z * in[i].w;
    if (in[i].x < 0)
        *broken = (int)from[i];
}

/* Reads of data that other threads may write use the same copy as the stores. */
__global__ void settle(const int *boundary, float *weight, int n)
{
    int i = here();

    if (i < n)
        weight[boundary[i]] *= 0.5f;
}

__global__ void hold(const int *boundary, float *weight, int n)
{
    int i = here();

    if (i < n)
        weight[boundary[i]] = 0;
}

/* Reads of data that other threads of the CTA stored. */
__global__ void hand_on(const int *boundary, float *weight, float *noted, int n)
{
    int i = here(), other = i ^ 1;

    if (i < n)
        weight[boundary[i]] += 1;
    __syncthreads();
    if (i < n)
        noted[i] = weight[boundary[other]];
}

/* Not with a fence, which makes stores visible to other CTAs. */
__global__ void settle_in_order(const int *boundary, float *weight, int n)
{
    int i = here();

    if (i < n)
        weight[boundary[i]] *= 2;
    __threadfence();
    if (i < n)
        weight[boundary[i]] += 3;
}

/* A flag that is also read is not an idempotent store; stores to one address may be. */
__global__ void print_once(const float *weight, float *twice, int *found, int n)
{
    int i = here();

    if (i >= n)
        return;
    twice[i] = 2 * weight[i];
    if (weight[i] == 3 && !*found)
        *found = 7;
}

/* Blocks of a row that overlap by one element on each side. The last blocks end with the
   row, which the bounds do not express, and there are more CTAs than blocks. Values that
   occur are marked. */
__global__ void step_row(const int *row, int *next, int *noted, int n)
{
    const int first = (THREADS - 2) * (int)blockIdx.x - 1, last = first + THREADS - 1;
    const int i = first + (int)threadIdx.x, from = first < 0 ? -first : 0,
              to = last > n - 1 ? THREADS - 1 - (last - n + 1) : THREADS - 1;
    const int t = threadIdx.x;

    if (t > 0 && t < THREADS - 1 && t >= from && t <= to) {
        next[i] = row[i] + 1;
        if (row[i] % 5 == 0)
            noted[row[i]] = 1;
    }
}

/* A loaded value gives the number of elements, each with a separate output. The number of
   visits is stored with a known address and is read through another pointer. */
__global__ void as_many(const int *count, const float *in, float *out, const int *visits,
                        int *visited)
{
    const int all = gridDim.x * blockDim.x;

    visited[here()] = visits[here()] + 1;
    for (int i = here(); i < *count; i += all)
        out[i] = 3 * in[i];
}

template <typename T> static T *copy_of(const std::vector<T> &from)
{
    T *to;

    CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

template <typename T> static std::vector<T> read(const T *from, size_t count)
{
    std::vector<T> to(count);

    CHECK(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

/* Rows whose ends are the starts of others. */
static bool rows_are_right(int *d_rows, int *d_next, int *d_noted)
{
    std::vector<int> row(EDGE), noted(KEYS);
    bool good = true;

    for (int i = 0; i < EDGE; i++)
        row[i] = i * 31 % KEYS;
    CHECK(cudaMemcpy(d_rows, row.data(), EDGE * sizeof(int), cudaMemcpyHostToDevice));
    step_row<<<3 * blocks_for(EDGE, THREADS - 2), THREADS>>>(d_rows, d_next, d_noted, EDGE);
    step_row<<<3 * blocks_for(EDGE, THREADS - 2), THREADS>>>(d_rows, d_next, d_noted, EDGE);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> next = read(d_next, EDGE), got = read(d_noted, KEYS);

    for (int i = 0; i < EDGE; i++)
        good &= next[i] == row[i] + 1;
    for (int k = 0; k < KEYS; k++)
        good &= got[k] == (k % 5 == 0);
    return good;
}

static void rank_items(const std::vector<item> &items, std::vector<unsigned> &rank)
{
    std::vector<unsigned> next(KEYS + 1);

    for (const item &t : items)
        next[t.key + 1]++;
    for (int k = 0; k < KEYS; k++)
        next[k + 1] += next[k];
    for (int i = 0; i < ITEMS; i++)
        rank[i] = next[items[i].key]++;
}

int main(void)
{
    std::vector<item> items(ITEMS);
    std::vector<unsigned> rank(ITEMS);
    std::vector<int> boundary(EDGE), none(KEYS, NO_ONE);
    std::vector<float> expected(ITEMS);
    unsigned state = 3;
    const int blocks = blocks_for(ITEMS, THREADS), edge = blocks_for(EDGE, THREADS);
    bool good = true;

    for (item &t : items)
        t = {next_random(&state) % KEYS, (float)(next_random(&state) % 100),
             (float)(next_random(&state) % 50), (float)(next_random(&state) % 9)};
    items[ITEMS / 3].x = -1;
    rank_items(items, rank);
    for (int i = 0; i < EDGE; i++)
        boundary[i] = (i * 7 + 5) % ITEMS;

    item *d_items = copy_of(items);
    unsigned *d_rank = copy_of(rank), *d_from = copy_of(std::vector<unsigned>(ITEMS));
    float4 *d_out = copy_of(std::vector<float4>(ITEMS));
    unsigned short *d_keys = copy_of(std::vector<unsigned short>(ITEMS));
    unsigned *d_words = copy_of(std::vector<unsigned>(2 * ITEMS));
    int *d_start = copy_of(none), *d_end = copy_of(none), *d_boundary = copy_of(boundary),
        *d_broken = copy_of(none), *h_broken;
    float *d_weight = copy_of(expected), *d_twice = copy_of(expected);
    float *d_noted = copy_of(std::vector<float>(EDGE));
    int *d_found = copy_of(std::vector<int>(1));
    int *d_count = copy_of(std::vector<int>(1, ITEMS - 9));
    int *d_visits = copy_of(std::vector<int>(ITEMS));
    float *d_thrice = copy_of(std::vector<float>(ITEMS));

    CHECK(cudaMallocHost(&h_broken, sizeof *h_broken));
    *h_broken = NO_ONE;
    for (int round = 0; round < 2; round++) {
        by_rank<<<blocks, THREADS>>>(d_items, d_rank, d_out, d_keys, d_from, ITEMS);
        find_starts<<<blocks, THREADS>>>(d_keys, d_start, d_end, ITEMS);
        pack<<<blocks, THREADS>>>(d_rank, d_words, ITEMS);
        weigh<<<blocks, THREADS>>>(d_out, d_from, d_weight, round ? h_broken : d_broken,
                                   ITEMS);
        settle<<<edge, THREADS>>>(d_boundary, d_weight, EDGE);
        hold<<<edge, THREADS>>>(d_boundary, d_weight, EDGE / 2);
        hand_on<<<edge, THREADS>>>(d_boundary, d_weight, d_noted, EDGE);
        settle_in_order<<<edge, THREADS>>>(d_boundary, d_weight, EDGE);
        print_once<<<blocks, THREADS>>>(d_weight, d_twice, d_found, ITEMS);
        as_many<<<blocks / 3, THREADS>>>(d_count, d_twice, d_thrice, d_visits, d_visits);
    }
    CHECK(cudaGetLastError());
    int *d_row = copy_of(std::vector<int>(EDGE)), *d_next = copy_of(std::vector<int>(EDGE)),
        *d_marks = copy_of(std::vector<int>(KEYS));

    good &= rows_are_right(d_row, d_next, d_marks);
    for (int i = 0; i < ITEMS; i++)
        expected[rank[i]] = items[i].x * items[i].y + items[i].z;
    for (int i = 0; i < EDGE; i++)
        expected[boundary[i]] = expected[boundary[i]] * (i < EDGE / 2 ? 0 : 0.5f) + 1;
    std::vector<float> weight = read(d_weight, ITEMS), noted = read(d_noted, EDGE);

    for (int i = 0; i < EDGE; i++)
        good &= noted[i] == expected[boundary[i ^ 1]];
    for (int i = 0; i < EDGE; i++)
        expected[boundary[i]] = expected[boundary[i]] * 2 + 3;
    good &= read(d_found, 1)[0] == 7;
    std::vector<float> doubled = read(d_twice, ITEMS), thrice = read(d_thrice, ITEMS);
    std::vector<int> visits = read(d_visits, ITEMS);

    for (int i = 0; i < ITEMS; i++)
        good &= doubled[i] == 2 * expected[i] &&
                thrice[i] == (i < ITEMS - 9 ? 3 * doubled[i] : 0) &&
                visits[i] == (i < blocks / 3 * THREADS ? 2 : 0);

    std::vector<unsigned> words = read(d_words, 2 * ITEMS);

    for (int i = 0; i < ITEMS; i++)
        good &= words[rank[i]] == i * 3u && words[ITEMS + i / 32] >> i % 32 & 1;

    std::vector<int> start = read(d_start, KEYS), end = read(d_end, KEYS);
    const int broken = read(d_broken, 1)[0];

    good &= *h_broken == broken;
    for (int k = 0; k + 1 < KEYS; k++)
        good &= start[k] != NO_ONE && end[k] == start[k + 1];
    printf("checksum %08x, item %d is broken\n",
           checksum(weight.data(), weight.size() * sizeof(float)), broken);
    return verdict("scattered_stores", good && weight == expected && broken == ITEMS / 3 &&
                                           end.back() == ITEMS);
}
