/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of shortest paths against distances that Dijkstra's algorithm found, and
   the tree of parents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sssp/sssp.h"

struct golden {
    const char *file;
    enum sssp_weights weights;
    uint32_t source; /* from 1, like `farthest` */
    uint32_t reached, farthest, greatest;
    uint64_t sum, hash; /* of mix(v * 2^32 xor distance) over reached vertices */
    unsigned rounds;
};

static const struct golden goldens[] = {
    {"debian12_pkgdeps.mtx.gz", SSSP_HASH_WEIGHTS, 46623, 9812, 29748, 2415, 9358870,
     0x25596c099242e185, 23},
    {"4elt.mtx.gz", SSSP_UNIT_WEIGHTS, 1, 7434, 515, 79, 310383, 0x688b38627911bbba, 80},
    {"4elt.mtx.gz", SSSP_HASH_WEIGHTS, 1, 7434, 5880, 2949, 11412010, 0x6278ffacf6121a2a,
     137},
};

static struct graph read_golden(const struct golden *golden)
{
    struct graph g = {0};
    struct proact_error err = {""};
    char path[400];

    snprintf(path, sizeof path, PROACT_SOURCE "/data/%s", golden->file);
    if (graph_read(path, MATRIX_NO_VALUES, &g, &err))
        fail_msg("%s", err.text);
    sssp_set_weights(&g, golden->weights);
    return g;
}

static uint64_t golden_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void agree_with_golden(const struct graph *g, const struct golden *golden,
                              const struct sssp_result *r)
{
    struct sssp_summary s = sssp_summarize(g->vertex_count, r);
    uint64_t hash = 0;

    assert_true(r->converged);
    assert_int_equal(r->rounds, golden->rounds);
    assert_int_equal(s.reached, golden->reached);
    assert_int_equal(s.farthest + 1, golden->farthest);
    assert_true(s.greatest == golden->greatest);
    assert_true(s.sum == (double)golden->sum);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        if (isfinite(sssp_distance(r, v)))
            hash += golden_mix((uint64_t)v << 32 ^ (uint64_t)sssp_distance(r, v));
    assert_true(hash == golden->hash);
}

/* The parents lead to the source, and the weights on the way sum up to the distance. */
static void check_parents(const struct graph *g, uint32_t source,
                          const struct sssp_result *r)
{
    uint32_t *parent = sssp_parents(g, source, r);

    assert_int_equal(parent[source], SSSP_NO_PARENT);
    for (uint32_t v = 0; v < g->vertex_count; v++) {
        uint32_t e = g->in_first[v];

        if (v == source || !isfinite(sssp_distance(r, v))) {
            assert_int_equal(parent[v], SSSP_NO_PARENT);
            continue;
        }
        while (e < g->in_first[v + 1] && g->source[e] != parent[v])
            e++;
        assert_true(e < g->in_first[v + 1]);
        assert_true(sssp_distance(r, parent[v]) + g->weight[e] == sssp_distance(r, v));
    }
    free(parent);
}

static void reference_gives_the_golden_distances(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++)
        for (int type = SSSP_INT32; type <= SSSP_F32; type++) {
            const struct golden *golden = &goldens[i];
            struct graph g = read_golden(golden);
            const struct sssp_options options = {.type = (enum sssp_type)type,
                                                 .source = golden->source - 1};
            struct sssp_result r = {0};

            assert_int_equal(sssp_reference(&g, &options, &r, NULL), PROACT_OK);
            agree_with_golden(&g, golden, &r);
            check_parents(&g, options.source, &r);
            sssp_clear(&r);
            graph_clear(&g);
        }
}

/* Vertices 2 and 3 are on a cycle of weight 0; their parents must not be each other. */
static void parents_avoid_cycles_of_weight_0(void **state)
{
    static const char text[] = "%%MatrixMarket matrix coordinate integer general\n"
                               "4 4 4\n4 3 5\n3 2 0\n2 3 0\n3 1 -4\n";
    struct matrix m = {0};
    struct graph g = {0};
    struct sssp_result r = {0};

    (void)state;
    assert_int_equal(
        matrix_market_parse("m", text, sizeof text - 1, MATRIX_INT32_VALUES, &m, NULL),
        PROACT_OK);
    assert_int_equal(graph_from_matrix("m", &m, &g, NULL), PROACT_OK);
    const struct sssp_options options = {.source = 3};

    assert_int_equal(sssp_reference(&g, &options, &r, NULL), PROACT_OK);
    assert_int_equal(r.distance.int32[0], 1);
    check_parents(&g, 3, &r);
    uint32_t *parent = sssp_parents(&g, 3, &r);

    assert_int_equal(parent[2], 3);
    assert_int_equal(parent[1], 2);
    free(parent);
    sssp_clear(&r);
    graph_clear(&g);
    matrix_clear(&m);
}

/* The kernels on four devices give the golden distances, too. */
static void devices_give_the_golden_distances(void **state)
{
    struct proact *p;

    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const struct golden *golden = &goldens[i];
        struct graph g = read_golden(golden);
        const struct sssp_options options = {.kernel = i % 2 ? SSSP_FRONTIER : SSSP_ROUNDS,
                                             .source = golden->source - 1};
        const struct proact_options how = {.machine = "v100x4",
                                           .plan = {.method = "fused"}};
        struct sssp_result r = {0};

        assert_int_equal(proact_open(&how, &p, NULL), PROACT_OK);
        assert_int_equal(sssp_run(p, &g, &options, &r, NULL), PROACT_OK);
        agree_with_golden(&g, golden, &r);
        proact_close(p);
        sssp_clear(&r);
        graph_clear(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_gives_the_golden_distances),
        cmocka_unit_test(parents_avoid_cycles_of_weight_0),
        cmocka_unit_test(devices_give_the_golden_distances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
