/* SPDX-License-Identifier: Apache-2.0 */
/* Sales by shop, as a database groups rows: count, sum, minimum, maximum, kinds of goods,
   and a checksum, accumulated day after day. The means are computed each day. */
#include <limits.h>

#include "programs.h"

enum { SHOPS = 1500, ROWS = 60000, DAYS = 3, KINDS = 27 };

struct totals {
    unsigned *count, *kinds;
    unsigned long long *sum, *check;
    int *least, *most;
};

struct row {
    unsigned shop;
    int amount; /* negative: money back */
};

__global__ void add_up(const struct row *rows, unsigned n, unsigned *count,
                       unsigned long long *sum, int *least, int *most)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        const struct row r = rows[i];

        atomicAdd(&count[r.shop], 1);
        atomicAdd(&sum[r.shop], (unsigned long long)(long long)r.amount);
        atomicMin(&least[r.shop], r.amount);
        atomicMax(&most[r.shop], r.amount);
    }
}

__global__ void note_kinds(const struct row *rows, unsigned n, unsigned *kinds,
                           unsigned long long *check)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const unsigned shop = rows[i].shop, word = (unsigned)rows[i].amount;

    atomicOr(&kinds[shop], 1u << word % KINDS);
    atomicXor(&check[shop], (word + 1) * 0x9e3779b97f4a7c15ull);
}

__global__ void mean(const unsigned *count, const unsigned long long *sum, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < SHOPS)
        out[i] = count[i] ? (int)((long long)sum[i] / (int)count[i]) : -1;
}

/* Shops with a number that ends in 7 sell only on the last day. */
static void make_rows(struct row *rows, int day, unsigned *state)
{
    for (int i = 0; i < ROWS; i++) {
        unsigned shop = next_random(state) % SHOPS;

        if (day < DAYS - 1 && shop % 10 == 7)
            shop--;
        rows[i].shop = shop;
        rows[i].amount = (int)(next_random(state) % 20000) - 1000;
    }
}

static void expect(struct totals *t, const struct row *rows)
{
    for (int i = 0; i < ROWS; i++) {
        const unsigned shop = rows[i].shop, word = (unsigned)rows[i].amount;
        const int amount = rows[i].amount;

        t->count[shop]++;
        t->sum[shop] += (unsigned long long)(long long)amount;
        t->least[shop] = amount < t->least[shop] ? amount : t->least[shop];
        t->most[shop] = amount > t->most[shop] ? amount : t->most[shop];
        t->kinds[shop] |= 1u << word % KINDS;
        t->check[shop] ^= (word + 1) * 0x9e3779b97f4a7c15ull;
    }
}

static bool same(const void *expected, const void *on_device, size_t bytes)
{
    void *got = malloc(bytes);

    CHECK(cudaMemcpy(got, on_device, bytes, cudaMemcpyDeviceToHost));
    const bool is = !memcmp(expected, got, bytes);

    printf("checksum %08x\n", checksum(got, bytes));
    free(got);
    return is;
}

static void *begin(const void *host, size_t bytes)
{
    void *to;

    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemcpy(to, host, bytes, cudaMemcpyHostToDevice));
    return to;
}

int main(void)
{
    static unsigned count[SHOPS], kinds[SHOPS];
    static unsigned long long sum[SHOPS], check[SHOPS];
    static int least[SHOPS], most[SHOPS], means[SHOPS];
    static struct row rows[ROWS];
    struct totals t = {count, kinds, sum, check, least, most};
    unsigned state = 11;
    bool right = true;

    for (int i = 0; i < SHOPS; i++)
        least[i] = INT_MAX, most[i] = INT_MIN, check[i] = 77ull * i, sum[i] = 5;
    struct row *d_rows = (struct row *)begin(rows, sizeof rows);
    unsigned *d_count = (unsigned *)begin(count, sizeof count);
    unsigned *d_kinds = (unsigned *)begin(kinds, sizeof kinds);
    unsigned long long *d_sum = (unsigned long long *)begin(sum, sizeof sum);
    unsigned long long *d_check = (unsigned long long *)begin(check, sizeof check);
    int *d_least = (int *)begin(least, sizeof least);
    int *d_most = (int *)begin(most, sizeof most);
    int *d_means = (int *)begin(means, sizeof means);

    for (int day = 0; day < DAYS; day++) {
        make_rows(rows, day, &state);
        expect(&t, rows);
        CHECK(cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice));
        add_up<<<40, 128>>>(d_rows, ROWS / 2, d_count, d_sum, d_least, d_most);
        add_up<<<40, 128>>>(d_rows + ROWS / 2, ROWS - ROWS / 2, d_count, d_sum, d_least,
                            d_most);
        note_kinds<<<blocks_for(ROWS, 256), 256>>>(d_rows, ROWS, d_kinds, d_check);
        mean<<<blocks_for(SHOPS, 64), 64>>>(d_count, d_sum, d_means);
        for (int i = 0; i < SHOPS; i++)
            means[i] = count[i] ? (int)((long long)sum[i] / (int)count[i]) : -1;
        right &= same(means, d_means, sizeof means);
    }
    right &= same(count, d_count, sizeof count) & same(sum, d_sum, sizeof sum) &
             same(least, d_least, sizeof least) & same(most, d_most, sizeof most) &
             same(kinds, d_kinds, sizeof kinds) & same(check, d_check, sizeof check);
    for (void *at : {(void *)d_rows, (void *)d_count, (void *)d_kinds, (void *)d_sum,
                     (void *)d_check, (void *)d_least, (void *)d_most, (void *)d_means})
        CHECK(cudaFree(at));
    return verdict("group_totals", right);
}
