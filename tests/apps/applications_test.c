/* SPDX-License-Identifier: Apache-2.0 */
/* Applications on emulated devices. The results agree with the reference and are equal bit
   for bit on any number of devices with every method. The checker of the emulator is on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jacobi/jacobi.h"
#include "pagerank/pagerank.h"

static const char machine[] = "v100x4";

static struct proact *open_session(unsigned devices, const char *method,
                                   uint64_t chunk_bytes)
{
    const struct proact_options options = {
        .machine = machine,
        .device_count = devices,
        .seed = devices,
        .check = true,
        .plan = {.method = method, .chunk_bytes = chunk_bytes, .transfer_threads = 256}};
    struct proact_error err = {""};
    struct proact *p = NULL;

    if (proact_open(&options, &p, &err))
        fail_msg("%s on %u: %s", method, devices, err.text);
    return p;
}

/* Vertex 0 is a hub and some vertices have no successor; the others have random ones. */
static struct graph make_graph(uint32_t vertices, uint32_t edges)
{
    struct matrix m = {.rows = vertices, .columns = vertices, .count = edges};
    struct graph g = {0};
    uint64_t chance = 12345;

    m.entry = calloc(edges + 1, sizeof *m.entry);
    m.comment = calloc(1, 1);
    for (uint32_t i = 0; i < edges; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        m.entry[i].row = (uint32_t)(chance >> 33) % vertices;
        m.entry[i].column = i % 3 ? (uint32_t)(chance >> 13) % vertices : 0;
        if (m.entry[i].row % 5 == 1)
            m.entry[i].row--;
    }
    assert_int_equal(graph_from_matrix("made", &m, &g, NULL), PROACT_OK);
    matrix_clear(&m);
    return g;
}

static struct pagerank_result rank(const struct graph *g, unsigned devices,
                                   const char *method)
{
    struct proact *p = open_session(devices, method, 4096);
    struct pagerank_result r = {0};
    struct proact_error err = {""};

    if (pagerank_run(p, g, NULL, &r, &err))
        fail_msg("%s on %u: %s", method, devices, err.text);
    proact_close(p);
    return r;
}

static void agree_with_reference(const struct graph *g, const struct pagerank_result *r)
{
    struct pagerank_result want;

    pagerank_reference(g, NULL, &want);
    assert_int_equal(r->iterations, want.iterations);
    assert_true(r->converged);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        assert_true(fabs(r->ranks[v] - want.ranks[v]) < 1e-14);
    pagerank_clear(&want);
}

static void pagerank_is_the_same_everywhere(void **state)
{
    (void)state;
    struct graph g = make_graph(3000, 9000);
    struct pagerank_result one = rank(&g, 1, "bulk");

    agree_with_reference(&g, &one);
    for (const char *const *method = proact_method_names(); *method; method++)
        for (unsigned devices = 2; devices <= 4; devices++) {
            struct pagerank_result r = rank(&g, devices, *method);

            assert_memory_equal(r.ranks, one.ranks, g.vertex_count * sizeof *r.ranks);
            assert_int_equal(r.iterations, one.iterations);
            assert_true(r.residual == one.residual);
            assert_true(r.time_ns > 0 && r.statistics.bytes > 0);
            pagerank_clear(&r);
        }
    pagerank_clear(&one);
    graph_clear(&g);
}

/* Fewer vertices than devices, no edges, one vertex. */
static void pagerank_of_small_graphs(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 0}, {2, 1}, {3, 0}, {17, 40}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct graph g = make_graph(sizes[i][0], sizes[i][1]);
        struct pagerank_result r = rank(&g, 4, "polling");

        agree_with_reference(&g, &r);
        pagerank_clear(&r);
        graph_clear(&g);
    }
}

static void pagerank_stops_at_the_limit(void **state)
{
    (void)state;
    struct graph g = make_graph(100, 300);
    struct pagerank_options options = {.iterations_max = 11, .tolerance = -1};
    struct pagerank_result r, want;
    struct proact *p = open_session(2, "fused", 4096);

    assert_int_equal(pagerank_run(p, &g, &options, &r, NULL), PROACT_OK);
    pagerank_reference(&g, &options, &want);
    assert_int_equal(r.iterations, 11);
    assert_false(r.converged);
    for (uint32_t v = 0; v < g.vertex_count; v++)
        assert_true(fabs(r.ranks[v] - want.ranks[v]) < 1e-14);
    proact_close(p);
    pagerank_clear(&r);
    pagerank_clear(&want);
    graph_clear(&g);
}

static void jacobi_is_the_same(unsigned size)
{
    const struct jacobi_options options = {.size = size, .iterations_max = 20};
    struct jacobi_result want;

    assert_int_equal(jacobi_reference(&options, &want, NULL), PROACT_OK);
    for (const char *const *method = proact_method_names(); *method; method++)
        for (unsigned devices = 1; devices <= 4; devices += devices) {
            struct proact *p = open_session(devices, *method, 16384);
            struct jacobi_result r = {0};
            struct proact_error err = {""};

            if (jacobi_run(p, &options, &r, &err))
                fail_msg("%s on %u: %s", *method, devices, err.text);
            proact_close(p);
            assert_memory_equal(r.cells, want.cells, sizeof(float) * size * size);
            assert_int_equal(r.iterations, 20);
            assert_true(fabs(r.residual - want.residual) < 1e-9);
            jacobi_clear(&r);
        }
    jacobi_clear(&want);
}

/* A size that is a multiple of four has another kernel. */
static void jacobi_is_the_same_everywhere(void **state)
{
    (void)state;
    jacobi_is_the_same(97);
    jacobi_is_the_same(100);
}

static void jacobi_stops_when_nothing_changes(void **state)
{
    (void)state;
    const struct jacobi_options options = {
        .size = 9, .iterations_max = 2000, .tolerance = 1e-4};
    struct jacobi_result want, r;
    struct proact *p = open_session(2, "inline", 4096);

    assert_int_equal(jacobi_reference(&options, &want, NULL), PROACT_OK);
    assert_int_equal(jacobi_run(p, &options, &r, NULL), PROACT_OK);
    assert_true(r.converged && r.iterations == want.iterations);
    assert_memory_equal(r.cells, want.cells, sizeof(float) * 81);
    proact_close(p);
    jacobi_clear(&r);
    jacobi_clear(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pagerank_is_the_same_everywhere),
        cmocka_unit_test(pagerank_of_small_graphs),
        cmocka_unit_test(pagerank_stops_at_the_limit),
        cmocka_unit_test(jacobi_is_the_same_everywhere),
        cmocka_unit_test(jacobi_stops_when_nothing_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
