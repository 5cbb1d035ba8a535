/* SPDX-License-Identifier: Apache-2.0 */
/* <proact/program.h>: single-device launches, parameter buffers, variables and events. */
#include "runtime/objects/array.h"
#include "runtime/runtime_testing.h"
#include "runtime/validity/array_validity.h"
#include <proact/program.h>

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter[4] = {7, 8, 9, 10};\n"
    ".visible .entry adds(.param .u64 a)\n{\n .reg .b32 %r<4>;\n .reg .b64 %rd<4>;\n"
    " ld.param.u64 %rd1, [a];\n ld.global.u32 %r1, [counter+4];\n"
    " ld.global.u32 %r2, [%rd1];\n add.u32 %r3, %r1, %r2;\n"
    " st.global.u32 [%rd1], %r3;\n st.global.u32 [counter], %r3;\n ret;\n}\n";

struct view {
    uint64_t out;
    uint32_t n, factor;
};

static struct bench open_four(bool check)
{
    return testing_open(&(struct proact_options){.machine = "v100x4", .check = check});
}

#define MUST(call)                                                                         \
    do {                                                                                   \
        if (call)                                                                          \
            fail_msg("%s", b.err.text);                                                    \
    } while (0)

static enum proact_status run_plain(struct bench *b, struct proact_kernel *k, uint64_t byte,
                                    uint32_t n, uint32_t factor, unsigned devices)
{
    const struct view view = {1, n, factor}; /* the relocation supplies the address */
    const struct proact_relocation relocation = {0, b->out, byte};

    return proact_launch_buffer(
        k,
        &(struct proact_grid){
            .ctas = {CTAS}, .threads = {THREADS}, .device_count = devices},
        &(struct proact_parameter_buffer){&view, sizeof view, &relocation, 1}, &b->err);
}

static void expect(struct bench *b, struct proact_array *a, unsigned device, unsigned i,
                   uint32_t value)
{
    uint32_t is = ~value;

    if (proact_array_read_replica(a, device, i, &is, 1, &b->err))
        fail_msg("%s", b->err.text);
    if (is != value)
        fail_msg("device %u: element %u is %u, not %u", device, i, is, value);
}

static uint64_t sent(struct bench *b, const struct proact_array *a)
{
    struct proact_statistics s;

    if (proact_statistics_get(b->p, PROACT_ALL_DEVICES, a, &s, &b->err))
        fail_msg("%s", b->err.text);
    return s.bytes;
}

/* The result of a single-device launch stays on device 0 until another device reads it. */
static void a_single_device_launch_runs_on_device_0(void **state)
{
    (void)state;
    struct bench b = open_four(false);
    static const uint32_t zeros[N];

    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(run_plain(&b, testing_kernel(&b, "plain"), 40, 100, 3, 1));
    expect(&b, b.out, 0, 9, 0);
    expect(&b, b.out, 0, 10, 3);
    expect(&b, b.out, 0, 109, 300);
    expect(&b, b.out, 0, 110, 0);
    assert_int_equal(sent(&b, b.out), 0);
    expect(&b, b.out, 3, 10, 3);
    assert_int_equal(sent(&b, b.out), 4);
    MUST(proact_array_broadcast(b.out, &b.err));
    for (unsigned d = 0; d < 4; d++)
        expect(&b, b.out, d, 109, 300);
    proact_close(b.p);
}

/* A 2D copy within device 0: pairs of elements that are ten apart become three apart. */
static void rows_are_copied_within_device_0(void **state)
{
    (void)state;
    struct bench b = open_four(true);
    struct proact_array *other = testing_array(&b, "other");
    static uint32_t zeros[N], numbers[N];
    struct proact_copy_2d rows = {proact_array_address(other, 0) + 4,
                                  proact_array_address(b.out, 0) + 8,
                                  8,
                                  100,
                                  12,
                                  40};

    for (uint32_t i = 0; i < N; i++)
        numbers[i] = i + 1;
    MUST(proact_array_write(b.out, 0, numbers, N, &b.err));
    MUST(proact_array_write(other, 0, zeros, N, &b.err));
    /* Two numbers are on other devices; the second one is outside all rows. */
    array_written(b.out, 48, 52, 6);
    array_written(b.out, 60, 64, 6);
    MUST(proact_device0_copy_2d(b.p, &rows, &b.err));
    for (unsigned i = 0; i < 310; i++)
        expect(&b, other, 0, i,
               i && i <= 300 && i % 3 ? numbers[2 + i / 3 * 10 + i % 3 - 1] : 0);
    assert_int_equal(sent(&b, b.out), 4);
    expect(&b, other, 3, 6, 0);
    assert_int_equal(sent(&b, other), 0);
    expect(&b, other, 3, 7, numbers[22]);
    assert_int_equal(sent(&b, other), 4);
    rows.row_count = 0;
    MUST(proact_device0_copy_2d(b.p, &rows, &b.err));
    rows.row_count = 600;
    REFUSED(proact_device0_copy_2d(b.p, &rows, &b.err), PROACT_EINVAL,
            "copy: 23968 bytes from byte 8 of array 'out', it has 20000");
    rows.to_pitch = SIZE_MAX / 4;
    REFUSED(proact_device0_copy_2d(b.p, &rows, &b.err), PROACT_EINVAL, "array 'other'");
    rows.to_pitch = 7;
    REFUSED(proact_device0_copy_2d(b.p, &rows, &b.err), PROACT_EINVAL,
            "rows of 8 bytes overlap where they begin 7 bytes apart");
    proact_close(b.p);
}

/* A broadcast from device 0 waits for its peers' earlier accesses. */
static void a_broadcast_waits_for_its_peers(void **state)
{
    (void)state;
    static const uint32_t zeros[N];

    for (unsigned before = 0; before < 40; before++) {
        struct bench b = open_four(true);
        struct proact_kernel *plain = testing_kernel(&b, "plain");

        for (unsigned i = 0; i <= before; i++)
            MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
        for (unsigned i = 0; i <= before % 3; i++)
            MUST(run_plain(&b, plain, 0, N, 2, 1));
        MUST(proact_array_broadcast(b.out, &b.err));
        MUST(proact_wait(b.p, &b.err));
        expect(&b, b.out, 3, N - 1, 2 * N);
        proact_close(b.p);
    }
}

static void both_kinds_of_launch_mix(void **state)
{
    (void)state;
    struct bench b = open_four(true);
    struct proact_kernel *plain = testing_kernel(&b, "plain");
    struct proact_kernel *copy = testing_kernel(&b, "copy_in");
    struct proact_array *other = testing_array(&b, "other");
    const unsigned n = N;

    for (unsigned i = 1; i < 5; i++) {
        MUST(testing_fill(&b, i)); /* split, sent to all devices */
        MUST(run_plain(&b, plain, 0, N, 10 * i, 1));
        MUST(proact_array_broadcast(b.out, &b.err));
    }
    testing_holds(&b, b.out, 40);
    MUST(proact_kernel_map(copy, 1, &testing_map, &b.err));
    MUST(proact_launch(
        copy, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
        (struct proact_arg[]){PROACT_ARRAY(b.out), PROACT_ARRAY(other), PROACT_VALUE(n)}, 3,
        &b.err));
    MUST(run_plain(&b, plain, 0, N, 2, 1)); /* while the other devices still read */
    MUST(proact_array_broadcast(b.out, &b.err));
    testing_holds(&b, other, 40);
    testing_holds(&b, b.out, 2);
    MUST(testing_fill(&b, 3));
    testing_holds(&b, b.out, 3);
    proact_close(b.p);
}

static void an_annotated_kernel_is_split(void **state)
{
    (void)state;
    struct bench b = open_four(true);
    const struct view view = {0, N, 5};
    struct proact_relocation relocation = {0, b.out, 0};
    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};
    const struct proact_parameter_buffer block = {&view, sizeof view, &relocation, 1};

    assert_true(proact_kernel_describe(b.fill).is_annotated);
    MUST(proact_launch_buffer(b.fill, &grid, &block, &b.err));
    testing_holds(&b, b.out, 5);
    relocation.addend = 4;
    REFUSED(proact_launch_buffer(b.fill, &grid, &block, &b.err), PROACT_EREFUSED,
            "relocation at byte 0");
    proact_close(b.p);
}

static void addresses_are_written_copied_and_filled(void **state)
{
    (void)state;
    struct bench b = open_four(false);
    struct proact_array *other = testing_array(&b, "other");
    uint64_t out = proact_array_address(b.out, 0), to = proact_array_address(other, 0);
    const uint32_t values[] = {11, 22, 33};
    uint32_t is[3] = {0};
    uint64_t byte = 0;

    assert_ptr_equal(proact_array_find(b.p, to + 4 * N - 1, &byte), other);
    assert_int_equal(byte, 4 * N - 1);
    assert_null(proact_array_find(b.p, to + 4 * N, &byte));
    MUST(proact_device0_fill(b.p, to, 0xff, 4 * N, &b.err));
    MUST(proact_device0_write(b.p, out + 8, values, sizeof values, &b.err));
    MUST(proact_device0_copy(b.p, to + 400, out + 8, sizeof values, &b.err));
    MUST(proact_device0_read(b.p, is, to + 404, sizeof is, &b.err));
    assert_int_equal(is[0], 22);
    assert_int_equal(is[1], 33);
    assert_int_equal(is[2], 0xffffffff);
    REFUSED(proact_device0_write(b.p, to + 4 * N - 4, values, 8, &b.err), PROACT_EINVAL,
            "'other', it has 20000");
    REFUSED(proact_device0_read(b.p, is, 4096, 4, &b.err), PROACT_EINVAL, "4 bytes");
    proact_close(b.p);
}

/* An array is broadcast once, until device 0 may have changed it. */
static void only_changed_arrays_are_broadcast(void **state)
{
    (void)state;
    struct bench b = open_four(false);
    struct proact_array *other = testing_array(&b, "other"), *shared = NULL;
    uint64_t out = proact_array_address(b.out, 0), to = proact_array_address(other, 0);
    const uint64_t once = 3 * 4 * N;

    MUST(proact_array_broadcast(b.out, &b.err));
    assert_int_equal(sent(&b, b.out), 0);
    MUST(proact_device0_fill(b.p, out, 1, 4 * N, &b.err));
    MUST(proact_array_broadcast(b.out, &b.err));
    MUST(proact_array_broadcast(b.out, &b.err));
    assert_int_equal(sent(&b, b.out), once);
    MUST(proact_device0_copy(b.p, to, out, 4 * N, &b.err)); /* only reads it */
    MUST(proact_array_broadcast(b.out, &b.err));
    MUST(proact_array_broadcast(other, &b.err));
    assert_int_equal(sent(&b, b.out), once);
    assert_int_equal(sent(&b, other), once);
    MUST(run_plain(&b, testing_kernel(&b, "plain"), 0, N, 3, 1)); /* writes to b.out */
    MUST(proact_array_broadcast(b.out, &b.err));
    MUST(proact_array_broadcast(other, &b.err));
    assert_int_equal(sent(&b, b.out), 2 * once);
    assert_int_equal(sent(&b, other), once);
    expect(&b, other, 3, N - 1, 0x01010101);
    expect(&b, b.out, 3, N - 1, 3 * N);

    MUST(proact_array_create_host_accessible(b.p, &(struct proact_shape){"shared", N, 4},
                                             false, &shared, &b.err));
    for (uint32_t i = 1; i < 3; i++) {
        *(uint32_t *)(uintptr_t)proact_array_address(shared, 0) = i;
        MUST(proact_array_broadcast(shared, &b.err));
        expect(&b, shared, 2, 0, i);
    }
    proact_close(b.p);
}

/* A single-device launch fetches what it reads or may write, and nothing else. Other
   devices keep the rest. */
static void only_accessed_ranges_are_fetched(void **state)
{
    (void)state;
    struct bench b = open_four(true);
    struct proact_array *other = testing_array(&b, "other");
    static uint32_t zeros[N];
    const struct proact_relocation relocations[] = {{0, other, 0}, {8, b.out, 0}};
    const struct {
        uint64_t in, out;
        uint32_t n;
    } copies = {1, 1, 20};

    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_array_write(other, 0, zeros, N, &b.err));
    MUST(proact_array_broadcast(b.out, &b.err));
    MUST(proact_array_broadcast(other, &b.err));
    const uint64_t before = sent(&b, b.out), before_other = sent(&b, other);

    array_written(b.out, 0, 4 * N, 4);
    array_written(other, 0, 4 * N, 8);
    MUST(run_plain(&b, testing_kernel(&b, "plain"), 40, 100, 3, 1));
    assert_int_equal(sent(&b, b.out), before + 400);
    expect(&b, b.out, 2, 9, 0);
    expect(&b, b.out, 2, 110, 0);
    expect(&b, b.out, 2, N - 1, 0);
    assert_int_equal(sent(&b, b.out), before + 400);
    expect(&b, b.out, 2, 10, 3);
    expect(&b, b.out, 2, 109, 300);
    assert_int_equal(sent(&b, b.out), before + 408);
    MUST(proact_launch_buffer(
        testing_kernel(&b, "turns"),
        &(struct proact_grid){.ctas = {1}, .threads = {THREADS}, .device_count = 1},
        &(struct proact_parameter_buffer){&copies, 20, relocations, 2}, &b.err));
    assert_int_equal(sent(&b, other), before_other + 80);
    expect(&b, b.out, 0, N - 1, 0);
    proact_close(b.p);
}

/* A range that differs in every launch is given up: all of the array is fetched. */
static void ever_changing_ranges_are_given_up(void **state)
{
    (void)state;
    struct bench b = open_four(false);
    struct proact_kernel *k = testing_kernel(&b, "plain");
    static uint32_t zeros[N];
    uint64_t before = 0;

    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    for (uint32_t i = 0; i < 20; i++) {
        array_written(b.out, 0, 4 * N, 4);
        before = sent(&b, b.out);
        MUST(run_plain(&b, k, 4 * i, 1, 3, 1));
        if (i < 8)
            assert_int_equal(sent(&b, b.out), before + 4);
    }
    assert_int_equal(sent(&b, b.out), before + 4 * N);
    proact_close(b.p);
}

static void variables_are_on_every_device(void **state)
{
    (void)state;
    struct bench b = open_four(false);
    const struct proact_image image = {.name = "counter.ptx", .text = ptx};
    const struct proact_relocation relocation = {0, b.out, 0};
    const uint64_t nothing = 0;
    const uint32_t start = 100, bonus = 20;
    uint32_t is[4] = {0};
    struct proact_variable v;
    struct proact_kernel *k = NULL;

    MUST(proact_kernel_load(b.p, &image, "adds", &k, &b.err));
    MUST(proact_variable_find(b.p, &image, "counter", &v, &b.err));
    assert_int_equal(v.bytes, 16);
    assert_true(v.address[0] != v.address[3]);
    MUST(proact_variable_read(b.p, &v, 0, is, 16, &b.err));
    assert_int_equal(is[3], 10);
    MUST(proact_variable_write(b.p, &v, 4, &bonus, 4, &b.err));
    MUST(proact_device0_write(b.p, proact_array_address(b.out, 0), &start, 4, &b.err));
    MUST(proact_launch_buffer(
        k, &(struct proact_grid){.ctas = {1}},
        &(struct proact_parameter_buffer){&nothing, 8, &relocation, 1}, &b.err));
    MUST(proact_variable_read(b.p, &v, 0, is, 16, &b.err));
    assert_int_equal(is[0], 120);
    assert_int_equal(is[1], 20);
    MUST(proact_variables_reset(b.p, &b.err));
    MUST(proact_variable_read(b.p, &v, 0, is, 16, &b.err));
    assert_int_equal(is[0], 7);
    assert_int_equal(is[1], 8);
    REFUSED(proact_variable_find(b.p, &image, "nobody", &v, &b.err), PROACT_EINVAL,
            "nobody");
    REFUSED(proact_variable_write(b.p, &v, 13, &bonus, 4, &b.err), PROACT_EINVAL,
            "it has 16");
    proact_close(b.p);
}

static void events_measure_the_work_between_them(void **state)
{
    (void)state;
    struct bench b = open_four(false);
    struct proact_event *from, *to, *never;
    double ns = -1;

    MUST(proact_event_create(b.p, true, &from, &b.err));
    MUST(proact_event_create(b.p, true, &to, &b.err));
    MUST(proact_event_create(b.p, true, &never, &b.err));
    MUST(proact_event_record(from, &b.err));
    MUST(run_plain(&b, testing_kernel(&b, "plain"), 0, N, 1, 1));
    MUST(proact_event_record(to, &b.err));
    MUST(proact_event_elapsed(from, to, &ns, &b.err));
    assert_true(ns > 500 && ns < 1e6);
    REFUSED(proact_event_elapsed(from, never, &ns, &b.err), PROACT_EINVAL, "second");
    proact_event_destroy(to);
    proact_close(b.p); /* also destroys the remaining events */
}

static void errors_are_reported(void **state)
{
    (void)state;
    struct bench b = open_four(false);
    struct proact_kernel *k = testing_kernel(&b, "plain");
    const struct proact_kernel_info info = proact_kernel_describe(k);
    const struct view view = {0, N, 1};
    const struct proact_relocation outside = {12, b.out, 0};
    const struct proact_grid large = {.ctas = {1}, .threads = {2048}};

    assert_int_equal(info.parameter_count, 1);
    assert_int_equal(info.parameter_bytes, sizeof view);
    assert_int_equal(proact_device_describe(b.p).compute_capability, 70);
    REFUSED(proact_launch_buffer(
                k, &large, &(struct proact_parameter_buffer){&view, 12, NULL, 0}, &b.err),
            PROACT_EINVAL, "a parameter buffer of 12 bytes, its parameters have 16");
    REFUSED(proact_launch_buffer(
                k, &large,
                &(struct proact_parameter_buffer){&view, sizeof view, &outside, 1}, &b.err),
            PROACT_EINVAL, "at byte 12");
    REFUSED(proact_launch_buffer(
                k, &large, &(struct proact_parameter_buffer){&view, sizeof view, NULL, 0},
                &b.err),
            PROACT_EINVAL, "2048 x 1 x 1 threads");
    proact_close(b.p);
}

static void launch_split(struct bench *b, struct proact_kernel *k, uint32_t factor)
{
    if (run_plain(b, k, 0, N, factor, 4))
        fail_msg("%s", b->err.text);
}

/* Copies and fills run on the devices that have the data, so the result of a split launch
   is not gathered. */
static void devices_copy_and_fill_their_own_parts(void **state)
{
    (void)state;
    struct bench b = open_four(true);
    struct proact_array *other = testing_array(&b, "other");
    struct proact_kernel *k = testing_kernel(&b, "plain");
    const uint64_t to = proact_array_address(other, 0),
                   from = proact_array_address(b.out, 0);
    static uint32_t zeros[N];

    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_array_write(other, 0, zeros, N, &b.err));
    for (uint32_t n = 1; n < 5; n++) {
        launch_split(&b, k, n);
        MUST(proact_wait(b.p, &b.err));
        const uint64_t before = sent(&b, b.out);

        MUST(proact_device0_copy(b.p, to, from, (size_t)N * 4, &b.err));
        assert_int_equal(sent(&b, b.out), before);
        assert_int_equal(sent(&b, other), 0);
    }
    assert_in_range(other->validity_map.count, 4, 8);
    assert_int_equal(other->validity_map.piece[0].devices, 1);
    /* A range at a different offset. */
    MUST(proact_device0_copy(b.p, to + 8, from + 4, (size_t)N * 4 - 16, &b.err));
    assert_int_equal(sent(&b, other), 0);
    for (unsigned i = 2; i + 2 < N; i += 97)
        expect(&b, other, i % 4, i, 4 * i);
    expect(&b, other, 3, 1, 8);
    launch_split(&b, k, 7);
    const uint64_t before = sent(&b, b.out);

    MUST(proact_device0_fill(b.p, from + 40, 1, (size_t)N * 4 - 80, &b.err));
    for (unsigned d = 0; d < 4; d++)
        expect(&b, b.out, d, N / 2, 0x01010101);
    assert_int_equal(sent(&b, b.out), before);
    expect(&b, b.out, 0, 9, 70);
    expect(&b, b.out, 2, N - 1, 7 * N);
    proact_close(b.p);
}

/* Arrays that a kernel may write are fetched: it stores through one of two pointers. */
static void possibly_written_arrays_are_fetched(void **state)
{
    struct bench b = open_four(false);
    struct proact_array *other = testing_array(&b, "other");
    const struct proact_relocation relocations[] = {{0, b.out, 0}, {8, other, 0}};
    const struct {
        uint64_t one, other;
        uint32_t n, nothing;
    } block = {0, 0, N, 0};
    static const uint32_t zeros[N];

    (void)state;
    MUST(proact_array_write(b.out, 0, zeros, N, &b.err));
    MUST(proact_array_write(other, 0, zeros, N, &b.err));
    MUST(proact_launch_buffer(
        testing_kernel(&b, "either"),
        &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}, .device_count = 1},
        &(struct proact_parameter_buffer){&block, 20, relocations, 2}, &b.err));
    expect(&b, other, 3, 1, 2);
    expect(&b, b.out, 3, THREADS + 1, THREADS + 2);
    proact_close(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(possibly_written_arrays_are_fetched),
        cmocka_unit_test(a_single_device_launch_runs_on_device_0),
        cmocka_unit_test(rows_are_copied_within_device_0),
        cmocka_unit_test(a_broadcast_waits_for_its_peers),
        cmocka_unit_test(both_kinds_of_launch_mix),
        cmocka_unit_test(an_annotated_kernel_is_split),
        cmocka_unit_test(addresses_are_written_copied_and_filled),
        cmocka_unit_test(only_changed_arrays_are_broadcast),
        cmocka_unit_test(only_accessed_ranges_are_fetched),
        cmocka_unit_test(devices_copy_and_fill_their_own_parts),
        cmocka_unit_test(ever_changing_ranges_are_given_up),
        cmocka_unit_test(variables_are_on_every_device),
        cmocka_unit_test(events_measure_the_work_between_them),
        cmocka_unit_test(errors_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
