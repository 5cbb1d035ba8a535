/* SPDX-License-Identifier: Apache-2.0 */
/* Launches over several emulated devices: every replica is right under every method, the
   statistics add up, and failures are reported. `seeds` runs many schedules. */
#include "runtime/runtime_testing.h"

enum { BYTES = N * 4 };

static struct proact_options with(const char *machine, unsigned devices, const char *method)
{
    return (struct proact_options){.machine = machine,
                                   .device_count = devices,
                                   .plan = {.method = method, .chunk_bytes = 4096}};
}

static struct proact_statistics statistics(struct bench *b, unsigned device,
                                           struct proact_array *a)
{
    struct proact_statistics s = {0};

    if (proact_statistics_get(b->p, device, a, &s, &b->err))
        fail_msg("%s", b->err.text);
    return s;
}

static void every_method_adds_up(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++)
        for (unsigned devices = 1; devices <= 4; devices++) {
            struct proact_options o = with("v100x4", devices, *m);
            struct bench b = testing_open(&o);
            uint64_t sum = 0;

            assert_int_equal(testing_fill(&b, 7), 0);
            testing_holds(&b, b.out, 7);
            for (unsigned d = 0; d < devices; d++)
                sum += statistics(&b, d, b.out).bytes;
            assert_int_equal(sum, (uint64_t)BYTES * (devices - 1));
            assert_int_equal(statistics(&b, PROACT_ALL_DEVICES, b.out).bytes, sum);
            struct proact_statistics s = statistics(&b, PROACT_ALL_DEVICES, NULL);

            assert_int_equal(s.bytes, sum);
            assert_int_equal(s.packets > 0, devices > 1);
            proact_statistics_reset(b.p);
            assert_int_equal(statistics(&b, PROACT_ALL_DEVICES, b.out).bytes, 0);
            assert_int_equal(statistics(&b, PROACT_ALL_DEVICES, NULL).packets, 0);
            proact_close(b.p);
        }
}

static void elided_transfers_send_nothing(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        struct proact_options o = with("v100x4", 2, *m);

        o.plan.skip_transfers = true;
        struct bench b = testing_open(&o);

        assert_int_equal(testing_fill(&b, 7), 0);
        assert_int_equal(statistics(&b, PROACT_ALL_DEVICES, NULL).bytes, 0);
        assert_int_equal(statistics(&b, PROACT_ALL_DEVICES, b.out).bytes, 0);
        proact_close(b.p);
    }
}

static void infinite_bandwidth_is_right_and_no_slower(void **state)
{
    uint64_t ns[2];

    (void)state;
    for (int infinite = 0; infinite < 2; infinite++) {
        struct proact_options o = with("v100x4", 4, "bulk");

        o.infinite_bandwidth = infinite;
        struct bench b = testing_open(&o);

        assert_int_equal(testing_fill(&b, 7), 0);
        testing_holds(&b, b.out, 7);
        ns[infinite] = proact_now_ns(b.p);
        proact_close(b.p);
    }
    assert_true(ns[1] < ns[0]);
}

static void the_first_devices_run_and_the_others_receive(void **state)
{
    struct proact_options o = with("v100x4", 4, "polling");
    struct bench b = testing_open(&o);

    (void)state;
    assert_int_equal(testing_fill_over(&b, 5, 2), 0);
    testing_holds(&b, b.out, 5);
    assert_int_equal(statistics(&b, 2, b.out).bytes + statistics(&b, 3, b.out).bytes, 0);
    assert_int_equal(statistics(&b, PROACT_ALL_DEVICES, b.out).bytes, 3 * BYTES);
    proact_close(b.p);
}

static void a_plain_kernel_runs_on_device_0(void **state)
{
    struct proact_options o = with("v100x4", 3, NULL);
    struct bench b = testing_open(&o);
    struct proact_kernel *plain = testing_kernel(&b, "plain");
    struct view {
        uint64_t out;
        uint32_t n, factor;
    } view = {0, N, 9};
    struct proact_arg arg = {.array = b.out, .value = &view, .bytes = sizeof view};

    (void)state;
    assert_int_equal(
        proact_launch(
            plain,
            &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}, .device_count = 1},
            &arg, 1, &b.err),
        0);
    testing_holds(&b, b.out, 9);
    assert_int_equal(statistics(&b, 0, b.out).bytes, 2 * BYTES);
    proact_close(b.p);
}

static void plans_change_between_launches(void **state)
{
    struct proact_options o = with("v100x4", 4, "bulk");
    struct bench b = testing_open(&o), second = testing_open(&o);
    unsigned factor = 1;

    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++, factor++) {
        struct proact_plan plan = {.method = *m, .chunk_bytes = 4096u << factor};

        assert_int_equal(proact_plan_set(b.p, &plan, &b.err), 0);
        assert_int_equal(testing_fill(&b, factor), 0);
        assert_int_equal(testing_fill(&second, 100 + factor), 0);
        testing_holds(&b, b.out, factor);
        testing_holds(&second, second.out, 100 + factor);
    }
    proact_array_destroy(b.out); /* before its kernel, with work in flight */
    proact_kernel_destroy(b.fill);
    assert_int_equal(testing_fill(&second, 1), 0);
    proact_kernel_destroy(second.fill);
    proact_array_destroy(second.out);
    proact_close(b.p);
    proact_close(second.p);
}

static void a_trap_is_reported_and_the_session_closes(void **state)
{
    struct proact_options o = with("v100x4", 2, "polling");
    struct bench b = testing_open(&o);
    struct proact_kernel *k = testing_kernel(&b, "traps");

    (void)state;
    o.wait_timeout_ms = 1;
    assert_int_equal(proact_kernel_map(k, 0, &testing_map, &b.err), 0);
    assert_int_equal(proact_launch(k, &(struct proact_grid){.ctas = {4}},
                                   (struct proact_arg[]){PROACT_ARRAY(b.out)}, 1, &b.err),
                     0);
    REFUSED(proact_wait(b.p, &b.err), PROACT_EFAULT, "traps");
    proact_close(b.p);
}

static void an_agent_that_gives_up_names_what_never_came(void **state)
{
    struct proact_options o = with("v100x4", 2, "polling");

    (void)state;
    o.wait_timeout_ms = 1;
    struct bench b = testing_open(&o);
    struct proact_kernel *k = testing_kernel(&b, "forgets");
    unsigned n = N;

    assert_int_equal(proact_kernel_map(k, 0, &testing_map, &b.err), 0);
    assert_int_equal(
        proact_launch(k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                      (struct proact_arg[]){PROACT_ARRAY(b.out), PROACT_VALUE(n)}, 2,
                      &b.err),
        0);
    REFUSED(proact_wait(b.p, &b.err), PROACT_ETIMEOUT, "array 'out': chunk ");
    assert_non_null(strstr(b.err.text, "its writers are CTA "));
    assert_int_equal(testing_fill(&b, 6), 0); /* the next launch is complete */
    testing_holds(&b, b.out, 6);
    proact_close(b.p);
}

static void a_fault_is_reported_after_a_destroy(void **state)
{
    struct proact_options o = with("v100x4", 2, "polling");

    (void)state;
    o.wait_timeout_ms = 1;
    struct bench b = testing_open(&o);
    struct proact_kernel *k = testing_kernel(&b, "forgets");
    struct proact_array *other = testing_array(&b, "other");
    unsigned n = N;

    assert_int_equal(proact_kernel_map(k, 0, &testing_map, &b.err), 0);
    assert_int_equal(
        proact_launch(k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                      (struct proact_arg[]){PROACT_ARRAY(b.out), PROACT_VALUE(n)}, 2,
                      &b.err),
        0);
    proact_array_destroy(other);
    proact_kernel_destroy(k);
    REFUSED(proact_wait(b.p, &b.err), PROACT_ETIMEOUT, "array 'out': chunk ");
    assert_int_equal(testing_fill(&b, 6), 0);
    testing_holds(&b, b.out, 6); /* and reported once */
    proact_close(b.p);
}

static void the_check_finds_small_maps_and_unwritten_reads(void **state)
{
    struct proact_options o = with("v100x4", 2, "polling");
    struct proact_map small = {.kind = PROACT_MAP_STRIDED,
                               .range_bytes = THREADS * 4 - 4,
                               .cta_stride_bytes = THREADS * 4};
    unsigned n = N;

    (void)state;
    o.check = true;
    struct bench b = testing_open(&o);

    assert_int_equal(testing_fill(&b, 6), 0);
    testing_holds(&b, b.out, 6); /* no violation */
    assert_int_equal(proact_kernel_map(b.fill, 0, &small, &b.err), 0);
    assert_int_equal(testing_fill(&b, 8), 0);
    uint32_t word;

    REFUSED(proact_array_read_replica(b.out, 1, THREADS - 1, &word, 1, &b.err),
            PROACT_EFAULT, "'out'");
    assert_non_null(strstr(b.err.text, "byte"));
    proact_close(b.p);

    b = testing_open(&o);
    struct proact_array *in = testing_array(&b, "in");
    struct proact_kernel *k = testing_kernel(&b, "copy_in");

    assert_int_equal(proact_kernel_map(k, 1, &testing_map, &b.err), 0);
    assert_int_equal(
        proact_launch(
            k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
            (struct proact_arg[]){PROACT_ARRAY(in), PROACT_ARRAY(b.out), PROACT_VALUE(n)},
            3, &b.err),
        0);
    REFUSED(proact_wait(b.p, &b.err), PROACT_EFAULT, "'in'");
    proact_close(b.p);
}

static void many_devices(void **state)
{
    const unsigned counts[] = {8, 16};

    (void)state;
    for (int c = 0; c < 2; c++)
        for (const char *const *m = proact_method_names(); *m; m++) {
            struct proact_options o = with("v100x16", counts[c], *m);
            struct bench b = testing_open(&o);

            assert_int_equal(testing_fill(&b, 3), 0);
            testing_holds(&b, b.out, 3);
            proact_close(b.p);
        }
}

static void step(struct bench *b, struct proact_kernel *steps, struct proact_array *in,
                 uint32_t rounds, unsigned devices)
{
    const uint32_t n = N;
    const struct proact_grid grid = {
        .ctas = {CTAS}, .threads = {THREADS}, .device_count = devices};
    const struct proact_arg args[] = {PROACT_ARRAY(in), PROACT_ARRAY(b->out),
                                      PROACT_VALUE(n), PROACT_VALUE(rounds)};

    if (proact_launch(steps, &grid, args, 4, &b->err))
        fail_msg("%s", b->err.text);
}

/* Devices 0 and 1 take long to write data that the others, or the host there, have
   overwritten. The others do not read that data and wait for no one. */
static void overwriting_a_slow_writer_does_not_wait(void **state)
{
    enum { FACTOR = 3, ROUNDS = 3000, TIMES = 4 };
    uint32_t content[N];

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        content[i] = FACTOR * (i + 1);
    for (const char *const *m = proact_method_names(); *m; m++)
        for (int host = 0; host < 2; host++) {
            struct proact_options o = with("v100x4", 4, *m);

            o.check = true;
            struct bench b = testing_open(&o);
            struct proact_array *in = testing_array(&b, "in");
            struct proact_kernel *steps = testing_kernel(&b, "steps");

            assert_int_equal(proact_array_write(in, 0, content, N, &b.err), 0);
            for (int i = 0; i < TIMES; i++) {
                step(&b, steps, in, ROUNDS, 2);
                if (!host)
                    step(&b, steps, in, 0, 4);
                else if (proact_array_write(b.out, 0, content, N, &b.err))
                    fail_msg("%s", b.err.text);
                if (proact_wait(b.p, &b.err))
                    fail_msg("%s: %s", *m, b.err.text);
            }
            testing_holds(&b, b.out, FACTOR);
            proact_close(b.p);
        }
}

static void every_seed_is_right(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++)
        for (const char *const *m = proact_method_names(); *m; m++)
            for (unsigned devices = 2; devices <= 4; devices++) {
                struct proact_options o = with("v100x4", devices, *m);

                o.seed = seed;
                struct bench b = testing_open(&o);

                for (unsigned factor = 1; factor <= 2; factor++)
                    assert_int_equal(testing_fill(&b, factor), 0);
                testing_holds(&b, b.out, 2);
                proact_close(b.p);
            }
}

int main(int count, char **words)
{
    const struct CMUnitTest slow[] = {cmocka_unit_test(every_seed_is_right)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_adds_up),
        cmocka_unit_test(elided_transfers_send_nothing),
        cmocka_unit_test(infinite_bandwidth_is_right_and_no_slower),
        cmocka_unit_test(the_first_devices_run_and_the_others_receive),
        cmocka_unit_test(a_plain_kernel_runs_on_device_0),
        cmocka_unit_test(plans_change_between_launches),
        cmocka_unit_test(a_trap_is_reported_and_the_session_closes),
        cmocka_unit_test(an_agent_that_gives_up_names_what_never_came),
        cmocka_unit_test(a_fault_is_reported_after_a_destroy),
        cmocka_unit_test(the_check_finds_small_maps_and_unwritten_reads),
        cmocka_unit_test(many_devices),
        cmocka_unit_test(overwriting_a_slow_writer_does_not_wait),
    };

    if (count > 1 && strcmp(words[1], "seeds") == 0)
        return cmocka_run_group_tests(slow, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
