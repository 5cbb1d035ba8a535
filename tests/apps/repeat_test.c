/* SPDX-License-Identifier: Apache-2.0 */
/* The iteration loop of the applications, in Jacobi: the residuals that the host reads, the
   last iteration, and the bytes that are sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "graph/repeat_look.h"
#include "jacobi/jacobi.h"

enum { SIZE = 192, CELL_BYTES = SIZE * SIZE * (int)sizeof(float), ITERATIONS_MAX = 100 };

/* Residual of the last iteration of each batch, as reported to the host. */
struct reported {
    double change[ITERATIONS_MAX + 1]; /* 0: not reported */
    unsigned queries, kernels;
};

static void note(void *context, unsigned iteration, double residual)
{
    struct reported *reported = context;

    if (iteration == 0)
        return; /* the clock starts */
    assert_in_range(iteration, 1, ITERATIONS_MAX);
    reported->change[iteration] = residual;
    reported->queries++;
}

static void count_kernel(void *context, const struct proact_trace_span *span)
{
    struct reported *reported = context;

    reported->kernels += span->kind == PROACT_TRACE_KERNEL;
}

/* Number of times that the host read a residual. */
static unsigned count(const struct reported *reported)
{
    unsigned times = 0;

    for (unsigned i = 1; i <= ITERATIONS_MAX; i++)
        times += reported->change[i] > 0;
    return times;
}

static struct jacobi_result run(struct jacobi_options options, unsigned devices,
                                struct reported *reported)
{
    const struct proact_options how = {.machine = "h200x4",
                                       .device_count = devices,
                                       .plan = {.method = "polling",
                                                .chunk_bytes = 4096,
                                                .skip_transfers = options.schedule}};
    struct proact_error err = {""};
    struct jacobi_result r = {0};
    struct proact *p;

    if (proact_open(&how, &p, &err))
        fail_msg("%s", err.text);
    proact_trace_set_callback(p, count_kernel, reported);
    options.progress = note;
    options.context = reported;
    if (jacobi_run(p, &options, &r, &err))
        fail_msg("%u iterations on %u: %s", options.iterations_max, devices, err.text);
    proact_close(p);
    return r;
}

static struct jacobi_result expect(struct jacobi_options options, struct reported *reported)
{
    struct jacobi_result r;

    options.progress = note;
    options.context = reported;
    assert_int_equal(jacobi_reference(&options, &r, NULL), PROACT_OK);
    return r;
}

static void same(const struct jacobi_result *r, const struct jacobi_result *want)
{
    assert_int_equal(r->iterations, want->iterations);
    assert_int_equal(r->converged, want->converged);
    assert_true(fabs(r->residual - want->residual) <= 1e-9 * want->residual);
    assert_memory_equal(r->cells, want->cells, CELL_BYTES);
}

/* Iteration counts around one batch, and around two, from which on batches are recorded. */
static void the_loop_ends_at_the_requested_iteration(void **state)
{
    (void)state;
    static const unsigned counts[] = {1,
                                      2,
                                      REPEAT_BATCH - 1,
                                      REPEAT_BATCH,
                                      REPEAT_BATCH + 1,
                                      2 * REPEAT_BATCH,
                                      2 * REPEAT_BATCH + 1,
                                      3 * REPEAT_BATCH - 1};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned devices = 1; devices <= 3; devices += 2) {
            const struct jacobi_options options = {
                .size = SIZE, .iterations_max = counts[i], .tolerance = -1};
            struct reported reported = {.queries = 0}, all = {.queries = 0};
            struct jacobi_result want = expect(options, &all);
            struct jacobi_result r = run(options, devices, &reported);

            same(&r, &want);
            jacobi_clear(&r);
            jacobi_clear(&want);
        }
}

static void the_change_of_the_last_iteration_is_reported(void **state)
{
    (void)state;
    const struct jacobi_options options = {
        .size = SIZE, .iterations_max = 61, .tolerance = -1};
    struct reported reported = {.queries = 0}, all = {.queries = 0};
    struct jacobi_result want = expect(options, &all), r = run(options, 4, &reported);

    same(&r, &want);
    for (unsigned i = 1; i <= 61; i++)
        if (reported.change[i] > 0)
            assert_true(fabs(reported.change[i] - all.change[i]) <= 1e-9 * all.change[i]);
    assert_in_range(count(&reported), 2, 4); /* of 8 batches: the loop does not converge */
    assert_true(reported.change[61] > 0);
    jacobi_clear(&r);
    jacobi_clear(&want);
}

/* The tolerance may be reached anywhere in a batch; the remaining launches of the batch do
   nothing. */
static void the_loop_stops_anywhere_in_a_batch(void **state)
{
    (void)state;
    struct reported all = {.queries = 0};
    struct jacobi_options options = {
        .size = SIZE, .iterations_max = ITERATIONS_MAX, .tolerance = -1};
    struct jacobi_result whole = expect(options, &all);

    for (unsigned last = 24; last <= 24 + REPEAT_BATCH; last++) {
        struct reported reported = {.queries = 0}, again = {.queries = 0};

        options.tolerance = (all.change[last - 1] + all.change[last]) / 2;
        struct jacobi_result want = expect(options, &again), r = run(options, 3, &reported);

        assert_int_equal(want.iterations, last);
        assert_true(want.converged);
        assert_true(count(&reported) <= 4);
        same(&r, &want);
        jacobi_clear(&r);
        jacobi_clear(&want);
    }
    jacobi_clear(&whole);
}

/* Without transfers the results are wrong, but the launches, the queries of the host and
   the iteration of the stop are those of the first run. A stop that came too early or too
   late would change the time. */
static void a_run_without_transfers_repeats_the_launches(void **state)
{
    static const double fractions[] = {0.9, 0.6, 0.5, 0.45};

    (void)state;
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        struct reported all = {.queries = 0}, reported = {.queries = 0},
                        again = {.queries = 0};
        struct jacobi_options options = {
            .size = SIZE, .iterations_max = ITERATIONS_MAX, .tolerance = -1};
        struct jacobi_result whole = expect(options, &all);

        options.tolerance = all.change[10] * fractions[i];
        struct jacobi_result r = run(options, 3, &reported);

        options.schedule = &r.schedule;
        struct jacobi_result skipped = run(options, 3, &again);

        assert_true(r.converged && r.iterations < ITERATIONS_MAX);
        assert_int_equal(skipped.iterations, r.iterations);
        assert_int_equal(again.queries, reported.queries);
        assert_int_equal(skipped.statistics.bytes, 0);
        assert_int_equal(again.kernels, reported.kernels);
        assert_true(skipped.time_ns < r.time_ns && skipped.time_ns > r.time_ns / 3);
        jacobi_clear(&whole);
        jacobi_clear(&r);
        jacobi_clear(&skipped);
    }
}

/* A given schedule decides about the launches, whatever the iterations that are allowed. */
static void a_schedule_may_have_fewer_launches(void **state)
{
    unsigned launches[] = {5};
    const struct repeat_schedule five = {launches, 1, 5};
    struct jacobi_options options = {.size = SIZE, .tolerance = -1, .schedule = &five};
    uint64_t time_ns[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct reported reported = {.queries = 0};

        options.iterations_max = 5 + i;
        struct jacobi_result r = run(options, 3, &reported);

        assert_int_equal(r.iterations, 5);
        assert_int_equal(reported.queries, 1);
        time_ns[i] = r.time_ns;
        jacobi_clear(&r);
    }
    assert_int_equal(time_ns[0], time_ns[1]);
}

static void at_least_one_iteration_runs(void **state)
{
    (void)state;
    const struct jacobi_options options = {.size = SIZE, .tolerance = 1e200};
    struct reported reported = {.queries = 0}, all = {.queries = 0};
    struct jacobi_result want = expect(options, &all), r = run(options, 2, &reported);

    assert_int_equal(want.iterations, 1);
    same(&r, &want);
    jacobi_clear(&r);
    jacobi_clear(&want);
}

/* Each iteration sends the cells at both sides of each boundary between two devices, and
   all sums to all devices. Reading the residual after every batch sends nothing more. */
static void only_boundaries_and_sums_are_sent(void **state)
{
    (void)state;
    enum { CELLS = 256, CTAS = 16, DEVICES = 4, ITERATIONS = 5 * REPEAT_BATCH };
    const struct jacobi_options options = {
        .size = CELLS, .iterations_max = ITERATIONS, .tolerance = -1};
    const size_t edges = (DEVICES - 1) * 2 * CELLS * sizeof(float);
    const size_t sums = (DEVICES - 1) * CTAS * 2 * sizeof(double);
    struct reported reported = {.queries = 0};
    struct jacobi_result r = run(options, DEVICES, &reported);

    assert_in_range(r.statistics.bytes, sums * ITERATIONS, (edges + sums) * ITERATIONS);
    jacobi_clear(&r);
}

/* The readers are known before the clock starts: without it the first launches send all
   cells to all devices. */
static void few_iterations_send_as_little(void **state)
{
    (void)state;
    enum { CELLS = 256, CTAS = 16, DEVICES = 4 };
    const size_t edges = (DEVICES - 1) * 2 * CELLS * sizeof(float);
    const size_t sums = (DEVICES - 1) * CTAS * 2 * sizeof(double);

    for (unsigned n = 1; n < 2 * REPEAT_BATCH; n += n < 5 ? 2 : 5) {
        const struct jacobi_options options = {
            .size = CELLS, .iterations_max = n, .tolerance = -1};
        struct reported reported = {.queries = 0};
        struct jacobi_result r = run(options, DEVICES, &reported);

        assert_in_range(r.statistics.bytes, 0, (edges + sums) * n);
        jacobi_clear(&r);
    }
}

static void the_annotated_kernel_gives_the_same_cells(void **state)
{
    (void)state;
    for (unsigned devices = 1; devices <= 4; devices += 3) {
        struct jacobi_options options = {
            .size = SIZE, .iterations_max = 19, .tolerance = -1};
        struct reported reported = {.queries = 0}, all = {.queries = 0};
        struct jacobi_result want = expect(options, &all);

        options.annotated = true;
        struct jacobi_result r = run(options, devices, &reported);

        same(&r, &want);
        jacobi_clear(&r);
        jacobi_clear(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loop_ends_at_the_requested_iteration),
        cmocka_unit_test(the_change_of_the_last_iteration_is_reported),
        cmocka_unit_test(the_loop_stops_anywhere_in_a_batch),
        cmocka_unit_test(a_run_without_transfers_repeats_the_launches),
        cmocka_unit_test(a_schedule_may_have_fewer_launches),
        cmocka_unit_test(at_least_one_iteration_runs),
        cmocka_unit_test(only_boundaries_and_sums_are_sent),
        cmocka_unit_test(few_iterations_send_as_little),
        cmocka_unit_test(the_annotated_kernel_gives_the_same_cells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
