/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients and counts accumulated at a loaded index, as in the training of embeddings: in
   half and bfloat16, one and two at a time, and by C++ atomics. All values are small
   integers, so every order gives the same sum. */
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "programs.h"

enum { PLACES = 6000, ITEMS = 40000, ROUNDS = 2, PARTS = 4, HEAD = 128 };

struct item {
    unsigned place;
    short amount;
};

typedef cuda::atomic<unsigned, cuda::thread_scope_device> counter;

__device__ static unsigned here()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void add_halves(const struct item *items, __half *sum, __half2 *pair)
{
    const struct item t = items[here()];

    atomicAdd(&sum[t.place], __short2half_rn(t.amount));
    atomicAdd(&pair[t.place], __halves2half2(__short2half_rn(t.amount), __float2half(1)));
}

__global__ void add_bfloats(const struct item *items, __nv_bfloat16 *sum,
                            __nv_bfloat162 *pair)
{
    const struct item t = items[here()];

    atomicAdd(&sum[t.place], __short2bfloat16_rn(t.amount));
    atomicAdd(&pair[t.place],
              __halves2bfloat162(__short2bfloat16_rn(t.amount), __float2bfloat16(1)));
}

__global__ void count_items(const struct item *items, counter *noted, unsigned *calls,
                            unsigned short *narrow)
{
    const struct item t = items[here()];
    cuda::atomic_ref<unsigned> all(calls[t.place % 7]);
    cuda::atomic_ref<unsigned short, cuda::thread_scope_device> one(narrow[t.place]);

    noted[t.place].fetch_add(2, cuda::memory_order_relaxed);
    all.fetch_add(1);
    one.fetch_add(3, cuda::memory_order_relaxed);
}

__global__ void find_most(const struct item *items, float *most)
{
    const struct item t = items[here()];
    cuda::atomic_ref<float, cuda::thread_scope_device> r(most[t.place]);
    float was = r.load(cuda::memory_order_relaxed);

    while (was < t.amount && !r.compare_exchange_weak(was, t.amount))
        ;
}

/* The sums are in arrays of a pointer table, and the added parameter is not an address. */
__global__ void add_to_parts(const struct item *items, char **part, size_t first_byte)
{
    const struct item t = items[here()];
    char *to = part[t.place % PARTS] + first_byte + t.place / PARTS * sizeof(__half);

    atomicAdd((__half *)to, __short2half_rn(t.amount));
}

static void *zeros(size_t bytes)
{
    void *to;

    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(to, 0, bytes));
    return to;
}

template <class T> static const T *read_back(const T *from, size_t count)
{
    T *to = (T *)malloc(count * sizeof *to);

    CHECK(cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyDeviceToHost));
    printf("checksum %08x\n", checksum(to, count * sizeof *to));
    return to;
}

int main(void)
{
    static struct item items[ITEMS];
    static float sum[PLACES], most[PLACES];
    static unsigned count[PLACES], calls[7];
    unsigned state = 5;
    bool right = true;
    struct item *d_items = (struct item *)zeros(sizeof items);
    __half *h = (__half *)zeros(PLACES * sizeof *h), *parts[PARTS];
    __half2 *h2 = (__half2 *)zeros(PLACES * sizeof *h2);
    __nv_bfloat16 *b = (__nv_bfloat16 *)zeros(PLACES * sizeof *b);
    __nv_bfloat162 *b2 = (__nv_bfloat162 *)zeros(PLACES * sizeof *b2);
    counter *noted = (counter *)zeros(PLACES * sizeof *noted);
    unsigned *d_calls = (unsigned *)zeros(sizeof calls);
    unsigned short *narrow = (unsigned short *)zeros(PLACES * sizeof *narrow);
    float *d_most = (float *)zeros(sizeof most);
    __half **table = (__half **)zeros(sizeof parts);

    for (__half *&part : parts)
        part = (__half *)zeros(HEAD + PLACES / PARTS * sizeof *part);
    CHECK(cudaMemcpy(table, parts, sizeof parts, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) {
        for (struct item &t : items) {
            t.place = next_random(&state) % PLACES;
            t.amount = (short)(next_random(&state) % 5) - 1;
            sum[t.place] += t.amount;
            most[t.place] = most[t.place] < t.amount ? t.amount : most[t.place];
            count[t.place]++;
            calls[t.place % 7]++;
        }
        CHECK(cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice));
        add_halves<<<ITEMS / 160, 160>>>(d_items, h, h2);
        add_bfloats<<<ITEMS / 160, 160>>>(d_items, b, b2);
        count_items<<<ITEMS / 160, 160>>>(d_items, noted, d_calls, narrow);
        find_most<<<ITEMS / 160, 160>>>(d_items, d_most);
        add_to_parts<<<ITEMS / 160, 160>>>(d_items, (char **)table, HEAD);
    }
    const __half *got_h = read_back(h, PLACES), *got_part[PARTS];
    const __half2 *got_h2 = read_back(h2, PLACES);
    const __nv_bfloat16 *got_b = read_back(b, PLACES);
    const __nv_bfloat162 *got_b2 = read_back(b2, PLACES);
    const unsigned *got_noted = (const unsigned *)read_back((unsigned *)noted, PLACES);
    const unsigned *got_calls = read_back(d_calls, 7);
    const unsigned short *got_narrow = read_back(narrow, PLACES);
    const float *got_most = read_back(d_most, PLACES);

    for (int p = 0; p < PARTS; p++)
        got_part[p] = read_back(parts[p] + HEAD / sizeof(__half), PLACES / PARTS);
    for (int i = 0; i < PLACES; i++) {
        right &= __half2float(got_h[i]) == sum[i] && __low2float(got_h2[i]) == sum[i] &&
                 __high2float(got_h2[i]) == count[i];
        right &= __bfloat162float(got_b[i]) == sum[i] && __low2float(got_b2[i]) == sum[i] &&
                 __high2float(got_b2[i]) == count[i];
        right &= got_noted[i] == 2 * count[i] && got_narrow[i] == 3 * count[i] &&
                 got_most[i] == most[i];
        right &= __half2float(got_part[i % PARTS][i / PARTS]) == sum[i];
    }
    right &= !memcmp(got_calls, calls, sizeof calls);
    return verdict("scattered_totals", right);
}
