/* SPDX-License-Identifier: Apache-2.0 */
/* Cost and choice of plans, on tables: what must order the candidates, not exact times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "plan/candidates.h"

enum { DEVICES = 4 };

static const struct plan_method methods[] = {
    {"bulk", MODEL_SEND_COPY, false, false, false, false},
    {"inline", MODEL_SEND_STORE, false, false, false, false},
    {"fused", MODEL_SEND_FUSED, true, false, false, false},
    {"polling", MODEL_SEND_AGENT, true, true, false, false},
    {"copy-engine", MODEL_SEND_COPY_WAIT, true, false, true, false},
    {"relay", MODEL_SEND_RELAY, true, false, false, true},
};

struct bed {
    struct topology machine;
    struct plan_array array;
    struct plan_problem problem;
};

/* One array of which each device sends `sent` bytes to each peer. */
static void bed_open(struct bed *b, const char *machine, uint64_t sent, double kernel_ns)
{
    struct proact_error err;

    *b = (struct bed){.array = {.bytes = 16 << 20,
                                .range_bytes = 4096,
                                .run_bytes = sent,
                                .store_bytes = 128,
                                .store_width = 4,
                                .chunk_share = 1,
                                .copies = DEVICES - 1}};
    assert_int_equal(topology_load(machine, &b->machine, &err), 0);
    for (unsigned from = 0; from < DEVICES; from++)
        for (unsigned to = 0; to < DEVICES; to++)
            b->array.sent[from][to] = from == to ? 0 : sent;
    b->problem = (struct plan_problem){.topology = &b->machine,
                                       .device_count = DEVICES,
                                       .ctas = 1024,
                                       .ctas_most = 256,
                                       .cta_threads = 256,
                                       .kernel_ns = kernel_ns,
                                       .arrays = &b->array,
                                       .array_count = 1,
                                       .methods = methods,
                                       .method_count = sizeof methods / sizeof *methods,
                                       .threads_usual = 8192,
                                       .threads_most = 8192,
                                       .usual = {.method = "fused", .chunk_first = 65536}};
}

static double cost_ns(const struct bed *b, const char *method, uint64_t chunk)
{
    struct plan plan = {.chunk_first = chunk, .threads = 8192};

    strncpy(plan.method, method, sizeof plan.method - 1);
    return plan_cost_of(&b->problem, &plan).ns;
}

static const char *chosen(const struct bed *b)
{
    struct plan_candidate all[PLAN_CANDIDATES_MAX];
    const unsigned count = plan_candidates(&b->problem, all);

    for (unsigned i = 1; i < count; i++)
        assert_true(all[i - 1].cost.ns <= all[i].cost.ns);
    return plan_method_find(&b->problem,
                            all[plan_choose(&b->problem, all, count)].plan.method)
        ->name;
}

static void terms_add_up(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 4096, 10000);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        struct plan plan = {.chunk_first = 65536, .threads = 8192};
        double sum = 0;

        strncpy(plan.method, methods[m].name, sizeof plan.method - 1);
        const struct model_time c = plan_cost_of(&b.problem, &plan);

        for (int t = 0; t < MODEL_TERMS; t++)
            sum += c.term[t];
        assert_true(c.ns >= b.problem.kernel_ns && sum > 0.999 * c.ns &&
                    sum < 1.001 * c.ns);
    }
}

/* Senders that send all of what they write to all others, as `proact model predict` takes
   them. */
static struct model_problem uniform_of(const struct bed *b, uint64_t sent)
{
    const struct plan_problem *p = &b->problem;

    return (struct model_problem){.bytes = sent,
                                  .run_bytes = b->array.store_bytes,
                                  .piece_bytes = sent,
                                  .extent_bytes = b->array.range_bytes,
                                  .ctas = p->ctas_most,
                                  .threads = p->cta_threads,
                                  .is_kernel_only = true,
                                  .is_recorded = p->is_recorded,
                                  .is_queued = p->is_queued,
                                  .kernel_ns = p->kernel_ns};
}

static void check_equal_terms(const struct bed *b, const struct model_problem *m,
                              const struct plan_method *method, uint64_t chunk)
{
    struct plan plan = {.chunk_first = chunk, .threads = 8192};
    const struct model_plan by = {method->initiator, {chunk, 0}, plan.threads};
    const struct model_candidate c = model_candidate_of(&b->machine, m, &by);
    const struct model_time expected = model_candidate_time(&c);

    strncpy(plan.method, method->name, sizeof plan.method - 1);
    const struct model_time got = plan_cost_of(&b->problem, &plan);

    for (int t = 0; t < MODEL_TERMS; t++)
        if (fabs(got.term[t] - expected.term[t]) > 1e-6 * expected.ns)
            fail_msg("%s, %s, chunks of %llu: %s takes %.3f ns, the model has %.3f",
                     b->machine.name, method->name, (unsigned long long)chunk,
                     model_term_name((enum model_term)t), got.term[t], expected.term[t]);
    assert_true(fabs(got.ns - expected.ns) <= 1e-6 * expected.ns);
}

/* The planner and `proact model predict` compute the same figure for the same candidate. */
static void costs_are_those_of_the_model(void **state)
{
    static const char *const machines[] = {"h200x4", "v100x4", "p100x4", "k40x4"};
    static const uint64_t sizes[] = {4096, 1 << 17, 1 << 22}, chunks[] = {1 << 14, 1 << 16};
    struct bed b;

    (void)state;
    for (size_t n = 0; n < sizeof machines / sizeof *machines; n++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int mode = 0; mode < 3; mode++) {
                bed_open(&b, machines[n], sizes[s], 20000.0 * (double)(s + 1));
                b.problem.is_recorded = mode == 1;
                b.problem.is_queued = mode == 2;
                const struct model_problem m = uniform_of(&b, sizes[s]);

                for (size_t c = 0; c < 2; c++)
                    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
                        check_equal_terms(&b, &m, &methods[i], chunks[c]);
            }
}

/* Halos: devices that send little more than a row to two neighbours. */
static void a_line_of_neighbours_sends_two_messages(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "h200x4", 4096, 10000);
    b.problem.is_recorded = true;
    const double to_all = cost_ns(&b, "bulk", 0);

    b.array.copies = 2;
    for (unsigned from = 0; from < DEVICES; from++)
        for (unsigned to = 0; to < DEVICES; to++)
            if (from + 1 != to && to + 1 != from)
                b.array.sent[from][to] = 0;
    /* one copy less */
    assert_true(fabs(to_all - cost_ns(&b, "bulk", 0) -
                     (1000 * b.machine.fabric.carry_us + 4096 * 268 / 256. / 412)) < 1);
}

/* In a graph the host takes no time, and kernels make small copies. */
static void recorded_launches_cost_the_host_nothing(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "h200x4", 4096, 10000);
    b.problem.is_queued = true;
    struct plan plan = {.method = "bulk"};
    const struct model_time queued = plan_cost_of(&b.problem, &plan);

    b.problem.is_recorded = true;
    const struct model_time recorded = plan_cost_of(&b.problem, &plan);

    assert_true(queued.term[MODEL_TERM_HOST] > 0);
    assert_true(recorded.term[MODEL_TERM_HOST] <= 0 && recorded.ns < 16000);
    assert_true(cost_ns(&b, "polling", 65536) < 2 * cost_ns(&b, "inline", 0));
    b.problem.is_recorded = false; /* two launches of each device */
    assert_true(cost_ns(&b, "polling", 65536) > 1.9 * cost_ns(&b, "inline", 0));
}

/* A launch that sends nothing costs its kernel and its counts. They are no reason to leave
   the default of a long kernel. */
static void nothing_to_send_costs_the_counts(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 0, 10000);
    const double counts_ns = model_count_ns(&b.machine.device);

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const double own_ns = cost_ns(&b, methods[m].name, 65536) - 10000;

        assert_true(fabs(own_ns - (methods[m].takes_chunks ? counts_ns : 0)) < 0.5);
    }
    assert_false(plan_sends(&b.problem));
    assert_string_equal(chosen(&b), "bulk");
    b.problem.kernel_ns = 1e6;
    assert_string_equal(chosen(&b), "fused");
    b.array.sent[0][1] = 8;
    assert_true(plan_sends(&b.problem));
}

/* Few bytes after a short kernel: no method that counts or copies reaches plain stores. */
static void short_kernels_store_inline(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 2048, 5000);
    b.array.range_bytes = 1024; /* one store a thread */
    assert_string_equal(chosen(&b), "inline");
    assert_true(cost_ns(&b, "bulk", 0) > 1.5 * cost_ns(&b, "inline", 0));
}

/* Each store of the slowest thread searches its peers, also where others store nothing. */
static void repeated_stores_take_time(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 2048, 5000);
    b.array.range_bytes = 1024; /* one store a thread, if all store */
    b.problem.ctas_most = 80;   /* one on each SM, whose warps hide nothing */
    b.problem.ctas = 4 * b.problem.ctas_most;
    b.problem.repeats_stores = true;
    const double one = cost_ns(&b, "inline", 0);

    b.array.stores = 64;
    assert_true(cost_ns(&b, "inline", 0) > one + 63 * 22 * 4 / 1.53);
    b.problem.repeats_stores = false;
    assert_true(cost_ns(&b, "inline", 0) < one);
}

/* The search uses issue slots that warps leave free while they wait for memory. A single
   CTA per SM has too few warps for that. */
static void many_warps_hide_repeated_stores(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 2048, 100000);
    b.problem.repeats_stores = true;
    b.array.stores = 16;
    b.problem.ctas_most = 8 * 80; /* 16 warps a scheduler */
    b.problem.ctas = 4 * b.problem.ctas_most;
    const double many = cost_ns(&b, "inline", 0);

    b.problem.repeats_stores = false;
    assert_true(cost_ns(&b, "inline", 0) > many - 0.5);
    b.problem.ctas_most = 80;
    b.problem.ctas = 4 * b.problem.ctas_most;
    const double few = cost_ns(&b, "inline", 0);

    b.problem.repeats_stores = true;
    assert_true(cost_ns(&b, "inline", 0) > few + 15 * 22 * 4 / 1.53);
}

/* Stores of single words waste the links. */
static void narrow_stores_are_counted(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 1 << 20, 5000);
    const double wide = cost_ns(&b, "inline", 0);

    b.array.store_bytes = 4;
    assert_true(cost_ns(&b, "inline", 0) > 2 * wide);
    assert_string_equal(chosen(&b), "fused");
}

/* A device that makes all of an array alone is limited by its links. Those of its peers are
   idle, unless the peers make something too. */
static void one_producer_relays(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "v100x16", 4 << 20, 240000);
    b.problem.device_count = 16;
    b.problem.ctas_most = b.problem.ctas;
    b.array.copies = 15;
    for (unsigned to = 1; to < 16; to++)
        b.array.sent[0][to] = 4 << 20;
    for (unsigned from = 1; from < DEVICES; from++)
        memset(b.array.sent[from], 0, sizeof b.array.sent[from]);
    assert_string_equal(chosen(&b), "relay");
    b.problem.is_recorded = true; /* GPUs cannot */
    assert_string_not_equal(chosen(&b), "relay");
    bed_open(&b, "v100x4", 4 << 20, 240000);
    assert_string_not_equal(chosen(&b), "relay");
}

/* Of chunk sizes that cost about the same, the largest has the fewest counters. */
static void equal_chunks_are_large(void **state)
{
    struct plan_candidate all[PLAN_CANDIDATES_MAX];
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 256 << 10, 20400);
    b.array.bytes = 1 << 20;
    b.array.range_bytes = 16 << 10;
    b.array.store_bytes = 16;
    b.problem.ctas = 64;
    b.problem.ctas_most = 16;
    const unsigned count = plan_candidates(&b.problem, all);
    const struct plan_candidate *best = &all[plan_choose(&b.problem, all, count)];

    for (unsigned i = 0; i < count; i++)
        if (strcmp(all[i].plan.method, best->plan.method) == 0 &&
            all[i].plan.chunk_first > best->plan.chunk_first)
            assert_true(all[i].cost.ns > 1.03 * all[0].cost.ns);
    assert_string_equal(best->plan.method, "fused");
    assert_int_equal(best->plan.chunk_first, 16 << 10);
}

/* A chunk of the size of the partition waits for the whole kernel, and one CTA sends it. */
static void large_chunks_send_late(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 4 << 20, 400000);
    assert_true(cost_ns(&b, "fused", 4 << 20) > 1.1 * cost_ns(&b, "fused", 65536));
}

/* The bridge between the two halves of the K40s carries what four pairs send. */
static void bridges_are_shared(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "k40x4", 1 << 20, 1000);
    const double all = cost_ns(&b, "bulk", 0);

    for (unsigned from = 0; from < DEVICES; from++)
        for (unsigned to = 0; to < DEVICES; to++)
            if (from / 2 != to / 2)
                b.array.sent[from][to] = 0;
    assert_true(all > 2 * cost_ns(&b, "bulk", 0));
}

/* The measured kernel includes what the plan adds to it. */
static void the_kernel_is_found_from_its_time(void **state)
{
    struct bed b;
    const struct plan usual = {.method = "fused", .chunk_first = 65536};

    (void)state;
    bed_open(&b, "v100x4", 4096, 20000);
    const struct model_time c = plan_cost_of(&b.problem, &usual);
    const double found = plan_kernel_ns(&b.problem, &usual, c.kernel_ns);

    assert_true(found > 19000 && found < 21000);
}

static void the_user_fixes_the_chunk(void **state)
{
    struct plan_candidate all[PLAN_CANDIDATES_MAX];
    struct bed b;

    (void)state;
    bed_open(&b, "v100x4", 4096, 20000);
    const unsigned open = plan_candidates(&b.problem, all);

    b.problem.chunk_is_fixed = b.problem.threads_are_fixed = true;
    const unsigned fixed = plan_candidates(&b.problem, all);

    assert_int_equal(fixed, sizeof methods / sizeof *methods);
    assert_true(open > fixed);
    for (unsigned i = 0; i < fixed; i++)
        assert_true(all[i].plan.chunk_first == 0 || all[i].plan.chunk_first == 65536);
}

/* 12 CTAs on 132 SMs gain nothing by a split. */
static void few_ctas_gain_nothing(void **state)
{
    struct bed b;

    (void)state;
    bed_open(&b, "h200x8", 4096, 0);
    assert_true(plan_split_least_ns(&b.machine, (struct plan_grid){12, 2}, 5000) > 4999);
    assert_true(plan_split_least_ns(&b.machine, (struct plan_grid){8000, 1000}, 64000) <
                8001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_add_up),
        cmocka_unit_test(costs_are_those_of_the_model),
        cmocka_unit_test(a_line_of_neighbours_sends_two_messages),
        cmocka_unit_test(recorded_launches_cost_the_host_nothing),
        cmocka_unit_test(nothing_to_send_costs_the_counts),
        cmocka_unit_test(short_kernels_store_inline),
        cmocka_unit_test(repeated_stores_take_time),
        cmocka_unit_test(many_warps_hide_repeated_stores),
        cmocka_unit_test(narrow_stores_are_counted),
        cmocka_unit_test(one_producer_relays),
        cmocka_unit_test(equal_chunks_are_large),
        cmocka_unit_test(large_chunks_send_late),
        cmocka_unit_test(bridges_are_shared),
        cmocka_unit_test(the_kernel_is_found_from_its_time),
        cmocka_unit_test(the_user_fixes_the_chunk),
        cmocka_unit_test(few_ctas_gain_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
