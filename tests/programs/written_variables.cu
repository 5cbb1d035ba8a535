/* SPDX-License-Identifier: Apache-2.0 */
/* Module variables that kernels write: counters, extremes, flags, tables with an element
   for each thread, and elements at a loaded index. They are copied, set and passed by
   address in between, and used in a graph. */
#include "programs.h"

enum { N = 30000, BINS = 64, THREADS = 192, ROUNDS = 5 };

struct total {
    int of; /* never written */
    unsigned long long sum;
};

__device__ unsigned above;
__device__ int low = 1 << 30, high = -(1 << 30);
__device__ total sums = {N, 0};
__device__ int bins[BINS];
__device__ bool met;
__device__ int field[2][N];
__device__ int by_rank[N];
static __device__ float weights[4] = {0.5f, 1, 2, 4}; /* only read */

__global__ void look(const int *in, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N)
        return;
    if (in[i] > limit)
        atomicAdd(&above, 1);
    atomicMin(&low, in[i]);
    atomicMax(&high, in[i]);
    atomicAdd(&sums.sum, in[i]);
    atomicAdd(&bins[in[i] % BINS], 1);
    if (in[i] == limit)
        met = true;
}

/* A separate element in each half of the table, and one at a loaded index. */
__global__ void move(const int *in, const int *rank, int round)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N)
        return;
    field[round % 2][i] = field[(round + 1) % 2][(i + 1) % N] + in[i];
    by_rank[rank[i]] = in[i] + round;
}

__global__ void gather(int *out, const int *through)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        out[i] += field[0][i] + by_rank[N - 1 - i] + through[i] + bins[i % BINS] +
                  (int)weights[i % 4];
}

static int in[N], ranks[N], out[N], first[N], second[N], ranked[N], counts[BINS];
static unsigned count;
static int lowest = 1 << 30, highest;
static unsigned long long sum;

static void on_host(int limit, int round)
{
    int *to = round % 2 ? second : first, *from = round % 2 ? first : second;

    for (int i = 0; i < N; i++) {
        count += in[i] > limit;
        lowest = in[i] < lowest ? in[i] : lowest;
        highest = in[i] > highest ? in[i] : highest;
        sum += in[i];
        counts[in[i] % BINS]++;
        to[i] = from[(i + 1) % N] + in[i];
        ranked[ranks[i]] = in[i] + round;
    }
    for (int i = 0; i < N; i++)
        out[i] += first[i] + ranked[N - 1 - i] + second[i] + counts[i % BINS] +
                  (i % 4 ? 1 << (i % 4 - 1) : 0);
}

static void prepare(void)
{
    unsigned random = 7;

    for (int i = 0; i < N; i++) {
        in[i] = next_random(&random) % 5000;
        ranks[i] = i;
    }
    for (int i = N - 1; i > 0; i--) {
        int other = next_random(&random) % (i + 1), rank = ranks[i];

        ranks[i] = ranks[other];
        ranks[other] = rank;
    }
}

int main(void)
{
    int *d_in, *d_rank, *d_out, *field_at, bins_got[BINS];
    static int got[N], table[N];
    void *at;
    int low_got, high_got;
    bool right = true, found;
    total all_got;
    unsigned got_above, zero = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    prepare();
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_rank, sizeof in));
    CHECK(cudaMalloc(&d_out, sizeof in));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_rank, ranks, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_out, 0, sizeof in));
    CHECK(cudaGetSymbolAddress((void **)&field_at, field));
    CHECK(cudaFree(field_at) == cudaErrorInvalidValue ? cudaSuccess : cudaErrorUnknown);
    for (int round = 0; round < ROUNDS; round++) {
        const int limit = in[17 * round];

        count = 0;
        CHECK(cudaMemcpyToSymbol(above, &zero, sizeof zero));
        look<<<blocks_for(N, THREADS), THREADS>>>(d_in, limit);
        move<<<blocks_for(N, THREADS), THREADS>>>(d_in, d_rank, round);
        gather<<<blocks_for(N, THREADS), THREADS>>>(d_out, field_at + N);
        on_host(limit, round);
        CHECK(cudaMemcpyFromSymbol(&got_above, above, sizeof got_above));
        CHECK(cudaMemcpyFromSymbol(&found, met, sizeof found));
        right = right && got_above == count && found;
        CHECK(cudaGetSymbolAddress(&at, met));
        CHECK(cudaMemset(at, 0, sizeof met));
    }
    /* The second half of the table is copied over the first, and bins come from the host in
       halves. */
    CHECK(cudaMemcpyToSymbol(field, field_at + N, sizeof in, 0, cudaMemcpyDeviceToDevice));
    memcpy(first, second, sizeof first);
    for (int i = 0; i < BINS; i++)
        counts[i] = 3 * i;
    CHECK(cudaMemcpyToSymbol(bins, counts + BINS / 2, sizeof bins / 2, sizeof bins / 2));
    CHECK(cudaMemcpyToSymbolAsync(bins, counts, sizeof bins / 2, 0, cudaMemcpyHostToDevice,
                                  stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    look<<<blocks_for(N, THREADS), THREADS, 0, stream>>>(d_in, 100);
    for (int round = 0; round < 2; round++)
        move<<<blocks_for(N, THREADS), THREADS, 0, stream>>>(d_in, d_rank, round);
    gather<<<blocks_for(N, THREADS), THREADS, 0, stream>>>(d_out, field_at + N);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < 6; k++) {
        CHECK(cudaGraphLaunch(exec, stream));
        for (int i = 0; i < N; i++) {
            counts[in[i] % BINS]++;
            sum += in[i];
        }
        for (int i = 0; i < N; i++)
            first[i] = second[(i + 1) % N] + in[i];
        for (int i = 0; i < N; i++) {
            second[i] = first[(i + 1) % N] + in[i];
            ranked[ranks[i]] = in[i] + 1;
        }
        for (int i = 0; i < N; i++)
            out[i] += first[i] + ranked[N - 1 - i] + second[i] + counts[i % BINS] +
                      (i % 4 ? 1 << (i % 4 - 1) : 0);
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(table, field, sizeof table, sizeof table));
    CHECK(cudaMemcpyFromSymbol(bins_got, bins, sizeof bins_got));
    CHECK(cudaMemcpyFromSymbol(&low_got, low, sizeof low_got));
    CHECK(cudaMemcpyFromSymbol(&high_got, high, sizeof high_got));
    CHECK(cudaMemcpyFromSymbol(&all_got, sums, sizeof all_got));
    right = right && !memcmp(got, out, sizeof out) &&
            !memcmp(table, second, sizeof table) &&
            !memcmp(bins_got, counts, sizeof counts) && low_got == lowest &&
            high_got == highest && all_got.of == N && all_got.sum == sum;
    printf("checksum %08x\n", checksum(got, sizeof got));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaDeviceReset());
    CHECK(cudaMemcpyFromSymbol(&low_got, low, sizeof low_got));
    return verdict("written_variables", right && low_got == 1 << 30);
}
