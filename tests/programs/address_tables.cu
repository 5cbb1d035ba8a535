/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that find their arrays in pointer tables in memory. The tables change between
   launches: by copies, by kernels, by the host, or when an array is freed. */
#include "programs.h"
#include <utility>
#include <vector>

enum { N = 24, CELLS = N * N, BATCH = 6, LAYERS = 5, ROUNDS = 6 };

struct layer {
    const float *weight, *bias;
    int low, high; /* numbers that may look like an address */
    float *out;
    short inputs, step;
    size_t outputs;
};

struct settings {
    float *field;
    int width, first;
    const float *const *rows;
};

__constant__ float *slots[BATCH];
__constant__ settings chosen;
__device__ float *hidden[BATCH];

/* One product for each plane of the grid. */
__global__ void multiply(const float *const *a, const float *const *b, float *const *c)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y,
              column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int k = 0; k < N; k++)
        sum += a[blockIdx.z][row * N + k] * b[blockIdx.z][k * N + column];
    c[blockIdx.z][row * N + column] = sum / 64;
}

/* Applies one layer of a table of structs. */
__global__ void apply(const layer *layers, int which, const float *in)
{
    const layer l = layers[which];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = l.bias ? l.bias[i * l.step] : 0;

    for (int k = 0; i < l.outputs && k < l.inputs; k++)
        sum += l.weight[i * l.inputs + k] * in[k];
    if (i < l.outputs)
        l.out[i] = sum / 32 + (l.low ^ l.high) % 1021;
}

/* Adds up all arrays of the table; entries may be null. */
__global__ void gather(float *const *from, int count, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int k = 0; k < count; k++)
        if (from[k])
            sum += from[k][i] * (k + 1);
    out[i] = sum;
}

/* A loaded value gives the index in the table. */
__global__ void choose(const float *const *from, const int *which, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = from[which[i]][CELLS - 1 - i] + 1;
}

__global__ void scale(float by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    slots[blockIdx.y][i] *= by + blockIdx.y;
}

__global__ void shift(void)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < chosen.width)
        chosen.field[chosen.first + i] += chosen.rows[blockIdx.y % 2][i] + blockIdx.y;
}

__global__ void blend(float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = hidden[i % BATCH][i] / 2;
}

/* Kernels that write tables. */
__global__ void turn(float **table, int count)
{
    const int i = threadIdx.x;
    float *mine = table[(i + 1) % count];

    __syncthreads();
    table[i] = mine;
}

__global__ void swap_halves(float **table, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < BATCH / 2) {
        float *mine = table[i];

        table[i] = table[BATCH - 1 - i];
        table[BATCH - 1 - i] = mine;
    }
    out[i] = i;
}

/* Each device updates separate planes, which no other device reads. */
__global__ void nudge(float *const *of)
{
    of[blockIdx.y][blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

/* Updates the table that it reads through another pointer. */
__global__ void relink(float *const *table, const size_t *next, size_t *also, float *out)
{
    if (threadIdx.x == 0)
        also[blockIdx.x] = next[blockIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = table[blockIdx.x][threadIdx.x];
}

static float **arrays_of(const std::vector<float *> &list)
{
    float **table;

    CHECK(cudaMalloc(&table, list.size() * sizeof *table));
    CHECK(cudaMemcpy(table, list.data(), list.size() * sizeof *table,
                     cudaMemcpyHostToDevice));
    return table;
}

static float *filled(unsigned *state, int count)
{
    std::vector<float> host(count);
    float *array;

    for (int i = 0; i < count; i++)
        host[i] = (float)(next_random(state) % 16);
    CHECK(cudaMalloc(&array, count * sizeof(float)));
    CHECK(cudaMemcpy(array, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    return array;
}

static std::vector<float *> batch_of(unsigned *state)
{
    std::vector<float *> list;

    for (int k = 0; k < BATCH; k++)
        list.push_back(filled(state, CELLS));
    return list;
}

static unsigned show(const char *what, const std::vector<float *> &list, int count)
{
    std::vector<float> host(count);
    unsigned all = 0;

    for (const float *array : list) {
        CHECK(
            cudaMemcpy(host.data(), array, count * sizeof(float), cudaMemcpyDeviceToHost));
        all = all * 31 + checksum(host.data(), count * sizeof(float));
    }
    printf("%s: %08x\n", what, all);
    return all;
}

static const dim3 tiles(N / 8, N / 8, BATCH), tile(8, 8), line(CELLS / 64),
    planes(CELLS / 64, BATCH);

/* Copies between launches, of all kinds; the targets of the tables are exchanged. */
static void products(unsigned *state)
{
    std::vector<float *> a = batch_of(state), b = batch_of(state), c = batch_of(state);
    float **d_a = arrays_of(a), **d_b = arrays_of(b), **d_c = arrays_of(c), **spare;

    CHECK(cudaMalloc(&spare, BATCH * sizeof *spare));
    for (int round = 0; round < ROUNDS; round++) {
        multiply<<<tiles, tile>>>(d_a, d_b, d_c);
        if (round % 2)
            continue;
        std::swap(a, c);
        CHECK(cudaMemcpyAsync(spare, d_a, BATCH * sizeof *spare, cudaMemcpyDeviceToDevice));
        CHECK(cudaMemcpyAsync(d_a, d_c, BATCH * sizeof *spare, cudaMemcpyDeviceToDevice));
        CHECK(cudaMemcpyAsync(d_c, spare, BATCH * sizeof *spare, cudaMemcpyDeviceToDevice));
    }
    turn<<<1, BATCH>>>(d_b, BATCH);
    multiply<<<tiles, tile>>>(d_a, d_b, d_c);
    swap_halves<<<line, 64>>>(d_b, c[0]);
    multiply<<<tiles, tile>>>(d_a, d_b, d_c);
    show("products", c, CELLS);
}

static void layers(unsigned *state)
{
    std::vector<layer> host(LAYERS);
    std::vector<float *> out;
    layer *d_layers;
    float *in = filled(state, CELLS);

    for (int l = 0; l < LAYERS; l++) {
        host[l] = {filled(state, 128 * 40), l % 2 ? filled(state, 2 * 128) : NULL, l, 0,
                   filled(state, 128), 40, (short)(1 + l % 2), (size_t)(128 - l)};
        memcpy(&host[l].low, &host[l].out, sizeof host[l].out);
        out.push_back(host[l].out);
    }
    CHECK(cudaMalloc(&d_layers, LAYERS * sizeof(layer)));
    CHECK(cudaMemcpy(d_layers, host.data(), LAYERS * sizeof(layer),
                     cudaMemcpyHostToDevice));
    for (int round = 0; round < 3; round++)
        for (int l = 0; l < LAYERS; l++)
            apply<<<4, 32>>>(d_layers, l, l ? host[l - 1].out : in);
    /* Addresses differ between runs on GPUs. */
    for (int l = 0; l < LAYERS; l++) {
        const int number = (host[l].low ^ host[l].high) % 1021;
        std::vector<float> now(100);

        CHECK(cudaMemcpy(now.data(), host[l].out, 400, cudaMemcpyDeviceToHost));
        for (float &x : now)
            x -= number;
        CHECK(cudaMemcpy(host[l].out, now.data(), 400, cudaMemcpyHostToDevice));
    }
    show("layers", {out[0]}, 100);
}

/* Memory that host and kernels share; some entries are null. */
static void shared(unsigned *state)
{
    std::vector<float *> list = batch_of(state);
    float **table, *out = filled(state, CELLS);

    CHECK(cudaMallocManaged(&table, BATCH * sizeof *table));
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(cudaDeviceSynchronize());
        for (int k = 0; k < BATCH; k++)
            table[k] = k == round ? NULL : list[(k + round) % BATCH];
        gather<<<line, 64>>>(table, BATCH - round % 2, out);
        gather<<<line, 64>>>(table, BATCH, list[round]);
    }
    list.push_back(out);
    CHECK(cudaDeviceSynchronize());
    show("shared", list, CELLS);
}

/* A target of the table is freed and its memory is allocated again; the table is
   unchanged. */
static void freed(unsigned *state)
{
    std::vector<float *> list = batch_of(state);
    float **table = arrays_of(list), *out = filled(state, CELLS);

    for (int round = 0; round < 3; round++) {
        gather<<<line, 64>>>(table, BATCH, out);
        CHECK(cudaFree(list[round]));
        float *const before = list[round], *again = filled(state, CELLS + 64 * (round / 2));

        list[round] = again;
        if (again != before)
            CHECK(cudaMemcpy(table + round, &again, sizeof again, cudaMemcpyHostToDevice));
        gather<<<line, 64>>>(table, BATCH, list[3 + round]);
    }
    list.push_back(out);
    show("freed", list, CELLS);
}

/* A table in one allocation with its targets and with the kernel's output. */
static void together(unsigned *state)
{
    float *room = filled(state, (BATCH + 2) * CELLS),
          **table = (float **)(room + BATCH * CELLS);
    std::vector<float *> list;

    for (int k = 0; k < BATCH; k++)
        list.push_back(room + k * CELLS);
    for (int round = 0; round < 3; round++) {
        CHECK(
            cudaMemcpy(table, list.data(), BATCH * sizeof *table, cudaMemcpyHostToDevice));
        gather<<<line, 64>>>(table, BATCH, room + (BATCH + 1) * CELLS);
        std::swap(list[0], list[2]);
        multiply<<<dim3(N / 8, N / 8, 2), tile>>>(table, table + 2, table + 4);
        gather<<<line, 64>>>(table, 3, (float *)(table + 3)); /* directly after the table */
    }
    show("together", {room, room + (BATCH + 1) * CELLS}, CELLS);
}

static void relinked(unsigned *state)
{
    std::vector<float *> list = batch_of(state), other = batch_of(state);
    float **table = arrays_of(list), **next = arrays_of(other),
          *out = filled(state, BATCH * 64);

    for (int round = 0; round < 3; round++) {
        multiply<<<tiles, tile>>>(table, table, next);
        for (int k = 0; k < 3; k++)
            nudge<<<planes, 64>>>(next);
        relink<<<BATCH, 64>>>(table, (size_t *)next, (size_t *)table, out);
        CHECK(cudaMemcpy(next, round % 2 ? other.data() : list.data(), BATCH * sizeof *next,
                         cudaMemcpyHostToDevice));
    }
    other.push_back(out);
    show("relinked", other, BATCH * 64);
}

static void chosen_ones(unsigned *state)
{
    std::vector<float *> list = batch_of(state);
    std::vector<int> which(CELLS);
    float **table = arrays_of(list), *out = filled(state, CELLS);
    int *d_which;

    for (int i = 0; i < CELLS; i++)
        which[i] = (int)(next_random(state) % BATCH);
    CHECK(cudaMalloc(&d_which, CELLS * sizeof(int)));
    CHECK(cudaMemcpy(d_which, which.data(), CELLS * sizeof(int), cudaMemcpyHostToDevice));
    for (int round = 0; round < 3; round++)
        choose<<<line, 64>>>(table, d_which, out);
    list.push_back(out);
    show("chosen", list, CELLS);
}

static void constants(unsigned *state)
{
    std::vector<float *> list = batch_of(state);
    float **table = arrays_of(list), *out = filled(state, CELLS);

    for (int round = 0; round < 4; round++) {
        CHECK(cudaMemcpyToSymbol(slots, list.data(), BATCH * sizeof(float *)));
        scale<<<planes, 64>>>(1);
        const settings s = {list[5] - round, CELLS - 64, round, table + round % 3};

        CHECK(cudaMemcpyToSymbol(chosen, &s, sizeof s));
        shift<<<line, 64>>>();
        CHECK(cudaMemcpyToSymbol(hidden, list.data(), BATCH * sizeof(float *)));
        blend<<<line, 64>>>(out);
        std::swap(list[1], list[4]);
    }
    list.push_back(out);
    show("constants", list, CELLS);
}

/* A graph whose table is changed before it is launched again. */
static void replayed(unsigned *state)
{
    std::vector<float *> list = batch_of(state), other = batch_of(state);
    float **table = arrays_of(list), *out = filled(state, CELLS);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < 4; k++)
        gather<<<line, 64, 0, stream>>>(table, BATCH, k % 2 ? list[5] : out);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaMemcpyAsync(table, round % 2 ? list.data() : other.data(),
                              3 * sizeof *table, cudaMemcpyHostToDevice, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    list.push_back(out);
    show("replayed", list, CELLS);
}

int main(void)
{
    unsigned state = 5;

    products(&state);
    layers(&state);
    shared(&state);
    freed(&state);
    together(&state);
    relinked(&state);
    chosen_ones(&state);
    constants(&state);
    replayed(&state);
    return verdict("address_tables", true);
}
