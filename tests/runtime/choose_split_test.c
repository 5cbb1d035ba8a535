/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of a program are split where that is faster, as it is now. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

#include "runtime/autotune/choice.h"

static struct bench open_k40(void)
{
    return testing_open(
        &(struct proact_options){.machine = "k40x4", .plan = {.method = "inline"}});
}

/* Of one launch. On the four K40, 1000 CTAs of a warp that do 50 rounds take 26 us on one,
   and 38 on all; with 200, all are faster. */
struct shape {
    uint32_t ctas, threads, rounds;
};

/* One CTA a word of the array, of the first `n`; returns whether the launch was split. */
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

/* Two launches of a look are split, and a third one if the second was slower: what loses by
   little is timed twice. */
static void a_look_comes_again(void **state)
{
    const struct shape few = {100, 32, 1};
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    assert_int_equal(split_of(&b, k, 255, few), 4); /* none is told yet who reads */
    assert_int_equal(split_of(&b, k, 600, few), 3);
    assert_int_equal(split_of(&b, k, 300, few), 3);
    proact_close(b.p);
}

/* What loses by a millisecond is timed once. */
static void a_long_kernel_is_timed_once(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works");

    (void)state;
    assert_int_equal(split_of(&b, k, 20, (struct shape){1000, 32, 10000}), 19);
    proact_close(b.p);
}

/* Once there is four times as much of it. */
static void more_work_is_looked_at(void **state)
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

/* Launches that are split of the last 20 of 60, between which the array is written on the
   first device, or filled. */
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

/* Where a copy is what leaves the others behind, the split kernel itself pays. Each device
   fills its own. */
static void copies_count_as_cost(void **state)
{
    (void)state;
    assert_int_equal(split_between(false), 0);
    assert_int_equal(split_between(true), 20);
}

/* Of arrays that change places: each is sent to all when it is first written, and later to
   nobody. */
static void what_happens_once_is_not_timed(void **state)
{
    enum { WORDS = 1 << 18 };
    struct bench b = testing_open(
        &(struct proact_options){.machine = "k40x4", .plan = {.method = "fused"}});
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
        if (n != 5 && n != 6) /* on one device */
            assert_null(proact_kernel_refusal(k));
    }
    proact_close(b.p);
}

/* A launch that is timed on one device might have been split: it reads all the same what
   the others wrote before, and not its share of it. */
static void the_whole_reads_everything(void **state)
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

/* Launches in two streams by turns, each behind a copy of so many bytes from the host; how
   many of the last ones were split. */
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

/* A split launch waits for other streams' copies, a whole one does not. */
static void copies_beside_are_counted(void **state)
{
    const struct shape much = {1000, 32, 300};

    (void)state;
    assert_int_equal(split_in_streams(0, 0, much), 20);
    assert_int_equal(split_in_streams(0, 2, much), 20);
    assert_int_equal(split_in_streams(1 << 20, 0, much), 20);
    assert_int_equal(split_in_streams(1 << 20, 1, much), 20); /* nothing is beside it */
    assert_int_equal(split_in_streams(1 << 20, 2, much), 0);
    assert_int_equal(split_in_streams(1 << 10, 2, much), 20);
}

/* Launches that write anew each time have the host find it anew: of 1000 CTAs, of
   which two at a time are alike, 0.06 ms, which the first kernel does not take. */
static void what_the_host_has_to_find_is_counted(void **state)
{
    const struct shape much = {1000, 32, 80}, more = {1000, 32, 800};
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works_apart");
    unsigned split = 0;

    (void)state;
    assert_int_equal(split_of(&b, k, 20, much), 18);
    for (uint32_t i = 0; i < 20; i++)
        split += work_on(&b, k, b.out, much, N - 1 - i);
    assert_in_range(split, 1, 6); /* of those it takes some to be seen */
    split = 0;
    for (uint32_t i = 0; i < 20; i++)
        split += work_on(&b, k, b.out, more, N - 100 - i);
    assert_in_range(split, 15, 19);
    proact_close(b.p);
}

/* 50 ms for launches of which none comes again, each of which takes 0.24. */
static void a_kernel_has_so_much_of_the_host(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k = testing_kernel(&b, "works_apart");
    unsigned split = 0;

    (void)state;
    for (uint32_t i = 0; i < 270; i++)
        split += work_on(&b, k, b.out, (struct shape){4000 + i, 32, 1}, N - i);
    assert_in_range(split, 196, 213);
    assert_non_null(strstr(proact_kernel_refusal(k), "took the host 5"));
    proact_close(b.p);
}

/* Arrays that take turns are two maps, however long: the kernel goes on being split. */
static void maps_that_come_again_are_worth_it(void **state)
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
    proact_close(b.p);
}

/* To queue edges and inside of a share, too, must take the host well less than the launch
   takes the devices. */
static void short_launches_are_not_divided(void **state)
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
    assert_int_equal(choice_split_ns(&c), 40000); /* the host is what takes longer */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_beside_are_counted),
        cmocka_unit_test(what_the_host_has_to_find_is_counted),
        cmocka_unit_test(a_kernel_has_so_much_of_the_host),
        cmocka_unit_test(maps_that_come_again_are_worth_it),
        cmocka_unit_test(a_look_comes_again),
        cmocka_unit_test(a_long_kernel_is_timed_once),
        cmocka_unit_test(more_work_is_looked_at),
        cmocka_unit_test(copies_count_as_cost),
        cmocka_unit_test(short_launches_are_not_divided),
        cmocka_unit_test(what_happens_once_is_not_timed),
        cmocka_unit_test(the_whole_reads_everything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
