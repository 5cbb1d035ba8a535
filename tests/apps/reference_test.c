/* SPDX-License-Identifier: Apache-2.0 */
/* The reference implementations, and the order of vertices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/plain_text.h"
#include "jacobi/jacobi.h"
#include "pagerank/pagerank.h"
#include "pagerank/pagerank_plan.h"

static struct graph debian(void)
{
    struct graph g = {0};
    struct proact_error err;

    if (graph_read(PROACT_SOURCE "/data/debian12_pkgdeps.mtx.gz", MATRIX_NO_VALUES, &g,
                   &err))
        fail_msg("%s", err.text);
    return g;
}

static void debian_graph_is_the_frozen_one(void **state)
{
    (void)state;
    struct graph g = debian();

    assert_int_equal(g.vertex_count, 63436);
    assert_int_equal(g.edge_count, 340008);
    assert_int_equal(g.duplicates + g.self_loops, 0);
    assert_string_equal(g.names_file, "debian12_pkgnames.txt.gz");
    graph_clear(&g);
}

static void reference_gives_the_golden_values(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double rank;
    } golden[] = {{"libc6", .12649446},
                  {"libgcc-s1", .02048419},
                  {"debconf", .01956434},
                  {"perl", .01749544}};
    struct graph g = debian();
    struct pagerank_result r;
    char *text;
    size_t bytes, count;

    assert_int_equal(plain_text_read(PROACT_SOURCE "/data/debian12_pkgnames.txt.gz", &text,
                                     &bytes, NULL),
                     PROACT_OK);
    char **names = plain_text_lines(text, bytes, &count);

    assert_int_equal(count, g.vertex_count);
    pagerank_reference(&g, NULL, &r);
    assert_int_equal(r.iterations, 131);
    assert_true(r.converged && r.residual < 1e-12);
    double sum = 0;

    for (uint32_t v = 0; v < g.vertex_count; v++) {
        sum += r.ranks[v];
        for (size_t i = 0; i < 4; i++)
            if (strcmp(names[v], golden[i].name) == 0)
                assert_true(fabs(r.ranks[v] - golden[i].rank) < 5e-9 + 1e-9);
    }
    assert_true(fabs(sum - 1) < 1e-12);
    free(names);
    free(text);
    pagerank_clear(&r);
    graph_clear(&g);
}

/* Two vertices that point at each other and at a third one without successors, solved by
   hand. */
static void reference_spreads_dangling_mass(void **state)
{
    (void)state;
    static const char text[] = "%%MatrixMarket matrix coordinate pattern general\n"
                               "3 3 4\n1 2\n2 1\n1 3\n2 3\n";
    struct matrix m = {0};
    struct graph g = {0};
    struct pagerank_result r;

    assert_int_equal(
        matrix_market_parse("m", text, sizeof text - 1, MATRIX_NO_VALUES, &m, NULL),
        PROACT_OK);
    assert_int_equal(graph_from_matrix("m", &m, &g, NULL), PROACT_OK);
    pagerank_reference(&g, NULL, &r);
    /* x = .05 + .85 (z / 3 + x / 2), z = .05 + .85 (z / 3 + x), 2 x + z = 1 */
    double x = (.05 + .85 / 3) / (1 + .85 * 2 / 3 - .425);

    assert_true(fabs(r.ranks[0] - x) < 1e-12 && fabs(r.ranks[1] - x) < 1e-12);
    assert_true(fabs(r.ranks[2] - (1 - 2 * x)) < 1e-12);
    pagerank_clear(&r);
    graph_clear(&g);
    matrix_clear(&m);
}

static struct pagerank_plan plan_of(const struct graph *g, struct pagerank_options options)
{
    struct pagerank_plan plan = {0};

    pagerank_plan_init(&plan, g, &options);
    return plan;
}

static void plan_is_a_balanced_permutation(void **state)
{
    (void)state;
    struct graph g = debian();
    struct pagerank_plan plan = plan_of(&g, (struct pagerank_options){0});
    uint32_t *noted = calloc(g.vertex_count, sizeof *noted);
    uint32_t at = 0, heaviest = 0;

    for (uint32_t c = 0; c < plan.cta_count; c++) {
        const struct pagerank_cta *cta = &plan.cta[c];
        uint32_t begin = c * plan.cta_size, end = begin + plan.cta_size;

        end = end < g.vertex_count ? end : g.vertex_count;
        assert_int_equal(begin, at); /* contiguous */
        assert_true(begin <= cta->warps && cta->warps <= cta->threads);
        assert_true(cta->threads <= end && begin < end);
        for (; at < end; at++) {
            uint32_t degree = plan.first[at + 1] - plan.first[at];

            assert_int_equal(noted[plan.vertex[at]]++, 0);
            assert_int_equal(degree >= PAGERANK_HUB_DEGREE, at < cta->warps);
            assert_int_equal(degree >= PAGERANK_WARP_DEGREE, at < cta->threads);
            assert_int_equal(plan.out_degree[at], g.out_degree[plan.vertex[at]]);
        }
        uint32_t edges = plan.first[end] - plan.first[begin];
        uint32_t largest = plan.first[begin + 1] - plan.first[begin];

        if (largest < edges / 2 && edges > heaviest)
            heaviest = edges;
    }
    assert_int_equal(at, g.vertex_count);
    assert_true(heaviest < 1100); /* except CTAs with a single hub */
    for (uint32_t v = 0; v < g.vertex_count; v += 97) {
        uint32_t old = plan.vertex[v];

        for (uint32_t e = 0; e < plan.first[v + 1] - plan.first[v]; e++)
            assert_int_equal(plan.vertex[plan.source[plan.first[v] + e]],
                             g.source[g.in_first[old] + e]);
    }
    free(noted);
    pagerank_plan_clear(&plan);
    graph_clear(&g);
}

/* Hubs heavier than a CTA do not make one device heavier than another. */
static void devices_have_equal_edges(void **state)
{
    (void)state;
    struct graph g = debian();
    struct pagerank_plan plan = plan_of(&g, (struct pagerank_options){0});

    for (uint32_t devices = 2; devices <= 8; devices *= 2)
        for (uint32_t d = 0, begin = 0; d < devices; d++) {
            uint32_t cta = (uint32_t)((uint64_t)plan.cta_count * (d + 1) / devices);
            uint32_t end = cta * plan.cta_size;

            end = end < g.vertex_count ? end : g.vertex_count;
            double share = (double)(plan.first[end] - plan.first[begin]) / g.edge_count;

            assert_true(fabs(share * devices - 1) < 0.02);
            begin = end;
        }
    pagerank_plan_clear(&plan);
    graph_clear(&g);
}

static void the_plan_of_the_paper_keeps_the_order(void **state)
{
    (void)state;
    struct graph g = debian();
    struct pagerank_plan plan =
        plan_of(&g, (struct pagerank_options){.kernel = PAGERANK_PAPER});

    for (uint32_t v = 0; v < g.vertex_count; v++)
        assert_int_equal(plan.vertex[v], v);
    assert_memory_equal(plan.source, g.source, g.edge_count * sizeof *g.source);
    pagerank_plan_clear(&plan);
    graph_clear(&g);
}

/* In a converged solution each cell is the mean of its neighbours. */
static void jacobi_reference_converges(void **state)
{
    (void)state;
    struct jacobi_options options = {.size = 17, .iterations_max = 5000, .tolerance = 1e-6};
    struct jacobi_result r;

    assert_int_equal(jacobi_reference(&options, &r, NULL), PROACT_OK);
    assert_true(r.converged && r.iterations > 100 && r.iterations < 5000);
    for (unsigned y = 1; y < 16; y++)
        for (unsigned x = 1; x < 16; x++) {
            const float *at = &r.cells[y * 17 + x];

            assert_true(fabsf((at[-1] + at[1] + at[-17] + at[17]) / 4 - *at) < 1e-5f);
        }
    assert_true(r.cells[4 * 17 + 1] > .5f && r.cells[12 * 17 + 1] < -.5f);
    jacobi_clear(&r);
}

static void jacobi_refuses_sizes(void **state)
{
    (void)state;
    struct jacobi_options options = {.size = 2};
    struct jacobi_result r;
    struct proact_error err;

    assert_int_equal(jacobi_reference(&options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "jacobi: size 2 is not from 3 to 32768");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(debian_graph_is_the_frozen_one),
        cmocka_unit_test(reference_gives_the_golden_values),
        cmocka_unit_test(reference_spreads_dangling_mass),
        cmocka_unit_test(plan_is_a_balanced_permutation),
        cmocka_unit_test(devices_have_equal_edges),
        cmocka_unit_test(the_plan_of_the_paper_keeps_the_order),
        cmocka_unit_test(jacobi_reference_converges),
        cmocka_unit_test(jacobi_refuses_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
