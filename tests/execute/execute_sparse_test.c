/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that reduce, count, and traverse graphs, by every compiler. */
#include "execute_sample.h"

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

/* Rows and columns of a graph; the first vertices have no edges. */
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

        for (int e = 0; e < EDGES; e++) /* from vertices with a distance to those without */
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

static const struct sample samples[] = {
    {"reduce", "reduce", {9, 1, 1}, {192, 1, 1}, reduce_before, reduce_after},
    {"reduce", "reduce_smem", {6, 1, 1}, {256, 1, 1}, reduce_before, reduce_after},
    {"histogram", "hist", {5, 1, 1}, {128, 1, 1}, bytes_before, bytes_after},
    {"histogram", "hist_part", {16, 1, 1}, {64, 1, 1}, bytes_before, bytes_after},
    {"ranks", "pr_pull", {4, 1, 1}, {128, 1, 1}, pull_before, pull_after},
    {"ranks", "pr_push", {4, 1, 1}, {128, 1, 1}, push_before, push_after},
    {"relax", "relax_edges", {32, 1, 1}, {128, 1, 1}, edges_before, edges_after},
    {"relax", "relax_csr", {4, 1, 1}, {128, 1, 1}, csr_before, csr_after},
};

static void sparse_samples_equal_plain_c(void **state)
{
    (void)state;
    run_samples(samples, sizeof samples / sizeof samples[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_samples_equal_plain_c)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
