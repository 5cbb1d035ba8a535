/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products in the style of template libraries. All arguments are in one long struct.
   A thread keeps a bit mask of its rows that are inside, loads tiles ahead, and clears the
   mask after the last tile. Pointers advance by strides from the host.

   The scale comes from a table, an address or a number. One kernel has several modes: one
   waits for other CTAs, and one finds its matrices in a table. */
#include "programs.h"

#include <utility>

enum { TILE = 32, DEPTH = 8, THREADS = 64, ROWS = TILE * DEPTH / THREADS };
enum { M = 92, N = 75, K = 44, BATCH = 3 };

enum mode { PLAIN, IN_TURN, BATCHED, TABLES };

/* Rows of k: element (row, k) is at data[row * k + k]. `step` leads to the thread's next
   row, `back` from its last row to the first row of the next tile. */
struct operand {
    int rows;
    long stride, step, back, per_batch;
    const float *data;
    const float *const *table;
};

struct product {
    int m, n, k, swizzle, tiles_m, tiles_n;
    mode how;
    operand a, b;
    float *c;
    float *const *c_table;
    long c_per_batch;
    float scale;
    const float *scale_at;
    const float *const *scale_table;
    int *turns;
};

__device__ float load_if(const char *at, unsigned set)
{
    float value;

    asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; mov.b32 %0, 0f00000000;\n"
                 "@p ld.global.f32 %0, [%1]; }"
                 : "=f"(value)
                 : "l"(at), "r"(set));
    return value;
}

__device__ void copy_if(float *to, const char *at, unsigned set)
{
    unsigned there = (unsigned)__cvta_generic_to_shared(to);

    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :
                 : "r"(there), "l"(at), "r"(set ? 4 : 0));
}

/* Elements of an operand that a thread loads: rows threadIdx.x / DEPTH and 8, 16 and 24
   more. The first tile has the remainder of k, so that all others are full. */
struct taker {
    const char *at;
    unsigned mask, first_mask;
    long step, back;

    __device__ taker(const operand &o, const float *data, int first_row, int first)
    {
        int row = first_row + threadIdx.x / DEPTH, column = threadIdx.x % DEPTH;

        mask = 0;
        for (int i = 0; i < ROWS; i++)
            mask |= (row + i * DEPTH < o.rows) << i;
        first_mask = column < first ? mask : 0;
        at = (const char *)(data + row * o.stride + column);
        step = o.step;
        back = o.back;
    }
};

template <bool copies>
__device__ void take(taker &t, unsigned mask, float (*to)[DEPTH + 1], long on)
{
    for (int i = 0; i < ROWS; i++) {
        float *place = &to[threadIdx.x / DEPTH + i * DEPTH][threadIdx.x % DEPTH];

        if (copies)
            copy_if(place, t.at, mask & 1u << i);
        else
            *place = load_if(t.at, mask & 1u << i);
        if (i < ROWS - 1)
            t.at += t.step;
    }
    t.at += t.back + on;
}

template <bool copies>
__device__ void multiply(const product &p, const float *a, const float *b, int tile_m,
                         int tile_n, float (&sum)[TILE * TILE / THREADS])
{
    __shared__ float left[2][TILE][DEPTH + 1], right[2][TILE][DEPTH + 1];
    int first = p.k % DEPTH ? p.k % DEPTH : DEPTH, tiles = (p.k + DEPTH - 1) / DEPTH;
    taker x(p.a, a, tile_m * TILE, first), y(p.b, b, tile_n * TILE, first);

    take<copies>(x, x.first_mask, left[0], first * (long)sizeof(float));
    take<copies>(y, y.first_mask, right[0], first * (long)sizeof(float));
    if (tiles < 2)
        x.mask = y.mask = 0;
    for (int now = 0; tiles > 0; tiles--, now ^= 1) {
        if (copies)
            asm volatile("cp.async.wait_all;");
        __syncthreads();
        take<copies>(x, x.mask, left[now ^ 1], DEPTH * sizeof(float));
        take<copies>(y, y.mask, right[now ^ 1], DEPTH * sizeof(float));
        if (tiles < 3)
            x.mask = y.mask = 0;
        for (int i = 0; i < TILE * TILE / THREADS; i++) {
            int at = threadIdx.x + i * THREADS;

            for (int k = 0; k < DEPTH; k++)
                sum[i] += left[now][at / TILE][k] * right[now][at % TILE][k];
        }
    }
    if (copies)
        asm volatile("cp.async.wait_all;");
}

__device__ float scale_of(const product &p)
{
    if (p.scale_table && p.scale_table[0])
        return *p.scale_table[0];
    return p.scale_at ? *p.scale_at : p.scale;
}

__device__ void put(const product &p, float *c, int tile_m, int tile_n, const float *sum)
{
    float scale = scale_of(p);

    for (int i = 0; i < TILE * TILE / THREADS; i++) {
        int at = threadIdx.x + i * THREADS, row = tile_m * TILE + at / TILE,
            column = tile_n * TILE + at % TILE;

        if (row < p.m && column < p.n && c)
            c[row * p.n + column] += scale * sum[i];
    }
}

__device__ bool find_tile(const product &p, int *tile_m, int *tile_n)
{
    *tile_m = blockIdx.x >> p.swizzle;
    *tile_n = (blockIdx.y << p.swizzle) + (blockIdx.x & ~(-1 << p.swizzle));
    return *tile_m < p.tiles_m && *tile_n < p.tiles_n;
}

template <bool copies, class Name> __global__ void by_masks(product p)
{
    float sum[TILE * TILE / THREADS] = {};
    int tile_m, tile_n;

    if (!find_tile(p, &tile_m, &tile_n))
        return;
    multiply<copies>(p, p.a.data, p.b.data, tile_m, tile_n, sum);
    put(p, p.c, tile_m, tile_n, sum);
}

__global__ void by_mode(product p)
{
    float sum[TILE * TILE / THREADS] = {};
    const float *a = p.a.data, *b = p.b.data;
    float *c = p.c;
    int tile_m, tile_n;

    if (!find_tile(p, &tile_m, &tile_n))
        return;
    if (p.how == BATCHED) {
        a += blockIdx.z * p.a.per_batch;
        b += blockIdx.z * p.b.per_batch;
        c += blockIdx.z * p.c_per_batch;
    } else if (p.how == TABLES) {
        a = p.a.table[blockIdx.z];
        b = p.b.table[blockIdx.z];
        c = p.c_table[blockIdx.z];
    }
    multiply<false>(p, a, b, tile_m, tile_n, sum);
    if (p.how == IN_TURN && gridDim.z > 1) {
        volatile int *turn = &p.turns[tile_m * p.tiles_n + tile_n];

        while (*turn != blockIdx.z)
            ;
        __syncthreads();
        __threadfence();
    }
    put(p, c, tile_m, tile_n, sum);
    if (p.how == IN_TURN && gridDim.z > 1) {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(&p.turns[tile_m * p.tiles_n + tile_n], blockIdx.z + 1);
    }
}

static operand operand_of(const float *data, int rows)
{
    operand o = {rows, K, DEPTH * K * (long)sizeof(float),
                 -(ROWS - 1) * DEPTH * K * (long)sizeof(float), (long)rows * K, data, NULL};

    return o;
}

static float some(int i)
{
    return (float)(i * 37 % 17 - 8) / 2;
}

static float *filled(size_t count)
{
    float *host = (float *)malloc(count * sizeof *host), *device;

    for (size_t i = 0; i < count; i++)
        host[i] = some((int)i);
    CHECK(cudaMalloc(&device, count * sizeof *host));
    CHECK(cudaMemcpy(device, host, count * sizeof *host, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

/* Checks c, which had the initial value, after `times` products. */
static bool check(const char *what, const float *device_c, float scale, int times)
{
    static float c[M * N * BATCH];
    bool right = true;

    CHECK(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < M * N * BATCH && times; i++) {
        int batch = i / (M * N), row = i % (M * N) / N, column = i % N;
        float sum = 0;

        for (int k = 0; k < K; k++)
            sum += some(batch * M * K + row * K + k) * some(batch * N * K + column * K + k);
        right &= c[i] == some(i) + times * scale * sum;
    }
    printf("%s: %08x\n", what, checksum(c, sizeof c));
    return right;
}

/* A table of all three; one of them may be a null pointer. */
static float **table_of(float *first, size_t step)
{
    float *host[BATCH], **device;

    for (int i = 0; i < BATCH; i++)
        host[i] = first + i * step;
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    return device;
}

int main(void)
{
    using long_name = std::make_integer_sequence<int, 300>; /* more than 1000 characters */
    float *a = filled(M * K * BATCH), *b = filled(N * K * BATCH), *c, *half = filled(2);
    const int tiles_m = blocks_for(M, TILE), tiles_n = blocks_for(N, TILE), swizzle = 1;
    const dim3 grid(tiles_m << swizzle, blocks_for(tiles_n, 1 << swizzle));
    const float scale = .5f;
    product p = {M, N, K, swizzle, tiles_m, tiles_n, PLAIN, operand_of(a, M),
                 operand_of(b, N)};
    bool right = true;

    p.scale = scale;
    p.c_per_batch = M * N;
    CHECK(cudaMalloc(&p.turns, tiles_m * tiles_n * sizeof(int)));
    CHECK(cudaMemset(p.turns, 0, tiles_m * tiles_n * sizeof(int)));
    p.c = c = filled(M * N * BATCH);
    for (int i = 0; i < 2; i++)
        by_masks<false, long_name><<<grid, THREADS>>>(p);
    right &= check("masks", c, scale, 0);
    p.c = c = filled(M * N * BATCH);
    for (int i = 0; i < BATCH; i++) {
        p.a.data = a + i * M * K;
        p.b.data = b + i * N * K;
        p.c = c + i * M * N;
        by_masks<true, int><<<grid, THREADS>>>(p);
    }
    right &= check("copies", c, scale, 1);
    p.a.data = a;
    p.b.data = b;
    p.c = c = filled(M * N * BATCH);
    p.how = BATCHED;
    CHECK(cudaMemcpy(half, &scale, sizeof scale, cudaMemcpyHostToDevice));
    p.scale_at = half;
    for (int i = 0; i < 3; i++)
        by_mode<<<dim3(grid.x, grid.y, BATCH), THREADS>>>(p);
    right &= check("batched", c, scale, 3);
    p.how = TABLES;
    p.scale_at = NULL;
    p.scale = 2;
    p.scale_table = table_of(half, 0);
    p.c = c = filled(M * N * BATCH);
    p.a.table = table_of(a, M * K);
    p.b.table = table_of(b, N * K);
    p.c_table = table_of(c, M * N);
    by_mode<<<dim3(grid.x, grid.y, BATCH), THREADS>>>(p);
    right &= check("tables", c, scale, 1);
    p.how = IN_TURN;
    by_mode<<<dim3(grid.x, grid.y, BATCH), THREADS>>>(p);
    right &= check("in turn", c, scale, 0);
    return verdict("tiled_products", right);
}
