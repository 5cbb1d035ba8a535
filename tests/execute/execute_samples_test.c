/* SPDX-License-Identifier: Apache-2.0 */
/* Samples on one-, two- and three-dimensional arrays, by every compiler. */
#include "execute_sample.h"

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

static void nd_transpose_before(struct job *j)
{
    matrix_before(j, true);
}

static void linear_before(struct job *j)
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

static const struct sample samples[] = {
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
    {"ndarray", "nd2_transpose", {5, 4, 1}, {16, 16, 1}, nd_transpose_before, flat_after},
    {"ndarray", "nd2_blockcyclic", {2, 4, 1}, {16, 16, 1}, linear_before, double_after},
    {"ndarray", "nd2_cyclic_row", {7, 1, 1}, {64, 1, 1}, linear_before, double_after},
};

static void dense_samples_equal_plain_c(void **state)
{
    (void)state;
    run_samples(samples, sizeof samples / sizeof samples[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dense_samples_equal_plain_c)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
