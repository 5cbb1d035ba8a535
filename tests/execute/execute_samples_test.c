/* SPDX-License-Identifier: Apache-2.0 */
/* Every sample kernel, by every compiler, gives the answer of plain C on one device. Values
   are small whole numbers, so that sums are exact in any order, but for the ranks. */
#include <math.h>

#include "execute_testing.h"

static const char *const compilers[] = {"sm_75", "sm_90", "sm_100", "clang"};

enum { ARRAYS_MAX = 8 };

struct job {
    unsigned char parameters[96];
    size_t bytes;
    void *arrays[ARRAYS_MAX];
    unsigned count;
    uint32_t state; /* of the numbers drawn */
};

static void pass(struct job *j, const void *value, size_t bytes, size_t align)
{
    j->bytes = (j->bytes + align - 1) / align * align;
    memcpy(j->parameters + j->bytes, value, bytes);
    j->bytes += bytes;
}

static void pass_int(struct job *j, int value)
{
    pass(j, &value, 4, 4);
}

static void pass_float(struct job *j, float value)
{
    pass(j, &value, 4, 4);
}

static uint32_t draw(struct job *j, uint32_t below)
{
    j->state = j->state * 1664525u + 1013904223u;
    return (j->state >> 8) % below;
}

static void *array(struct job *j, size_t bytes)
{
    void *a = must_calloc(bytes + 64, 1);

    j->arrays[j->count++] = a;
    pass(j, &a, 8, 8);
    return a;
}

static float *floats(struct job *j, size_t count)
{
    float *a = array(j, count * 4);

    for (size_t n = 0; n < count; n++)
        a[n] = (float)(int)draw(j, 17) - 8;
    return a;
}

static void equal(const float *got, const float *wanted, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (fabsf(got[n] - wanted[n]) > 1e-6f * fabsf(wanted[n]))
            fail_msg("element %zu: %g, not %g", n, (double)got[n], (double)wanted[n]);
}

/* A sample sets its arguments up before, and after the run compares. */
typedef void sample_before(struct job *j);
typedef void sample_after(struct job *j);

enum { N = 3000, NX = 75, NY = 53, NZ = 9 };

static void three_before(struct job *j)
{
    floats(j, N), floats(j, N), floats(j, N);
    pass_int(j, N);
}

static void three64_before(struct job *j)
{
    uint64_t n = N;

    floats(j, N), floats(j, N), floats(j, N);
    pass(j, &n, 8, 8);
}

static void vector_before(struct job *j)
{
    floats(j, N), floats(j, N), floats(j, N);
    pass_int(j, N / 4);
}

static void sum_after(struct job *j)
{
    float *a = j->arrays[0], *b = j->arrays[1], wanted[N];

    for (int i = 0; i < N; i++)
        wanted[i] = a[i] + b[i];
    equal(j->arrays[2], wanted, N);
}

static void saxpy_before(struct job *j)
{
    pass_float(j, 3);
    floats(j, N);
    for (int i = 0; i < N; i++)
        ((float *)j->arrays[0])[i] = (float)i;
    memset(floats(j, N), 0, N * 4);
    pass_int(j, N);
}

static void saxpy_after(struct job *j)
{
    float wanted[N];

    for (int i = 0; i < N; i++)
        wanted[i] = 3 * (float)i;
    equal(j->arrays[1], wanted, N);
}

static void coarsen_before(struct job *j)
{
    floats(j, N), floats(j, N);
    pass_int(j, N);
}

static void coarsen_after(struct job *j)
{
    float *a = j->arrays[0], wanted[N];

    for (int i = 0; i < N; i++)
        wanted[i] = 2 * a[i];
    equal(j->arrays[1], wanted, N);
}

static void plane_before(struct job *j)
{
    floats(j, NX * NY), memset(floats(j, NX * NY), 0, NX * NY * 4);
    pass_int(j, NX);
    pass_int(j, NY);
}

static void jacobi_compare(struct job *j, bool clamps)
{
    float *in = j->arrays[0], wanted[NX * NY] = {0};

    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            int l = x > 0 ? x - 1 : 0, r = x < NX - 1 ? x + 1 : x;
            int u = y > 0 ? y - 1 : 0, d = y < NY - 1 ? y + 1 : y;
            bool inner = x > 0 && x < NX - 1 && y > 0 && y < NY - 1;

            if (inner || clamps)
                wanted[y * NX + x] = 0.25f * (in[y * NX + l] + in[y * NX + r] +
                                              in[u * NX + x] + in[d * NX + x]);
        }
    equal(j->arrays[1], wanted, NX * NY);
}

static void jacobi_after(struct job *j)
{
    jacobi_compare(j, false);
}

static void clamp_after(struct job *j)
{
    jacobi_compare(j, true);
}

static void flat_after(struct job *j)
{
    float *in = j->arrays[0], wanted[NX * NY];

    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++)
            wanted[x * NY + y] = in[y * NX + x];
    equal(j->arrays[1], wanted, NX * NY);
}

static void space_before(struct job *j)
{
    floats(j, NX * NY * NZ), memset(floats(j, NX * NY * NZ), 0, NX * NY * NZ * 4);
    pass_int(j, NX);
    pass_int(j, NY);
    pass_int(j, NZ);
}

static void space_after(struct job *j)
{
    const float *in = j->arrays[0];
    float *wanted = must_calloc(NX * NY * NZ, 4);

    for (int z = 1; z < NZ - 1; z++)
        for (int y = 1; y < NY - 1; y++)
            for (int x = 1; x < NX - 1; x++) {
                const float *at = in + (z * NY + y) * NX + x;

                wanted[(z * NY + y) * NX + x] = at[-NX * NY] + at[NX * NY] + at[-1] +
                                                at[1] + at[-NX] + at[NX] - 6 * at[0];
            }
    equal(j->arrays[1], wanted, NX * NY * NZ);
    free(wanted);
}

static void transpose_before(struct job *j)
{
    floats(j, NX * NY), floats(j, NX * NY);
    pass_int(j, NX);
    pass_int(j, NY);
    void *out = j->arrays[0]; /* the output comes first */

    j->arrays[0] = j->arrays[1];
    j->arrays[1] = out;
}

enum { M = 64, MN = 48, MK = 32 };

static void product_before(struct job *j)
{
    floats(j, M * MK), floats(j, MK * MN), floats(j, M * MN);
    pass_int(j, M);
    pass_int(j, MN);
    pass_int(j, MK);
}

static void amge_before(struct job *j)
{
    floats(j, M * MN), floats(j, M * MK), floats(j, MK * MN);
    pass_int(j, M);
    pass_int(j, MN);
    pass_int(j, MK);
}

static void product_compare(const float *a, const float *b, const float *c, bool by_columns)
{
    float wanted[M * MN];

    for (int r = 0; r < M; r++)
        for (int n = 0; n < MN; n++) {
            float sum = 0;

            for (int k = 0; k < MK; k++)
                sum += (by_columns ? a[k * M + r] : a[r * MK + k]) * b[k * MN + n];
            wanted[by_columns ? n * M + r : r * MN + n] = sum;
        }
    equal(c, wanted, M * MN);
}

static void product_after(struct job *j)
{
    product_compare(j->arrays[0], j->arrays[1], j->arrays[2], false);
}

static void amge_after(struct job *j)
{
    product_compare(j->arrays[1], j->arrays[2], j->arrays[0], true);
}

static void nd_product_after(struct job *j)
{
    product_compare(j->arrays[1], j->arrays[2], j->arrays[0], false);
}

static void sgemv_before(struct job *j)
{
    floats(j, NY * NX), floats(j, NX), floats(j, NY);
    pass_int(j, NY);
    pass_int(j, NX);
}

static void sgemv_after(struct job *j)
{
    const float *a = j->arrays[0], *x = j->arrays[1];
    float wanted[NY] = {0};

    for (int r = 0; r < NY; r++)
        for (int k = 0; k < NX; k++)
            wanted[r] += a[r * NX + k] * x[k];
    equal(j->arrays[2], wanted, NY);
}

static void pass_dims(struct job *j, const int *dims, int rank)
{
    int stride = 1, strides[3];

    for (int n = rank - 1; n >= 0; stride *= dims[n--])
        strides[n] = stride;
    for (int n = 0; n < rank; n++)
        pass_int(j, dims[n]);
    for (int n = 0; n < rank; n++)
        pass_int(j, strides[n]);
}

static void nd_plane_before(struct job *j)
{
    const int dims[2] = {NY, NX};

    for (int n = 0; n < 2; n++) {
        float *a = floats(j, NX * NY);

        if (n)
            memset(a, 0, NX * NY * 4);
        pass_dims(j, dims, 2);
    }
}

static void nd_space_before(struct job *j)
{
    const int dims[3] = {NZ, NY, NX};

    for (int n = 0; n < 2; n++) {
        float *a = floats(j, NX * NY * NZ);

        if (n)
            memset(a, 0, NX * NY * NZ * 4);
        pass_dims(j, dims, 3);
    }
}

static void nd_product_before(struct job *j)
{
    const int dims[3][2] = {{M, MN}, {M, MK}, {MK, MN}};

    for (int n = 0; n < 3; n++) {
        floats(j, (size_t)(dims[n][0] * dims[n][1]));
        pass_dims(j, dims[n], 2);
    }
}

static void matrix_before(struct job *j, bool turned)
{
    for (int n = 0; n < 2; n++) {
        floats(j, NX * NY);
        pass_int(j, n == 0 && turned ? NX : NY);
        pass_int(j, n == 0 && turned ? NY : NX);
    }
    void *out = j->arrays[0];

    j->arrays[0] = j->arrays[1];
    j->arrays[1] = out;
}

static void turned_before(struct job *j)
{
    matrix_before(j, true);
}

static void straight_before(struct job *j)
{
    matrix_before(j, false);
}

static void double_after(struct job *j)
{
    float *in = j->arrays[0], wanted[NX * NY];

    for (int i = 0; i < NX * NY; i++)
        wanted[i] = 2 * in[i];
    equal(j->arrays[1], wanted, NX * NY);
}

static void reduce_before(struct job *j)
{
    floats(j, N), memset(floats(j, 64), 0, 256);
    pass_int(j, N);
}

static void reduce_after(struct job *j)
{
    float *in = j->arrays[0], *out = j->arrays[1], all[2] = {0};

    for (int i = 0; i < N; i++)
        all[0] += in[i];
    for (int i = 0; i < 64; i++)
        all[1] += out[i];
    equal(&all[1], &all[0], 1);
}

static void bytes_before(struct job *j)
{
    unsigned char *data = array(j, N);

    for (int i = 0; i < N; i++)
        data[i] = (unsigned char)draw(j, 256);
    array(j, 256 * 4 * 16);
    pass_int(j, N);
}

static void bytes_after(struct job *j)
{
    const unsigned char *data = j->arrays[0];
    const uint32_t *bins = j->arrays[1];
    uint32_t wanted[256] = {0}, got[256] = {0};

    for (int i = 0; i < N; i++)
        wanted[data[i]]++;
    for (int i = 0; i < 256 * 16; i++)
        got[i % 256] += bins[i];
    assert_memory_equal(got, wanted, sizeof got);
}

enum { VERTICES = 500, EDGES = 4000 };

/* Rows and columns of a graph, the first vertices without edges. */
static void graph(struct job *j)
{
    int *row = array(j, (VERTICES + 1) * 4), *column = array(j, EDGES * 4);

    for (int e = 0; e < EDGES; e++) {
        row[10 + draw(j, VERTICES - 10) + 1]++;
        column[e] = (int)draw(j, VERTICES);
    }
    for (int v = 0; v < VERTICES; v++)
        row[v + 1] += row[v];
}

static void pull_before(struct job *j)
{
    graph(j);
    floats(j, VERTICES), floats(j, VERTICES), floats(j, VERTICES);
    int *degree = array(j, VERTICES * 4);

    for (int v = 0; v < VERTICES; v++)
        degree[v] = (int)draw(j, 4);
    pass_int(j, VERTICES);
    pass_float(j, 0.85f);
}

static void pull_after(struct job *j)
{
    const int *row = j->arrays[0], *column = j->arrays[1], *degree = j->arrays[5];
    const float *given = j->arrays[2];
    float rank[VERTICES], next[VERTICES];

    for (int v = 0; v < VERTICES; v++) {
        float sum = 0;

        for (int e = row[v]; e < row[v + 1]; e++)
            sum += given[column[e]];
        rank[v] = fmaf(0.85f, sum, (1 - 0.85f) / VERTICES);
        next[v] = degree[v] ? rank[v] / (float)degree[v] : 0;
    }
    equal(j->arrays[3], rank, VERTICES);
    equal(j->arrays[4], next, VERTICES);
}

static void push_before(struct job *j)
{
    graph(j);
    floats(j, VERTICES), memset(floats(j, VERTICES), 0, VERTICES * 4);
    pass_int(j, VERTICES);
    pass_float(j, 0.5f);
}

static void push_after(struct job *j)
{
    const int *row = j->arrays[0], *column = j->arrays[1];
    const float *rank = j->arrays[2], *next = j->arrays[3];
    double wanted[VERTICES] = {0};

    for (int v = 0; v < VERTICES; v++)
        for (int e = row[v]; e < row[v + 1]; e++)
            wanted[column[e]] += 0.5 * (double)rank[v] / (row[v + 1] - row[v]);
    for (int v = 0; v < VERTICES; v++)
        assert_true(fabs(wanted[v] - (double)next[v]) < 1e-4);
}

enum { FAR = 0x7fffffff };

static void distances(struct job *j, int *distance)
{
    for (int v = 0; v < VERTICES; v++)
        distance[v] = v % 3 ? FAR : (int)draw(j, 100);
}

static void edges_before(struct job *j)
{
    for (int n = 0; n < 3; n++) {
        int *a = array(j, EDGES * 4);

        for (int e = 0; e < EDGES; e++) /* from those with a distance to those without */
            a[e] = n == 0   ? (int)draw(j, VERTICES / 3) * 3
                   : n == 1 ? (int)draw(j, VERTICES / 3) * 3 + 1
                            : (int)draw(j, 50);
    }
    distances(j, array(j, VERTICES * 4));
    array(j, 4);
    pass_int(j, EDGES);
}

static void edges_after(struct job *j)
{
    const int *from = j->arrays[0], *to = j->arrays[1], *weight = j->arrays[2];
    const int *distance = j->arrays[3], *changed = j->arrays[4];
    int wanted[VERTICES];

    for (int v = 0; v < VERTICES; v++)
        wanted[v] = v % 3 ? FAR : distance[v];
    for (int e = 0; e < EDGES; e++)
        if (wanted[from[e]] + weight[e] < wanted[to[e]])
            wanted[to[e]] = wanted[from[e]] + weight[e];
    assert_memory_equal(wanted, distance, sizeof wanted);
    assert_int_equal(*changed, 1);
}

static void csr_before(struct job *j)
{
    graph(j);
    int *weight = array(j, EDGES * 4);

    for (int e = 0; e < EDGES; e++)
        weight[e] = (int)draw(j, 50);
    distances(j, array(j, VERTICES * 4));
    array(j, VERTICES * 4), array(j, 4);
    pass_int(j, VERTICES);
}

static void csr_after(struct job *j)
{
    const int *row = j->arrays[0], *column = j->arrays[1], *weight = j->arrays[2];
    const int *in = j->arrays[3];
    int wanted[VERTICES];

    for (int v = 0; v < VERTICES; v++) {
        wanted[v] = in[v];
        for (int e = row[v]; e < row[v + 1]; e++)
            if (in[column[e]] != FAR && in[column[e]] + weight[e] < wanted[v])
                wanted[v] = in[column[e]] + weight[e];
    }
    assert_memory_equal(wanted, j->arrays[4], sizeof wanted);
}

static const struct {
    const char *family, *kernel;
    uint32_t grid[3], block[3];
    sample_before *before;
    sample_after *after;
} samples[] = {
    {"vecadd", "vecadd", {24, 1, 1}, {128, 1, 1}, three_before, sum_after},
    {"vecadd", "vecadd64", {24, 1, 1}, {128, 1, 1}, three64_before, sum_after},
    {"vecadd", "saxpy_gs", {5, 1, 1}, {96, 1, 1}, saxpy_before, saxpy_after},
    {"vecadd", "vecadd4", {3, 1, 1}, {256, 1, 1}, vector_before, sum_after},
    {"vecadd", "coarsen", {7, 1, 1}, {128, 1, 1}, coarsen_before, coarsen_after},
    {"stencil", "jacobi", {5, 4, 1}, {16, 16, 1}, plane_before, jacobi_after},
    {"stencil", "jacobi_plain", {5, 7, 1}, {16, 8, 1}, plane_before, jacobi_after},
    {"stencil", "jacobi_clamp", {3, 14, 1}, {32, 4, 1}, plane_before, clamp_after},
    {"stencil", "stencil3d", {5, 4, 1}, {16, 16, 1}, space_before, space_after},
    {"stencil", "flat2d", {32, 1, 1}, {125, 1, 1}, plane_before, flat_after},
    {"transpose", "transpose", {3, 2, 1}, {32, 8, 1}, transpose_before, flat_after},
    {"matmul", "sgemm", {3, 4, 1}, {16, 16, 1}, product_before, product_after},
    {"matmul", "sgemm_amge", {1, 3, 1}, {16, 4, 1}, amge_before, amge_after},
    {"matmul", "sgemm_naive", {6, 8, 1}, {8, 8, 1}, product_before, product_after},
    {"matmul", "sgemv", {2, 1, 1}, {32, 1, 1}, sgemv_before, sgemv_after},
    {"ndarray", "nd_jacobi", {5, 4, 1}, {16, 16, 1}, nd_plane_before, jacobi_after},
    {"ndarray", "nd_sgemm", {3, 4, 1}, {16, 16, 1}, nd_product_before, nd_product_after},
    {"ndarray", "nd_stencil3d", {5, 4, 1}, {16, 16, 1}, nd_space_before, space_after},
    {"ndarray", "nd2_transpose", {5, 4, 1}, {16, 16, 1}, turned_before, flat_after},
    {"ndarray", "nd2_blockcyclic", {2, 4, 1}, {16, 16, 1}, straight_before, double_after},
    {"ndarray", "nd2_cyclic_row", {7, 1, 1}, {64, 1, 1}, straight_before, double_after},
    {"reduce", "reduce", {9, 1, 1}, {192, 1, 1}, reduce_before, reduce_after},
    {"reduce", "reduce_smem", {6, 1, 1}, {256, 1, 1}, reduce_before, reduce_after},
    {"histogram", "hist", {5, 1, 1}, {128, 1, 1}, bytes_before, bytes_after},
    {"histogram", "hist_part", {16, 1, 1}, {64, 1, 1}, bytes_before, bytes_after},
    {"ranks", "pr_pull", {4, 1, 1}, {128, 1, 1}, pull_before, pull_after},
    {"ranks", "pr_push", {4, 1, 1}, {128, 1, 1}, push_before, push_after},
    {"relax", "relax_edges", {32, 1, 1}, {128, 1, 1}, edges_before, edges_after},
    {"relax", "relax_csr", {4, 1, 1}, {128, 1, 1}, csr_before, csr_after},
};

static enum execute_verdict anywhere(void *context, struct execute_warp *w,
                                     const struct execute_access *a)
{
    (void)context, (void)w;
    for (unsigned l = 0; l < 32; l++)
        assert_false((a->mask >> l & 1) && a->address[l] % a->align);
    return EXECUTE_GO;
}

static void run_sample(struct rig *r, size_t n, uint64_t seed)
{
    struct job j = {.state = (uint32_t)n};
    const struct execute_kernel *kernel =
        execute_kernel_find(r->program, samples[n].kernel);

    assert_non_null(kernel);
    samples[n].before(&j);
    assert_int_equal(j.bytes, execute_kernel_info(kernel).parameter_bytes);
    r->host.access = anywhere;
    r->launch.parameters = j.parameters;
    memcpy(r->launch.grid, samples[n].grid, sizeof r->launch.grid);
    memcpy(r->launch.block, samples[n].block, sizeof r->launch.block);
    if (rig_run_kernel(r, kernel, seed & 1 ? 100 : 1000000, seed) != EXECUTE_EXITED)
        fail_msg("%s", r->fault);
    samples[n].after(&j);
    for (unsigned k = 0; k < j.count; k++)
        free(j.arrays[k]);
}

static void samples_give_the_answer(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof compilers / sizeof compilers[0]; c++)
        for (size_t n = 0; n < sizeof samples / sizeof samples[0]; n++)
            for (uint64_t seed = 0; seed < 4; seed++) {
                struct text path = {NULL, 0, 0};
                char *text;
                size_t bytes;
                struct rig r;

                text_print(&path, PROACT_SOURCE "/tests/ptx/corpus/%s.%s.ptx",
                           samples[n].family, compilers[c]);
                assert_int_equal(file_read(path.data, &text, &bytes, NULL), PROACT_OK);
                rig_open_text(&r, path.data, text, bytes, seed < 3);
                print_message("%s by %s\n", samples[n].kernel, compilers[c]);
                r.launch.check = seed == 2;
                run_sample(&r, n, seed);
                rig_close(&r);
                free(text);
                text_clear(&path);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_give_the_answer)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
