/* SPDX-License-Identifier: Apache-2.0 */
/* A program's launches are split as long as that is faster. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "runtime/autotune/choice.h"
#include "runtime/objects/session.h"

static struct bench open_k40(void)
{
    return testing_open(&(struct proact_options){
        .machine = PROACT_SOURCE "/tests/runtime/bus.json", .plan = {.method = "inline"}});
}

/* The shape of one launch. On four K40 on one bus, 1000 CTAs of one warp with 50 rounds
   take 26 us on one device and 38 us on all four. With 200 rounds, all four are faster. */
struct shape {
    uint32_t ctas, threads, rounds;
};

/* One CTA per word, over the first `n` words of the array. Returns whether the launch was
   split. */
static bool work_on(struct bench *b, struct proact_kernel *k, struct proact_array *a,
                    struct shape s, uint32_t n)
{
    const struct {
        uint64_t out;
        uint32_t n, rounds;
    } block = {1, n, s.rounds};
    const struct proact_relocation relocation = {0, a, 0};

    if (proact_launch_buffer(
            k, &(struct proact_grid){.ctas = {s.ctas}, .threads = {s.threads}},
            &(struct proact_parameter_buffer){&block, sizeof block, &relocation, 1},
            &b->err))
        fail_msg("%s", b->err.text);
    return !proact_kernel_refusal(k);
}

static bool work(struct bench *b, struct proact_kernel *k, struct proact_array *a,
                 struct shape s)
{
    return work_on(b, k, a, s, N);
}

static unsigned split_of(struct bench *b, struct proact_kernel *k, unsigned launches,
                         struct shape s)
{
    unsigned split = 0;

    while (launches--)
        split += work(b, k, b->out, s);
    return split;
}

/* A probe splits two launches, and a third one if the second was slower: a small loss is
   measured twice. */
static void small_losses_are_probed_again(void **state)
{
    const struct shape few = {100, 32, 1};
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    /* The first launch has no known readers. */
    assert_int_equal(split_of(&b, k, 255, few), 4);
    assert_int_equal(split_of(&b, k, 600, few), 3);
    assert_int_equal(split_of(&b, k, 300, few), 3);
    proact_close(b.p);
}

/* 3 CTAs on 15 SMs gain nothing on more devices. */
static void a_small_grid_is_never_probed(void **state)
{
    const struct shape small = {3, 32, 200}, larger = {4, 32, 200};
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");
    struct proact_recording *r;

    (void)state;
    assert_int_equal(split_of(&b, k, 20, small), 0);
    assert_int_equal(b.p->budget.spent_ns, 0);
    assert_string_equal(proact_kernel_refusal(k),
                        "kernel 'works': a split of its 3 CTAs cannot pay: one device has "
                        "four SMs for each");
    if (proact_wait(b.p, &b.err) || proact_record_begin(b.p, &b.err))
        fail_msg("%s", b.err.text);
    assert_false(work(&b, k, b.out, small));
    if (proact_record_end(b.p, &r, &b.err) || proact_replay(r, &b.err))
        fail_msg("%s", b.err.text);
    assert_true(work(&b, k, b.out, larger));
    proact_close(b.p);
}

/* A loss of a millisecond is measured once. */
static void a_long_kernel_is_timed_once(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    assert_int_equal(split_of(&b, k, 20, (struct shape){1000, 32, 10000}), 19);
    proact_close(b.p);
}

/* A kernel is probed again when its work has grown fourfold. */
static void more_work_is_probed_again(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    assert_int_equal(split_of(&b, k, 20, (struct shape){1000, 32, 50}), 4);
    assert_int_equal(split_of(&b, k, 20, (struct shape){1000, 32, 199}), 0);
    assert_int_equal(split_of(&b, k, 20, (struct shape){1000, 32, 201}), 18);
    assert_in_range(split_of(&b, k, 20, (struct shape){1000, 32, 50}), 2, 10);
    assert_int_equal(split_of(&b, k, 20, (struct shape){1000, 32, 51}), 0);
    proact_close(b.p);
}

/* Number of split launches among the last 20 of 60. Between the launches, the host writes
   the array on device 0, or fills it. */
static unsigned split_between(bool is_filled)
{
    enum { BYTES = 4 << 20 };
    static const char zeros[BYTES];
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");
    struct proact_array *large = NULL;
    unsigned split = 0;

    if (proact_array_create(b.p, &(struct proact_shape){"large", BYTES / 4, 4}, &large,
                            &b.err))
        fail_msg("%s", b.err.text);
    for (int n = 0; n < 60; n++) {
        const bool is_split = work(&b, k, large, (struct shape){1000, 32, 300});
        const uint64_t to = proact_array_address(large, 0);

        if (n >= 10 && (is_filled ? proact_device0_fill(b.p, to, 1, BYTES, &b.err)
                                  : proact_device0_write(b.p, to, zeros, BYTES, &b.err)))
            fail_msg("%s", b.err.text);
        split += is_split && n >= 40;
        assert_true(is_split || n == 3 || n == 4 || n > 10);
    }
    proact_close(b.p);
    return split;
}

/* A copy that makes the other devices' replicas stale counts as a cost of the split kernel.
   A fill does not: each device fills its own part. */
static void copies_count_as_cost(void **state)
{
    (void)state;
    assert_int_equal(split_between(false), 0);
    assert_int_equal(split_between(true), 20);
}

/* Broadcasts that happen once are not part of a measurement: each of two alternating arrays
   is sent to all devices when it is first written, and never later. */
static void one_time_broadcasts_are_not_measured(void **state)
{
    enum { WORDS = 1 << 18 };
    struct bench b = testing_open(&(struct proact_options){
        .machine = PROACT_SOURCE "/tests/runtime/bus.json", .plan = {.method = "fused"}});
    struct proact_kernel *k = testing_kernel(&b, "steps");
    struct proact_array *a[2] = {NULL, NULL};

    (void)state;
    for (int i = 0; i < 2; i++)
        if (proact_array_create(b.p, &(struct proact_shape){"a", WORDS, 4}, &a[i], &b.err))
            fail_msg("%s", b.err.text);
    for (int n = 0; n < 10; n++) {
        const struct {
            uint64_t in, out;
            uint32_t words, rounds;
        } block = {1, 2, WORDS, 100};
        const struct proact_relocation relocations[] = {{0, a[n % 2], 0},
                                                        {8, a[(n + 1) % 2], 0}};

        if (proact_launch_buffer(
                k, &(struct proact_grid){.ctas = {WORDS / 256}, .threads = {256}},
                &(struct proact_parameter_buffer){&block, sizeof block, relocations, 2},
                &b.err))
            fail_msg("%s", b.err.text);
        if (n != 5 && n != 6) /* measured on one device */
            assert_null(proact_kernel_refusal(k));
    }
    proact_close(b.p);
}

/* A single-device launch that is a probe fetches everything that it reads, not only one
   partition of it. */
static void a_single_device_probe_fetches_everything(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "grows");
    const uint64_t address = proact_array_address(b.out, 0);
    const struct proact_relocation relocation = {0, b.out, 0};
    const struct {
        uint64_t out, n;
    } block = {1, N};
    uint32_t want[N] = {0}, is[N];

    (void)state;
    if (proact_device0_write(b.p, address, want, sizeof want, &b.err))
        fail_msg("%s", b.err.text);
    for (unsigned n = 0; n < 5; n++) {
        if (proact_launch_buffer(
                k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                &(struct proact_parameter_buffer){&block, 12, &relocation, 1}, &b.err))
            fail_msg("%s", b.err.text);
        for (unsigned i = 0; i < N; i++)
            want[i] = 3 * want[i] + i;
    }
    if (proact_device0_read(b.p, is, address, sizeof is, &b.err))
        fail_msg("%s", b.err.text);
    assert_memory_equal(is, want, sizeof is);
    proact_close(b.p);
}

/* Launches in alternating streams, each after a copy of `bytes` bytes from the host.
   Returns the number of split launches among the last 20. */
static unsigned split_in_streams(size_t bytes, unsigned streams, struct shape s)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");
    struct proact_array *host = NULL, *there = NULL;
    unsigned split = 0;

    if (proact_array_create_host_accessible(b.p, &(struct proact_shape){"host", 1 << 20, 4},
                                            true, &host, &b.err) ||
        proact_array_create(b.p, &(struct proact_shape){"there", 1 << 20, 4}, &there,
                            &b.err))
        fail_msg("%s", b.err.text);
    for (unsigned n = 0; n < 40; n++) {
        if (proact_stream_set_current(b.p, streams ? 1 + n % streams : 0, &b.err) ||
            (bytes && proact_device0_copy(b.p, proact_array_address(there, 0),
                                          proact_array_address(host, 0), bytes, &b.err)))
            fail_msg("%s", b.err.text);
        bool is_split = work(&b, k, b.out, s);

        split += is_split && n >= 20;
    }
    proact_close(b.p);
    return split;
}

/* A split launch waits for the copies of other streams, and a single-device launch does
   not. The planner counts that wait. */
static void concurrent_copies_are_counted(void **state)
{
    const struct shape much = {1000, 32, 300};

    (void)state;
    assert_int_equal(split_in_streams(0, 0, much), 20);
    assert_int_equal(split_in_streams(0, 2, much), 20);
    assert_int_equal(split_in_streams(1 << 20, 0, much), 20);
    /* Nothing runs concurrently. */
    assert_int_equal(split_in_streams(1 << 20, 1, much), 20);
    assert_int_equal(split_in_streams(1 << 20, 2, much), 0);
    assert_int_equal(split_in_streams(1 << 10, 2, much), 20);
}

/* A launch with new arguments costs host time for its tables. For 1000 CTAs whose strides
   repeat in pairs this is 0.06 ms, which the first kernel does not take. */
static void host_time_for_tables_is_counted(void **state)
{
    const struct shape much = {1000, 32, 80}, more = {1000, 32, 800};
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works_apart");
    unsigned split = 0;

    (void)state;
    assert_int_equal(split_of(&b, k, 20, much), 18);
    for (uint32_t i = 0; i < 20; i++)
        split += work_on(&b, k, b.out, much, N - 1 - i);
    assert_in_range(split, 1, 6); /* the cost shows after a few launches */
    split = 0;
    for (uint32_t i = 0; i < 20; i++)
        split += work_on(&b, k, b.out, more, N - 100 - i);
    assert_in_range(split, 15, 19);
    proact_close(b.p);
}

/* New tables that are never used again may use the measurement budget, 50 ms. Each launch
   here has a new map that costs 0.24 ms. */
static void host_time_for_tables_is_bounded(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works_apart");
    unsigned split = 0;

    (void)state;
    for (uint32_t i = 0; i < 270; i++)
        split += work_on(&b, k, b.out, (struct shape){4000 + i, 32, 1}, N - i);
    assert_in_range(split, 196, 213);
    assert_non_null(strstr(proact_kernel_refusal(k), "took the host 5"));
    assert_true(b.p->budget.spent_ns > 50000000);
    proact_close(b.p);
}

/* Two arrays in turn need two tables per shape. Each table is used twice, so the kernel
   stays split. */
static void reused_tables_are_worth_their_cost(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");
    unsigned split = 0;

    (void)state;
    for (uint32_t i = 0; i < 290; i++) {
        split += work_on(&b, k, b.out, (struct shape){4000 + i, 32, 1}, N - i);
        work_on(&b, k, b.out, (struct shape){4000 + i, 32, 1}, N - i);
    }
    assert_int_equal(split, 290);
    assert_int_equal(b.p->budget.spent_ns, 0);
    proact_close(b.p);
}

/* not concurrent */
static void short_launches_have_no_interior_split(void **state)
{
    const struct stopwatch_time took = {.devices_ns = 90000, .host_ns = 50000},
                                longer = {.devices_ns = 110000, .host_ns = 50000};
    struct choice c = {0};

    (void)state;
    choice_note_split(&c, longer, true, 0);
    assert_false(c.is_short);
    choice_note_split(&c, took, false, 0);
    assert_false(c.is_short);
    choice_note_split(&c, took, true, 0);
    assert_true(c.is_short);
    assert_int_equal(choice_split_ns(&c), 90000);
    choice_note_split(&c, (struct stopwatch_time){.devices_ns = 30000, .host_ns = 40000},
                      false, 0);
    assert_int_equal(choice_split_ns(&c), 40000); /* the host time dominates */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concurrent_copies_are_counted),
        cmocka_unit_test(host_time_for_tables_is_counted),
        cmocka_unit_test(host_time_for_tables_is_bounded),
        cmocka_unit_test(reused_tables_are_worth_their_cost),
        cmocka_unit_test(small_losses_are_probed_again),
        cmocka_unit_test(a_small_grid_is_never_probed),
        cmocka_unit_test(a_long_kernel_is_timed_once),
        cmocka_unit_test(more_work_is_probed_again),
        cmocka_unit_test(copies_count_as_cost),
        cmocka_unit_test(short_launches_have_no_interior_split),
        cmocka_unit_test(one_time_broadcasts_are_not_measured),
        cmocka_unit_test(a_single_device_probe_fetches_everything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
