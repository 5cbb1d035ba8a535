/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded quanta: times of replayed runs against those of executed ones, for each method
   and on machines with and without NVLink. Virtual times do not depend on the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/seeded.h"
#include "jacobi/jacobi.h"
#include "pagerank/pagerank.h"
#include "sssp/sssp.h"

static const char *const machines[] = {"v100x4", "k40x4"};
enum { ITERATIONS = 16, SAMPLE = 4 };

/* Of one application: a run on a session, which returns its time. */
struct subject {
    uint64_t (*run)(const struct subject *s, struct proact *p);
    struct graph graph;
    unsigned size; /* of a grid */
    struct repeat_schedule schedule;
};

struct where {
    const char *machine, *method;
    struct proact_quanta *quanta;
    unsigned devices; /* 0: all */
};

static struct proact *open_at(struct where at, struct proact_error *err)
{
    const struct proact_options options = {.machine = at.machine,
                                           .device_count = at.devices,
                                           .plan = {.method = at.method},
                                           .quanta = at.quanta};
    struct proact *p = NULL;

    return proact_open(&options, &p, err) ? NULL : p;
}

/* 0: the machine does not support the method. */
static uint64_t time_of(const struct subject *s, struct where at)
{
    struct proact_error err = {""};
    struct proact *p = open_at(at, &err);
    const uint64_t ns = p ? s->run(s, p) : 0;

    proact_close(p);
    return ns;
}

static void expect_near(uint64_t is, uint64_t want, double most, struct where at)
{
    const double share = (double)is / (double)want - 1;

    if (!(fabs(share) <= most))
        fail_msg("%s on %s, %u devices: %lu ns replayed, %lu ns executed: %+.2f %%",
                 at.method, at.machine, at.devices, (unsigned long)is, (unsigned long)want,
                 100 * share);
}

/* `dynamic` alternates between two orders of its child kernels, which differ by 1 to 2 %.
 */
static double most_of(const char *method)
{
    return strcmp(method, "dynamic") == 0 ? 0.025 : 0.01;
}

/* Every method replays the recording of a run with bulk; inline records its own version. */
static void replay_all(const struct subject *s)
{
    for (size_t m = 0; m < 2; m++) {
        struct proact_quanta *q = proact_quanta_create(0, 0);

        time_of(s, (struct where){machines[m], "bulk", q, 0});
        for (const char *const *method = proact_method_names(); *method; method++) {
            const struct where at = {machines[m], *method, q, 0};
            const uint64_t executed =
                time_of(s, (struct where){machines[m], *method, NULL, 0});

            if (executed)
                expect_near(time_of(s, at), executed, most_of(*method), at);
        }
        proact_quanta_destroy(q);
    }
}

/* ---- PageRank ---- */

static struct graph make_links(uint32_t vertices, uint32_t degree)
{
    struct matrix m = {.rows = vertices, .columns = vertices, .comment = ""};
    struct graph g;

    m.entry = calloc((size_t)vertices * degree, sizeof *m.entry);
    for (uint32_t v = 0; v < vertices; v++)
        for (uint32_t i = 0; i < degree; i++) {
            const double unit = seeded_unit(3, pair_counter(v, i));

            m.entry[m.count++] =
                (struct matrix_entry){v, (uint32_t)(unit * unit * vertices)};
        }
    assert_int_equal(graph_from_matrix("links", &m, &g, NULL), PROACT_OK);
    free(m.entry);
    return g;
}

static uint64_t run_pagerank(const struct subject *s, struct proact *p)
{
    struct proact_error err = {""};
    struct pagerank_options options = {
        .tolerance = -1, .iterations_max = ITERATIONS, .schedule = &s->schedule};
    struct pagerank_result r;

    if (pagerank_run(p, &s->graph, &options, &r, &err))
        fail_msg("%s", err.text);
    const uint64_t ns = r.time_ns;

    pagerank_clear(&r);
    return ns;
}

static unsigned all_launches[] = {ITERATIONS};

static struct subject make_pagerank(void)
{
    return (struct subject){.run = run_pagerank,
                            .graph = make_links(20000, 12),
                            .schedule = {all_launches, 1, ITERATIONS}};
}

static void pagerank_replays_within_one_percent(void **state)
{
    struct subject s = make_pagerank();

    (void)state;
    replay_all(&s);
    graph_clear(&s.graph);
}

/* The arrays of the graph fit into the L2 of the first two machines. That of the third
   holds a part of the ranks, and few of the edges. */
static const char *const sampled_machines[] = {"v100x4", "k40x4",
                                               PROACT_SOURCE "/tests/apps/small_l2.json"};

/* A sample of bulk, and its replays by each method. */
static void expect_samples(const struct subject *s, struct where at,
                           const char *const *methods)
{
    struct proact_quanta *q = proact_quanta_create(SAMPLE, 0);

    at.method = "bulk";
    at.quanta = q;
    time_of(s, at);
    for (; *methods; methods++) {
        struct where executed = at;

        executed.method = at.method = *methods;
        executed.quanta = NULL;
        expect_near(time_of(s, at), time_of(s, executed), 0.03, at);
    }
    proact_quanta_destroy(q);
}

static void pagerank_samples_within_three_percent(void **state)
{
    static const char *const methods[] = {"bulk", "inline", "fused", "polling", NULL};
    static const char *const one[] = {"bulk", NULL};
    struct subject s = make_pagerank();

    (void)state;
    for (size_t m = 0; m < sizeof sampled_machines / sizeof *sampled_machines; m++) {
        expect_samples(&s, (struct where){.machine = sampled_machines[m], .devices = 1},
                       one);
        expect_samples(&s, (struct where){.machine = sampled_machines[m]}, methods);
    }
    graph_clear(&s.graph);
}

/* ---- Jacobi ---- */

static uint64_t run_jacobi(const struct subject *s, struct proact *p)
{
    struct proact_error err = {""};
    struct jacobi_options options = {.size = s->size,
                                     .tolerance = -1,
                                     .iterations_max = ITERATIONS,
                                     .schedule = &s->schedule};
    struct jacobi_result r;

    if (jacobi_run(p, &options, &r, &err))
        fail_msg("%s", err.text);
    const uint64_t ns = r.time_ns;

    jacobi_clear(&r);
    return ns;
}

static void jacobi_replays_within_one_percent(void **state)
{
    struct subject s = {
        .run = run_jacobi, .size = 1024, .schedule = {all_launches, 1, ITERATIONS}};

    (void)state;
    replay_all(&s);
}

/* ---- Shortest paths ---- */

static uint64_t run_frontier(const struct subject *s, struct proact *p)
{
    struct proact_error err = {""};
    struct sssp_options options = {.kernel = SSSP_FRONTIER,
                                   .rounds_max = s->graph.vertex_count,
                                   .schedule = s->schedule.count ? &s->schedule : NULL};
    struct sssp_result r;

    if (sssp_run(p, &s->graph, &options, &r, &err))
        fail_msg("%s", err.text);
    const uint64_t ns = r.time_ns;

    if (!s->schedule.count)
        ((struct subject *)(uintptr_t)s)->schedule = r.schedule;
    else
        free(r.schedule.launches);
    r.schedule = (struct repeat_schedule){0};
    sssp_clear(&r);
    return ns;
}

/* The work of a round depends on the distances: each launch has a recording of its own. */
static void frontiers_are_recorded_round_by_round(void **state)
{
    struct subject s = {.run = run_frontier, .graph = make_links(3000, 3)};

    sssp_set_weights(&s.graph, SSSP_HASH_WEIGHTS);
    const uint64_t executed = time_of(&s, (struct where){"v100x4", "polling", NULL, 0});
    struct proact_quanta *q = proact_quanta_create(0, 0);
    const struct where at = {"v100x4", "polling", q, 0};

    (void)state;
    time_of(&s, (struct where){"v100x4", "bulk", q, 0});
    expect_near(time_of(&s, at), executed, 0.01, at);
    proact_quanta_destroy(q);
    free(s.schedule.launches);
    graph_clear(&s.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pagerank_replays_within_one_percent),
        cmocka_unit_test(pagerank_samples_within_three_percent),
        cmocka_unit_test(jacobi_replays_within_one_percent),
        cmocka_unit_test(frontiers_are_recorded_round_by_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
