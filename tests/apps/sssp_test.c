/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths on emulated devices. The distances equal the reference bit for bit on any
   number of devices with every method, kernel and type. The checker of the emulator is on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sssp/sssp.h"

static const char *const kernel_names[] = {"rounds", "frontier", "paper"};

/* A chain of regions with random edges in and between them. Vertex 3 is a hub. */
static struct graph make_regions(uint32_t vertices, uint32_t edges)
{
    struct matrix m = {.rows = vertices, .columns = vertices, .count = edges};
    struct graph g = {0};
    uint64_t chance = 99;

    m.entry = calloc(edges + 1, sizeof *m.entry);
    m.value = calloc(edges + 1, sizeof *m.value);
    m.comment = calloc(1, 1);
    for (uint32_t i = 0; i < edges; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        uint32_t from = (uint32_t)(chance >> 33) % vertices;

        m.entry[i].row = from;
        m.entry[i].column =
            i % 4 ? (from + (uint32_t)(chance >> 13) % 60) % vertices : 3 % vertices;
        m.value[i] = (double)((chance >> 21) % 1000);
    }
    assert_int_equal(graph_from_matrix("made", &m, &g, NULL), PROACT_OK);
    matrix_clear(&m);
    return g;
}

struct where {
    const char *machine, *method;
    unsigned devices;
    uint64_t seed;
};

static struct sssp_result run(const struct graph *g, const struct sssp_options *options,
                              const struct where *where)
{
    const struct proact_options how = {
        .machine = where->machine,
        .device_count = where->devices,
        .seed = where->seed,
        .check = true,
        .plan = {.method = where->method, .chunk_bytes = 4096, .transfer_threads = 256}};
    struct proact_error err = {""};
    struct sssp_result r = {0};
    struct proact *p;

    if (proact_open(&how, &p, &err) || sssp_run(p, g, options, &r, &err))
        fail_msg("%s, %s on %u: %s", kernel_names[options->kernel], where->method,
                 where->devices, err.text);
    proact_close(p);
    return r;
}

static void same(const struct graph *g, const struct sssp_result *r,
                 const struct sssp_result *want)
{
    assert_memory_equal(r->distance.any, want->distance.any,
                        g->vertex_count * sizeof *r->distance.int32);
    assert_int_equal(r->rounds, want->rounds);
    assert_int_equal(r->converged, want->converged);
    assert_true(r->changed == want->changed);
}

static void try_run(const struct graph *g, const struct sssp_options *options,
                    const struct where *where, const struct sssp_result *want)
{
    struct sssp_result r = run(g, options, where);

    same(g, &r, want);
    assert_true(r.time_ns > 0);
    assert_true(where->devices == 1 || r.statistics.bytes > 0);
    sssp_clear(&r);
}

static struct sssp_result expect(const struct graph *g, const struct sssp_options *options)
{
    struct proact_error err = {""};
    struct sssp_result want = {0};

    if (sssp_reference(g, options, &want, &err))
        fail_msg("%s", err.text);
    return want;
}

static void distances_are_the_same_everywhere(void **state)
{
    static const unsigned devices[] = {2, 4, 16};
    struct graph g = make_regions(500, 2200);

    (void)state;
    for (int kernel = SSSP_ROUNDS; kernel <= SSSP_FRONTIER; kernel++) {
        const struct sssp_options options = {.kernel = (enum sssp_kernel)kernel,
                                             .source = 7};
        struct sssp_result want = expect(&g, &options);

        assert_true(want.converged && want.rounds > 10);
        try_run(&g, &options, &(struct where){"v100x16", "bulk", 1, 1}, &want);
        for (const char *const *method = proact_method_names(); *method; method++)
            for (size_t n = 0; n < sizeof devices / sizeof *devices; n++)
                for (uint64_t seed = 1; seed <= 2; seed++) {
                    const struct where where = {"v100x16", *method, devices[n], seed};

                    try_run(&g, &options, &where, &want);
                }
        sssp_clear(&want);
    }
    graph_clear(&g);
}

static void types_and_kernels_are_the_same(void **state)
{
    struct graph g = make_regions(500, 2200);

    (void)state;
    for (int type = SSSP_INT32; type <= SSSP_F32; type++)
        for (int kernel = SSSP_ROUNDS; kernel <= SSSP_PAPER; kernel++) {
            const struct sssp_options options = {.type = (enum sssp_type)type,
                                                 .kernel = (enum sssp_kernel)kernel,
                                                 .source = 7};
            struct sssp_result want = expect(&g, &options);

            try_run(&g, &options, &(struct where){"v100x4", "polling", 4, 1}, &want);
            try_run(&g, &options, &(struct where){"h200x4", "inline", 3, 2}, &want);
            sssp_clear(&want);
        }
    graph_clear(&g);
}

/* Vertex 3 has over 1024 incoming edges, which a whole CTA reads, and others over 16. */
static void hubs_are_read_by_a_cta(void **state)
{
    struct graph g = make_regions(1400, 14000);

    (void)state;
    assert_true(g.in_first[4] - g.in_first[3] > 1024);
    for (int kernel = SSSP_ROUNDS; kernel <= SSSP_PAPER; kernel++) {
        const struct sssp_options options = {.type = SSSP_F32,
                                             .kernel = (enum sssp_kernel)kernel};
        struct sssp_result want = expect(&g, &options);

        try_run(&g, &options, &(struct where){"v100x4", "fused", 2, 1}, &want);
        sssp_clear(&want);
    }
    graph_clear(&g);
}

/* A mesh whose edges join vertices at most 9 apart: each boundary sends 9 distances to both
   sides in each round, and the sums to all. */
static void only_boundaries_and_sums_are_sent(void **state)
{
    enum { VERTICES = 4096, NEAR = 9, CTAS = 16, DEVICES = 4, BYTES = 4 };
    struct matrix m = {.rows = VERTICES, .columns = VERTICES};
    struct graph g = {0};

    (void)state;
    m.entry = calloc(2 * VERTICES, sizeof *m.entry);
    m.comment = calloc(1, 1);
    for (uint32_t v = NEAR; v < VERTICES; v++) {
        m.entry[m.count++] = (struct matrix_entry){v, v - NEAR};
        m.entry[m.count++] = (struct matrix_entry){v - 1 - v % 5, v};
    }
    assert_int_equal(graph_from_matrix("near", &m, &g, NULL), PROACT_OK);
    matrix_clear(&m);
    sssp_set_weights(&g, SSSP_HASH_WEIGHTS);
    for (int kernel = SSSP_ROUNDS; kernel <= SSSP_PAPER; kernel++) {
        const struct sssp_options options = {
            .kernel = (enum sssp_kernel)kernel, .source = VERTICES / 2, .rounds_max = 20};
        struct sssp_result r =
            run(&g, &options, &(struct where){"v100x4", "fused", DEVICES, 1});
        unsigned ctas = kernel == SSSP_PAPER ? 8 * CTAS : CTAS;
        unsigned words = kernel == SSSP_FRONTIER ? 2 : 0;

        assert_in_range(r.statistics.bytes, 1,
                        r.rounds * (DEVICES - 1) *
                            (2 * BYTES * (NEAR + words) + ctas * 2 * sizeof(double)));
        sssp_clear(&r);
    }
    graph_clear(&g);
}

/* Graphs of few vertices, some without an edge. */
static void small_graphs(void **state)
{
    static const uint32_t sizes[][2] = {{1, 0}, {2, 1}, {33, 0}, {40, 90}};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kernel = SSSP_ROUNDS; kernel <= SSSP_PAPER; kernel++) {
            struct graph g = make_regions(sizes[i][0], sizes[i][1]);
            const struct sssp_options options = {.kernel = (enum sssp_kernel)kernel};
            struct sssp_result want = expect(&g, &options);
            struct sssp_result r =
                run(&g, &options, &(struct where){"v100x4", "fused", 4, 1});

            same(&g, &r, &want);
            sssp_clear(&r);
            sssp_clear(&want);
            graph_clear(&g);
        }
}

static struct graph parse_graph(const char *text, enum matrix_values values)
{
    struct matrix m = {0};
    struct graph g = {0};
    struct proact_error err = {""};

    if (matrix_market_parse("m.mtx", text, strlen(text), values, &m, &err) ||
        graph_from_matrix("m.mtx", &m, &g, &err))
        fail_msg("%s", err.text);
    matrix_clear(&m);
    return g;
}

#define INTEGER "%%MatrixMarket matrix coordinate integer general\n"

/* 2^31 - 1 is a distance, not the mark of unreachable vertices, and nothing leaves it. */
static void sums_stay_at_the_largest_integer(void **state)
{
    struct graph g = parse_graph(INTEGER "6 6 5\n1 2 2147483647\n2 3 5\n3 4 -9\n1 5 -7\n"
                                         "5 2 6\n",
                                 MATRIX_INT32_VALUES);
    struct graph far =
        parse_graph(INTEGER "4 4 3\n1 2 2147483647\n2 3 1\n3 4 -9\n", MATRIX_INT32_VALUES);
    static const int32_t near_distances[] = {0, -1, 4, -5, -7, SSSP_UNREACHABLE};
    static const int32_t far_distances[] = {0, INT32_MAX, INT32_MAX, INT32_MAX};

    (void)state;
    for (int kernel = SSSP_ROUNDS; kernel <= SSSP_PAPER; kernel++) {
        const struct sssp_options options = {.kernel = (enum sssp_kernel)kernel};
        const struct where where = {"v100x4", "fused", 2, 1};
        struct sssp_result r = run(&g, &options, &where), want = expect(&g, &options);

        same(&g, &r, &want);
        assert_memory_equal(r.distance.int32, near_distances, sizeof near_distances);
        sssp_clear(&r);
        sssp_clear(&want);
        r = run(&far, &options, &where);
        assert_memory_equal(r.distance.int32, far_distances, sizeof far_distances);
        sssp_clear(&r);
    }
    graph_clear(&g);
    graph_clear(&far);
}

static void expect_error(const struct graph *g, const struct sssp_options *options,
                         const char *message)
{
    struct sssp_result r = {.rounds = 77};
    struct proact_error err = {""};
    struct proact *p;

    assert_int_equal(sssp_reference(g, options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, message);
    assert_int_equal(proact_open(&(struct proact_options){.machine = "v100x4"}, &p, NULL),
                     PROACT_OK);
    assert_int_equal(sssp_run(p, g, options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, message);
    assert_int_equal(r.rounds, 77); /* outputs are written only on success */
    proact_close(p);
}

static void negative_cycles_and_sources_are_refused(void **state)
{
    static const char ring[] = INTEGER "50 50 5\n1 20 4\n20 17 -2\n17 30 3\n30 20 -2\n"
                                       "30 1 9\n";
    static const char apart[] = INTEGER "50 50 3\n1 2 4\n20 17 -2\n17 20 1\n";

    (void)state;
    for (int type = SSSP_INT32; type <= SSSP_F32; type++)
        for (int kernel = SSSP_ROUNDS; kernel <= SSSP_FRONTIER; kernel++) {
            struct sssp_options options = {.type = (enum sssp_type)type,
                                           .kernel = (enum sssp_kernel)kernel};
            struct graph g = parse_graph(ring, MATRIX_INT32_VALUES);

            expect_error(&g, &options,
                         "a negative cycle goes through vertex 17: distances have no "
                         "minimum");
            options.source = 50;
            expect_error(&g, &options, "source 51: the graph has 50 vertices");
            options.source = 0;
            graph_clear(&g);
            g = parse_graph(apart, MATRIX_INT32_VALUES); /* not reachable from vertex 1 */
            struct sssp_result r = expect(&g, &options);

            assert_true(r.converged);
            sssp_clear(&r);
            graph_clear(&g);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_the_same_everywhere),
        cmocka_unit_test(types_and_kernels_are_the_same),
        cmocka_unit_test(hubs_are_read_by_a_cta),
        cmocka_unit_test(only_boundaries_and_sums_are_sent),
        cmocka_unit_test(small_graphs),
        cmocka_unit_test(sums_stay_at_the_largest_integer),
        cmocka_unit_test(negative_cycles_and_sources_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
