/* SPDX-License-Identifier: Apache-2.0 */
/* Host data that runs share: the second run makes none, and its answer is that of a run
   with data of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "band/band.h"
#include "pagerank/pagerank.h"
#include "pagerank/pagerank_plan.h"
#include "sssp/sssp.h"

static struct proact *open_pair(void)
{
    const struct proact_options how = {
        .machine = "v100x4", .device_count = 2, .plan = {.method = "inline"}};
    struct proact_error err = {""};
    struct proact *p = NULL;

    if (proact_open(&how, &p, &err))
        fail_msg("%s", err.text);
    return p;
}

enum { VERTICES = 700, EDGES = 3000 };

static struct graph make_ring_graph(void)
{
    struct matrix m = {.rows = VERTICES, .columns = VERTICES, .count = EDGES};
    struct graph g = {0};

    m.entry = calloc(EDGES, sizeof *m.entry);
    m.value = calloc(EDGES, sizeof *m.value);
    m.comment = calloc(1, 1);
    for (uint32_t i = 0; i < EDGES; i++) {
        m.entry[i].row = i % VERTICES;
        m.entry[i].column = (i + 1 + i / VERTICES * 17) % VERTICES;
        m.value[i] = 1 + i % 7;
    }
    assert_int_equal(graph_from_matrix("made", &m, &g, NULL), PROACT_OK);
    matrix_clear(&m);
    return g;
}

static void pagerank_runs_share_the_plan(void **state)
{
    (void)state;
    struct graph g = make_ring_graph();
    struct pagerank_plan plan = {0};
    const uint32_t *made = NULL;
    struct pagerank_options options = {.iterations_max = 6, .tolerance = -1};
    struct pagerank_result r[3];

    for (unsigned i = 0; i < 3; i++) {
        struct proact *p = open_pair();

        options.plan = i ? &plan : NULL;
        assert_int_equal(pagerank_run(p, &g, &options, &r[i], NULL), PROACT_OK);
        assert_true(i < 2 || plan.source == made);
        made = plan.source;
        proact_close(p);
    }
    assert_non_null(made);
    for (unsigned i = 0; i < 3; i++) {
        assert_memory_equal(r[i].ranks, r[0].ranks, VERTICES * sizeof *r[0].ranks);
        if (i)
            pagerank_clear(&r[i]);
    }
    pagerank_clear(&r[0]);
    pagerank_plan_clear(&plan);
    graph_clear(&g);
}

static void sssp_runs_share_the_weights(void **state)
{
    (void)state;
    struct graph g = make_ring_graph();
    struct sssp_prepared prepared = {0};
    const void *made = NULL;
    struct sssp_options options = {.kernel = SSSP_FRONTIER};
    struct sssp_result r[3];

    for (unsigned i = 0; i < 3; i++) {
        struct proact *p = open_pair();

        options.prepared = i ? &prepared : NULL;
        assert_int_equal(sssp_run(p, &g, &options, &r[i], NULL), PROACT_OK);
        assert_true(i < 2 || prepared.weights == made);
        made = prepared.weights;
        proact_close(p);
    }
    assert_non_null(made);
    for (unsigned i = 0; i < 3; i++) {
        assert_memory_equal(r[i].distance.any, r[0].distance.any, VERTICES * 4);
        if (i)
            sssp_clear(&r[i]);
    }
    sssp_clear(&r[0]);
    sssp_prepared_clear(&prepared);
    graph_clear(&g);
}

static void band_runs_share_the_numbers_in_f32(void **state)
{
    (void)state;
    const struct band_shape shape = {900, 5, 1.2};
    struct band_system s;
    struct band_prepared prepared = {0};
    const float *made = NULL;
    struct band_options options = {.type = BAND_F32, .iterations_max = 6, .tolerance = -1};
    struct band_result r[3];

    assert_int_equal(band_generate(&shape, &s, NULL), PROACT_OK);
    for (unsigned i = 0; i < 3; i++) {
        struct proact *p = open_pair();

        options.prepared = i ? &prepared : NULL;
        assert_int_equal(band_run(p, &s, &options, &r[i], NULL), PROACT_OK);
        assert_true(i < 2 || prepared.matrix == made);
        made = prepared.matrix;
        proact_close(p);
    }
    assert_non_null(made);
    for (unsigned i = 0; i < 3; i++) {
        assert_memory_equal(r[i].x.f32, r[0].x.f32, shape.rows * sizeof(float));
        if (i)
            band_clear(&r[i]);
    }
    band_clear(&r[0]);
    band_prepared_clear(&prepared);
    band_system_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pagerank_runs_share_the_plan),
        cmocka_unit_test(sssp_runs_share_the_weights),
        cmocka_unit_test(band_runs_share_the_numbers_in_f32),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
