/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of a program: which operations run concurrently, and which are ordered. With the
   race checker, a missing wait is a race even if the result is right. */
#include <proact/program.h>

#include "runtime/runtime_testing.h"

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b.err.text);                                                    \
    } while (0)

struct view {
    uint64_t out;
    uint32_t n, factor;
};

struct stage {
    struct bench b;
    struct proact_array *other, *third;
    struct proact_kernel *plain;
};

static struct stage open_on(unsigned devices)
{
    struct stage s = {.b = testing_open(&(struct proact_options){
                          .machine = "h200x4", .device_count = devices, .check = true})};
    static const uint32_t zeros[N];
    struct bench b = s.b;

    s.other = testing_array(&b, "other");
    s.third = testing_array(&b, "third");
    s.plain = testing_kernel(&b, "slow");
    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_array_write(s.other, 0, zeros, N, &b.err));
    MUST(proact_array_write(s.third, 0, zeros, N, &b.err));
    MUST(proact_wait(b.p, &b.err));
    return s;
}

static void use(struct bench b, unsigned stream)
{
    MUST(proact_stream_set_current(b.p, stream, &b.err));
}

/* Sets every element of the array to factor * (i + 1). */
static void fill(const struct stage *s, struct proact_array *a, uint32_t factor,
                 unsigned devices)
{
    const struct view view = {1, N, factor}; /* the relocation supplies the address */
    const struct proact_relocation relocation = {0, a, 0};
    struct bench b = s->b;

    MUST(proact_launch_buffer(
        s->plain,
        &(struct proact_grid){
            .ctas = {CTAS}, .threads = {THREADS}, .device_count = devices},
        &(struct proact_parameter_buffer){&view, sizeof view, &relocation, 1}, &b.err));
}

static void copy(struct bench b, const struct proact_array *to,
                 const struct proact_array *from)
{
    MUST(proact_device0_copy(b.p, proact_array_address(to, 0),
                             proact_array_address(from, 0), (size_t)N * 4, &b.err));
}

/* Expects the content on device 0, read outside all streams. */
static void expect(struct bench b, const struct proact_array *a, uint32_t factor)
{
    uint32_t is[N];

    use(b, 0);
    MUST(proact_device0_read(b.p, is, proact_array_address(a, 0), sizeof is, &b.err));
    for (uint32_t i = 0; i < N; i++)
        if (is[i] != factor * (i + 1))
            fail_msg("element %u is %u, not %u", i, is[i], factor * (i + 1));
}

static void end(const struct stage *s)
{
    struct bench b = s->b;

    MUST(proact_wait(b.p, &b.err));
    proact_close(b.p);
}

/* Virtual time of two kernels that each leave most of the device idle. */
static uint64_t time_of_two(unsigned first, unsigned second)
{
    struct stage s = open_on(1);
    struct bench b = s.b;
    uint64_t before = proact_now_ns(b.p);

    for (int i = 0; i < 10; i++) {
        use(b, first);
        fill(&s, b.out, 3, 1);
        use(b, second);
        fill(&s, s.other, 5, 1);
    }
    MUST(proact_wait(b.p, &b.err));
    uint64_t ns = proact_now_ns(b.p) - before;

    expect(b, b.out, 3);
    expect(b, s.other, 5);
    end(&s);
    return ns;
}

static void streams_run_concurrently(void **state)
{
    (void)state;
    uint64_t one = time_of_two(1, 1), two = time_of_two(1, 2);

    if (two > one * 3 / 4)
        fail_msg("%llu ns in two streams, %llu in one", (unsigned long long)two,
                 (unsigned long long)one);
    assert_true(time_of_two(0, 0) > one * 3 / 4);
}

static void default_stream_work_follows_all_streams(void **state)
{
    (void)state;
    struct stage s = open_on(1);

    use(s.b, 1);
    fill(&s, s.b.out, 3, 1);
    use(s.b, 0);
    copy(s.b, s.other, s.b.out);
    expect(s.b, s.other, 3);
    end(&s);
}

/* Copies and fills that devices execute on their own ranges follow the earlier operations
   of every stream. */
static void copies_of_several_devices_follow_all_streams(void **state)
{
    (void)state;
    struct stage s = open_on(4);
    const uint64_t out = proact_array_address(s.b.out, 0);
    struct bench b = s.b;

    for (uint32_t n = 1; n < 4; n++) {
        use(b, 0);
        fill(&s, b.out, n, 4);
        use(b, 1);
        fill(&s, s.other, 50, 1);
        use(b, 0);
        copy(b, s.other, b.out);
        use(b, 1);
        fill(&s, b.out, 60, 1);
        expect(b, s.other, n);
        fill(&s, b.out, n, 4);
        use(b, 2);
        fill(&s, s.third, n, 1);
        copy(b, b.out, s.third);
        use(b, 0);
        MUST(proact_device0_fill(b.p, out, 0, (size_t)N * 4, &b.err));
        use(b, 2);
        fill(&s, b.out, n + 1, 1);
        expect(b, b.out, n + 1);
    }
    end(&s);
}

static void streams_follow_the_default_stream(void **state)
{
    (void)state;
    struct stage s = open_on(1);

    for (uint32_t n = 1; n < 4; n++) { /* every iteration needs new waits */
        use(s.b, 0);
        fill(&s, s.b.out, n, 1);
        use(s.b, 16);
        copy(s.b, s.other, s.b.out);
        use(s.b, 2);
        copy(s.b, s.third, s.b.out);
    }
    expect(s.b, s.other, 3);
    expect(s.b, s.third, 3);
    end(&s);
}

static void a_stream_waits_for_an_event_of_another(void **state)
{
    (void)state;
    struct stage s = open_on(1);
    struct bench b = s.b;
    struct proact_event *m, *never;

    MUST(proact_event_create(b.p, false, &m, &b.err));
    MUST(proact_event_create(b.p, false, &never, &b.err));
    use(b, 1);
    fill(&s, b.out, 3, 1);
    MUST(proact_event_record(m, &b.err));
    use(b, 2);
    MUST(proact_stream_wait_event(never, &b.err));
    MUST(proact_stream_wait_event(m, &b.err));
    copy(b, s.other, b.out);
    MUST(proact_event_wait(never, &b.err));
    MUST(proact_event_wait(m, &b.err));
    expect(b, s.other, 3);
    end(&s);
}

/* The race checker reports a missing event even if the timing happens to be right. */
static void without_an_event_there_is_no_order(void **state)
{
    (void)state;
    struct stage s = open_on(1);
    struct bench b = s.b;

    use(b, 1);
    fill(&s, b.out, 3, 1);
    use(b, 2);
    copy(b, s.other, b.out);
    assert_int_equal(proact_wait(b.p, &b.err), PROACT_EFAULT);
    proact_close(b.p);
}

/* Transfers and writes of peers follow the earlier operations of streams. */
static void other_devices_follow_streams(void **state)
{
    (void)state;
    struct stage s = open_on(4);
    struct bench b = s.b;

    for (uint32_t n = 1; n < 4; n++) {
        use(b, 5);
        fill(&s, b.out, n, 1);
        MUST(proact_array_broadcast(b.out, &b.err));
        copy(b, s.other, b.out);
        use(b, 7);
        fill(&s, b.out, 100 + n, 4);
        copy(b, s.third, b.out);
        expect(b, s.other, n);
        expect(b, s.third, 100 + n);
    }
    end(&s);
}

/* Each stream waits for the incoming transfers that it needs. */
static void each_stream_waits_for_transfers(void **state)
{
    (void)state;
    struct stage s = open_on(4);
    struct bench b = s.b;

    for (uint32_t n = 1; n < 6; n++) {
        use(b, n % 2);
        fill(&s, b.out, n, 4); /* split, before both streams */
        use(b, 1);
        copy(b, s.other, b.out);
        use(b, 2);
        copy(b, s.third, b.out);
    }
    expect(b, s.other, 5);
    expect(b, s.third, 5);
    end(&s);
}

/* The same for kernels, which may access all memory. */
static void kernels_of_each_stream_wait_for_transfers(void **state)
{
    (void)state;
    struct stage s = open_on(4);
    struct bench b = s.b;

    for (uint32_t n = 1; n < 6; n++) {
        use(b, 0);
        fill(&s, b.out, n, 4);
        fill(&s, s.other, n, 4);
        use(b, 1);
        fill(&s, b.out, 10 + n, 1);
        use(b, 2);
        fill(&s, s.other, 20 + n, 1);
    }
    expect(b, b.out, 15);
    expect(b, s.other, 25);
    end(&s);
}

/* proact_array_write() follows the operations of every stream. */
static void array_writes_follow_streams(void **state)
{
    (void)state;
    struct stage s = open_on(2);
    struct bench b = s.b;
    static const uint32_t zeros[N];

    use(b, 1);
    fill(&s, b.out, 3, 1);
    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    copy(b, s.other, b.out);
    expect(b, s.other, 0);
    end(&s);
}

static const char variable_ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 addend = 7;\n"
    ".visible .entry adds(.param .u64 a)\n{\n .reg .b32 %r<4>;\n .reg .b64 %rd<4>;\n"
    " ld.param.u64 %rd1, [a];\n ld.global.u32 %r1, [addend];\n"
    " ld.global.u32 %r2, [%rd1];\n add.u32 %r3, %r1, %r2;\n"
    " st.global.u32 [%rd1], %r3;\n ret;\n}\n";

static void add(struct bench b, struct proact_kernel *k)
{
    const uint64_t nowhere = 1;
    const struct proact_relocation relocation = {0, b.out, 0};

    MUST(proact_launch_buffer(
        k, &(struct proact_grid){.ctas = {1}, .threads = {1}, .device_count = 1},
        &(struct proact_parameter_buffer){&nowhere, sizeof nowhere, &relocation, 1},
        &b.err));
}

static void variable_writes_are_ordered(void **state)
{
    (void)state;
    struct stage s = open_on(1);
    struct bench b = s.b;
    const struct proact_image image = {.name = "adds.ptx", .text = variable_ptx};
    const uint32_t hundred = 100;
    struct proact_variable v;
    struct proact_kernel *k;
    uint32_t is = 0;

    MUST(proact_kernel_load(b.p, &image, "adds", &k, &b.err));
    MUST(proact_variable_find(b.p, &image, "addend", &v, &b.err));
    for (int i = 0; i < 3; i++) {
        use(b, 1);
        add(b, k);
        MUST(proact_variable_write(b.p, &v, 0, &hundred, sizeof hundred, &b.err));
    }
    add(b, k);
    MUST(proact_device0_read(b.p, &is, proact_array_address(b.out, 0), sizeof is, &b.err));
    assert_int_equal(is, 307);
    end(&s);
}

static void reads_and_writes_use_the_current_stream(void **state)
{
    (void)state;
    struct stage s = open_on(2);
    struct bench b = s.b;
    uint32_t numbers[N];

    for (uint32_t i = 0; i < N; i++)
        numbers[i] = 7 * (i + 1);
    use(b, 3);
    MUST(proact_device0_write(b.p, proact_array_address(b.out, 0), numbers, sizeof numbers,
                              &b.err));
    copy(b, s.other, b.out);
    MUST(proact_device0_fill(b.p, proact_array_address(b.out, 0), 0, sizeof numbers,
                             &b.err));
    MUST(proact_stream_wait(b.p, &b.err));
    MUST(proact_device0_read(b.p, numbers, proact_array_address(s.other, 0), sizeof numbers,
                             &b.err));
    assert_int_equal(numbers[N - 1], 7 * N);
    expect(b, b.out, 0);
    end(&s);
}

static void recordings_are_ordered_with_streams(void **state)
{
    (void)state;
    struct stage s = open_on(2);
    struct bench b = s.b;
    struct proact_recording *r = NULL;
    const unsigned n = N, factor = 9;
    const struct proact_arg args[] = {{.array = s.third},
                                      {.value = &n, .bytes = sizeof n},
                                      {.value = &factor, .bytes = sizeof factor}};

    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};

    MUST(proact_launch(b.fill, &grid, args, 3, &b.err)); /* creates the tables */
    use(b, 1);
    fill(&s, b.out, 3, 1);
    use(b, 0);
    MUST(proact_record_begin(b.p, &b.err));
    assert_int_equal(proact_stream_set_current(b.p, 1, &b.err), PROACT_EINVAL);
    assert_string_equal(b.err.text, "a recording has no streams");
    MUST(proact_launch(b.fill, &grid, args, 3, &b.err));
    MUST(proact_record_end(b.p, &r, &b.err));
    for (int i = 0; i < 3; i++) {
        use(b, 1);
        fill(&s, s.third, 4, 1);
        use(b, 0);
        MUST(proact_replay(r, &b.err));
        use(b, 1);
        copy(b, s.other, s.third);
    }
    expect(b, b.out, 3);
    expect(b, s.other, 9);
    end(&s);
}

/* On one device a replay fetches nothing; the graph itself is ordered with the streams. */
static void replays_are_ordered_with_streams(void **state)
{
    (void)state;
    struct stage s = open_on(1);
    struct bench b = s.b;
    struct proact_recording *r = NULL;

    fill(&s, s.third, 9, 1);
    use(b, 1);
    assert_int_equal(proact_record_begin(b.p, &b.err), PROACT_EINVAL);
    assert_string_equal(b.err.text, "a recording cannot begin within a program's stream");
    use(b, 0);
    MUST(proact_record_begin(b.p, &b.err));
    fill(&s, s.third, 9, 1);
    MUST(proact_record_end(b.p, &r, &b.err));
    for (unsigned i = 0; i < 4; i++) {
        use(b, 1);
        fill(&s, s.third, 4, 1);
        use(b, i % 2);
        MUST(proact_replay(r, &b.err));
        use(b, 1);
        copy(b, s.other, s.third);
    }
    expect(b, s.other, 9);
    expect(b, s.third, 9);
    end(&s);
}

static void the_number_of_streams_is_limited(void **state)
{
    (void)state;
    struct stage s = open_on(1);
    struct bench b = s.b;

    assert_int_equal(proact_stream_set_current(b.p, 17, &b.err), PROACT_EINVAL);
    assert_string_equal(b.err.text, "stream 17: there are 1 to 16");
    for (unsigned n = 1; n <= 16; n++) {
        use(b, n);
        fill(&s, b.out, n, 1);
        MUST(proact_stream_wait(b.p, &b.err));
    }
    expect(b, b.out, 16);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_run_concurrently),
        cmocka_unit_test(default_stream_work_follows_all_streams),
        cmocka_unit_test(copies_of_several_devices_follow_all_streams),
        cmocka_unit_test(streams_follow_the_default_stream),
        cmocka_unit_test(a_stream_waits_for_an_event_of_another),
        cmocka_unit_test(without_an_event_there_is_no_order),
        cmocka_unit_test(other_devices_follow_streams),
        cmocka_unit_test(each_stream_waits_for_transfers),
        cmocka_unit_test(kernels_of_each_stream_wait_for_transfers),
        cmocka_unit_test(array_writes_follow_streams),
        cmocka_unit_test(variable_writes_are_ordered),
        cmocka_unit_test(reads_and_writes_use_the_current_stream),
        cmocka_unit_test(recordings_are_ordered_with_streams),
        cmocka_unit_test(replays_are_ordered_with_streams),
        cmocka_unit_test(the_number_of_streams_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
