/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels and types of PageRank on emulated devices: equal bits on any number of
   devices, with every method and seed, and agreement with the reference. The checker of the
   emulator is on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/repeat_look.h"
#include "pagerank/pagerank.h"

/* Vertex 0 is a hub, and every fifth vertex has no outgoing edge. */
static struct graph make_hub(uint32_t vertices)
{
    struct matrix m = {.rows = vertices, .columns = vertices, .comment = ""};
    struct graph g;
    uint64_t random = 99;

    m.entry = calloc((size_t)vertices * 4, sizeof *m.entry);
    for (uint32_t v = 1; v < vertices; v++) {
        if (v % 5 == 2)
            continue;
        m.entry[m.count++] = (struct matrix_entry){v, 0};
        for (unsigned i = 0; i < 3; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint32_t to = (uint32_t)(random >> 33) % vertices;

            m.entry[m.count++] = (struct matrix_entry){v, i ? to : to % 50};
        }
    }
    assert_int_equal(graph_from_matrix("hub", &m, &g, NULL), PROACT_OK);
    free(m.entry);
    return g;
}

struct place {
    const char *machine, *method;
    unsigned devices;
    uint64_t seed;
};

static struct pagerank_result rank_at(const struct graph *g,
                                      struct pagerank_options options, struct place at)
{
    const struct proact_options how = {.machine = at.machine,
                                       .device_count = at.devices,
                                       .seed = at.seed,
                                       .check = true,
                                       .plan = {.method = at.method, .chunk_bytes = 4096}};
    struct proact_error err = {""};
    struct pagerank_result r;
    struct proact *p;

    if (proact_open(&how, &p, &err) || pagerank_run(p, g, &options, &r, &err))
        fail_msg("%s on %u: %s", at.method, at.devices, err.text);
    proact_close(p);
    return r;
}

static void same_ranks(const struct graph *g, const struct pagerank_result *r,
                       const struct pagerank_result *want)
{
    assert_int_equal(r->iterations, want->iterations);
    assert_true(r->residual == want->residual);
    assert_memory_equal(r->ranks, want->ranks, g->vertex_count * sizeof *r->ranks);
}

/* The L1 difference from the reference after as many iterations. */
static double error_of(const struct graph *g, const struct pagerank_result *r)
{
    const struct pagerank_options options = {.iterations_max = r->iterations,
                                             .tolerance = -1};
    struct pagerank_result want;
    double sum = 0;

    pagerank_reference(g, &options, &want);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        sum += fabs(r->ranks[v] - want.ranks[v]);
    pagerank_clear(&want);
    return sum;
}

static const struct place one = {"v100x4", "bulk", 1, 0};

/* On the first places of a list, which has at most 6. */
static void compare_places(const struct graph *g, struct pagerank_options options,
                           const struct pagerank_result *want, size_t count)
{
    static const struct place places[] = {
        {"v100x4", "inline", 2, 1},  {"v100x4", "fused", 4, 0},
        {"v100x4", "bulk", 2, 0},    {"v100x16", "inline", 16, 0},
        {"v100x4", "polling", 4, 1}, {"v100x16", "fused", 16, 1},
    };

    for (size_t i = 0; i < count; i++) {
        struct pagerank_result r = rank_at(g, options, places[i]);

        same_ranks(g, &r, want);
        assert_true(r.statistics.bytes > 0);
        pagerank_clear(&r);
    }
}

static void every_kernel_and_type_is_the_same_everywhere(void **state)
{
    (void)state;
    struct graph g = make_hub(600);

    for (unsigned type = PAGERANK_F64; type <= PAGERANK_F32; type++)
        for (unsigned kernel = PAGERANK_DEFAULT; kernel <= PAGERANK_ANNOTATED; kernel++) {
            const struct pagerank_options options = {.type = (enum pagerank_type)type,
                                                     .kernel = (enum pagerank_kernel)kernel,
                                                     .iterations_max = 17};
            struct pagerank_result r = rank_at(&g, options, one);

            assert_true(error_of(&g, &r) < (type == PAGERANK_F32 ? 1e-6 : 1e-12));
            compare_places(&g, options, &r, 6);
            pagerank_clear(&r);
        }
    graph_clear(&g);
}

static void the_plain_kernel_equals_the_annotated_one(void **state)
{
    (void)state;
    struct graph g = make_hub(600);
    const struct pagerank_options plain = {.tolerance = 1e-6};
    const struct pagerank_options annotated = {.kernel = PAGERANK_ANNOTATED,
                                               .tolerance = 1e-6};
    struct pagerank_result want = rank_at(&g, annotated, one);

    for (const char *const *method = proact_method_names(); *method; method++) {
        struct pagerank_result r =
            rank_at(&g, plain, (struct place){"v100x4", *method, 3, 7});

        same_ranks(&g, &r, &want);
        pagerank_clear(&r);
    }
    pagerank_clear(&want);
    graph_clear(&g);
}

/* More CTAs than one level of sums has. */
static void sums_of_many_ctas_have_two_levels(void **state)
{
    (void)state;
    struct graph g = make_hub(REPEAT_DIRECT_MAX + 300);
    struct pagerank_options options = {
        .cta_vertices = 1, .iterations_max = 9, .tolerance = -1};
    struct pagerank_result want, r = rank_at(&g, options, one);

    pagerank_reference(&g, &options, &want);
    assert_int_equal(r.iterations, want.iterations);
    assert_true(fabs(r.residual - want.residual) < 1e-14);
    assert_true(error_of(&g, &r) < 1e-12);
    compare_places(&g, options, &r, 2);
    options.kernel = PAGERANK_ANNOTATED;
    compare_places(&g, options, &r, 2);
    pagerank_clear(&want);
    pagerank_clear(&r);
    graph_clear(&g);
}

/* The readers of the last output are known, too: the clock of an emulated device is exact.
 */
static void an_odd_number_of_iterations_costs_no_more(void **state)
{
    (void)state;
    struct graph g = make_hub(30000);
    uint64_t time_ns[5] = {0};

    for (unsigned n = 3; n <= 4; n++) {
        const struct pagerank_options options = {.iterations_max = n, .tolerance = -1};
        struct pagerank_result r =
            rank_at(&g, options, (struct place){"v100x4", "inline", 4, 0});

        time_ns[n] = r.time_ns;
        pagerank_clear(&r);
    }
    assert_true(time_ns[3] * 100 < time_ns[4] * 85);
    graph_clear(&g);
}

static void f32_refuses_small_tolerances(void **state)
{
    (void)state;
    struct graph g = make_hub(40);
    const struct pagerank_options options = {.type = PAGERANK_F32, .tolerance = 1e-12};
    const struct proact_options how = {.machine = "v100x4"};
    struct proact_error err = {""};
    struct pagerank_result r;
    struct proact *p;

    assert_int_equal(proact_open(&how, &p, &err), PROACT_OK);
    assert_int_equal(pagerank_run(p, &g, &options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "pagerank: the tolerance is 1e-12, but f32 reaches no "
                                  "change below 1e-07");
    proact_close(p);
    graph_clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_and_type_is_the_same_everywhere),
        cmocka_unit_test(the_plain_kernel_equals_the_annotated_one),
        cmocka_unit_test(sums_of_many_ctas_have_two_levels),
        cmocka_unit_test(an_odd_number_of_iterations_costs_no_more),
        cmocka_unit_test(f32_refuses_small_tolerances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
