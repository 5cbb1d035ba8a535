/* SPDX-License-Identifier: Apache-2.0 */
/* Joint decision for the kernels of a program: the mode of one kernel changes the cost of
   others. */
#include "runtime/coupled_testing.h"
#include "runtime/objects/array.h"

/* `gains` has many CTAs and gains from all devices; `loses` has few and loses. `much` is
   the work: high or low. */
struct kind {
    const char *name;
    uint32_t ctas, much;
};
static const struct kind gains_much = {"steps", SWEPT / 256, 400},
                         gains = {"steps", SWEPT / 256, 200},
                         gains_little = {"steps", SWEPT / 256, 100},
                         loses = {"sweeps", SWEPT / 256 / EACH, EACH};

/* Repeats 100 times: one launch of `one`, then `others` launches of `other`. Each reads the
   other's output. split[] receives how many of the last 20 were split. */
static void settled(struct kind one, struct kind other, unsigned others, unsigned split[2])
{
    struct bench b = open_k40();
    struct proact_kernel *k[2] = {testing_kernel(&b, one.name),
                                  testing_kernel(&b, other.name)};
    struct proact_array *a[3];

    make_two(&b, a);
    a[2] = a[0];
    for (int n = 0; n < 100; n++) {
        const bool is_split = pass(&b, k[0], a, one.ctas, one.much);

        split[0] += is_split && n >= 80;
        for (unsigned i = 0; i < others; i++) {
            const bool too = pass(&b, k[1], a + 1, other.ctas, other.much);

            split[1] += too && n >= 80 && !i;
        }
    }
    proact_close(b.p);
}

/* The decision for two kernels depends on how often each is launched. Two equal kernels
   always get the same mode. */
static void kernels_are_decided_jointly(void **state)
{
    unsigned few[2] = {0, 0}, many[2] = {0, 0}, both[2] = {0, 0}, neither[2] = {0, 0},
             much[2] = {0, 0};

    (void)state;
    settled(gains, loses, 1, few);
    settled(gains, loses, 32, many);
    settled(gains_much, loses, 16, much);
    settled(gains_little, gains_little, 1, both);
    settled(loses, loses, 1, neither);
    assert_int_equal(few[0], 20);
    assert_int_equal(few[1], 20);
    assert_int_equal(many[0], 0);
    assert_in_range(many[1], 0, 2); /* a probe */
    assert_int_equal(much[0], 20);
    assert_int_equal(much[1], 20);
    assert_int_equal(both[0], 20);
    assert_int_equal(both[1], 20);
    assert_int_equal(neither[0], 0);
    assert_int_equal(neither[1], 0);
}

enum { DOTS = 1000, FIRST_DOT = 8, APART = 64 };

static bool dot(struct bench *b, struct proact_kernel *k, struct proact_array *out,
                uint32_t ctas, uint32_t each)
{
    const struct {
        uint64_t out;
        uint32_t n, each;
    } block = {1, DOTS, each};
    const struct proact_relocation relocation = {0, out, 0};

    if (proact_launch_buffer(
            k, &(struct proact_grid){.ctas = {ctas}, .threads = {64}},
            &(struct proact_parameter_buffer){&block, sizeof block, &relocation, 1},
            &b->err))
        fail_msg("%s", b->err.text);
    return !proact_kernel_refusal(k);
}

/* A single-device launch that stores to scattered words of other devices' data leaves the
   words between them unchanged. */
static void words_between_stores_are_kept(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *steps = testing_kernel(&b, "steps");
    struct proact_array *a[2];
    static uint32_t want[SWEPT], is[SWEPT];

    (void)state;
    make_two(&b, a);
    for (uint32_t turn = 0; turn < 2; turn++) { /* nothing is sent for the second launch */
        for (uint32_t n = 0; n < SWEPT; n++)
            want[n] = n + turn;
        if (proact_device0_write(b.p, proact_array_address(a[0], 0), want, sizeof want,
                                 &b.err))
            fail_msg("%s", b.err.text);
        assert_true(pass(&b, steps, a, SWEPT / 256, 0));
    }
    assert_false(dot(&b, testing_kernel(&b, "dots"), a[1], 1, 16));
    if (proact_device0_read(b.p, is, proact_array_address(a[1], 0), sizeof is, &b.err))
        fail_msg("%s", b.err.text);
    for (uint32_t k = 0; k < DOTS; k++)
        want[FIRST_DOT + APART * k] = k;
    assert_memory_equal(is, want, sizeof is);
    proact_close(b.p);
}

/* The recorded writer of an array is the kernel that wrote most of it, not the last one. */
static void the_largest_writer_is_recorded(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *steps = testing_kernel(&b, "steps");
    struct proact_array *a[2];

    (void)state;
    make_two(&b, a);
    assert_true(pass(&b, steps, a, SWEPT / 256, 0));
    const struct choice *wrote = a[1]->wrote;

    assert_non_null(wrote);
    assert_true(dot(&b, testing_kernel(&b, "dots"), a[1], 4, 4));
    assert_ptr_equal(a[1]->wrote, wrote);
    assert_true(pass(&b, testing_kernel(&b, "sweeps"), a, SWEPT / 256 / 4, 4));
    assert_ptr_not_equal(a[1]->wrote, wrote);
    proact_close(b.p);
}

/* Reads of a single-device probe do not enter the consumer prediction. */
static void probes_do_not_predict_consumers(void **state)
{
    struct bench b = testing_open(&(struct proact_options){
        .machine = PROACT_SOURCE "/tests/runtime/bus.json", .plan = {.method = "fused"}});
    struct proact_kernel *k[2] = {testing_kernel(&b, "steps"), testing_kernel(&b, "steps")};
    struct proact_array *a[3];
    uint64_t before = 0;

    (void)state;
    make_two(&b, a);
    a[2] = a[0];
    for (int n = 0; n < 12; n++) {
        struct proact_statistics s;

        for (int i = 0; i < 2; i++)
            assert_true(pass(&b, k[i], a + i, SWEPT / 256, 100) || n < 6);
        if (proact_wait(b.p, &b.err) ||
            proact_statistics_get(b.p, PROACT_ALL_DEVICES, NULL, &s, &b.err))
            fail_msg("%s", b.err.text);
        if (n > 6) /* the data that the probes left on one device is back */
            assert_int_equal(s.bytes, before);
        before = s.bytes;
    }
    proact_close(b.p);
}

/* The first launch of a program's kernel has no known readers and sends nothing. */
static void the_first_launch_sends_nothing(void **state)
{
    struct bench b = testing_open(&(struct proact_options){
        .machine = PROACT_SOURCE "/tests/runtime/bus.json", .plan = {.method = "fused"}});
    struct proact_kernel *k = testing_kernel(&b, "steps");
    struct proact_array *a[2];
    struct proact_statistics s;

    (void)state;
    make_two(&b, a);
    assert_true(pass(&b, k, a, SWEPT / 256, 100));
    if (proact_wait(b.p, &b.err) ||
        proact_statistics_get(b.p, PROACT_ALL_DEVICES, NULL, &s, &b.err))
        fail_msg("%s", b.err.text);
    assert_int_equal(s.bytes, 0);
    proact_close(b.p);
}

/* A split launch that pushes its output to a reader on device 0 takes longer. That is no
   cost of the split launch itself: the joint step finds that all split is faster, before
   any window is timed. Its result does not depend on the compiler of the kernels. */
static void pushes_to_one_device_are_joint_costs(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *k[2] = {testing_kernel(&b, gains_much.name),
                                  testing_kernel(&b, loses.name)};
    struct proact_array *a[3];
    unsigned on_one_device = 0;

    (void)state;
    make_two(&b, a);
    a[2] = a[0];
    for (int n = 0; n < 10; n++) {
        pass(&b, k[0], a, gains_much.ctas, gains_much.much);
        for (unsigned i = 0; i < 16; i++)
            on_one_device += !pass(&b, k[1], a + 1, loses.ctas, loses.much);
    }
    assert_true(on_one_device > 16); /* until the first kernel was timed */
    assert_int_equal(b.p->validation.next, 0);
    for (struct choice *c = b.p->choices; c; c = c->next_of_all)
        assert_true(choice_is_made(c) && c->settled);
    proact_close(b.p);
}

/* A kernel counts for four of its usual distances. */
static void absent_kernels_do_not_count(void **state)
{
    struct proact p = {.chosen = 1000};
    struct choice c = {.session = &p, .step = CHOICE_MADE, .chosen = 993, .apart = 2};

    (void)state;
    assert_true(choice_is_recent(&c));
    p.chosen++;
    assert_false(choice_is_recent(&c));
    c.apart = 3;
    assert_true(choice_is_recent(&c));
    c.is_stored = true;
    assert_false(choice_is_recent(&c));
    c.is_stored = false;
    c.step = CHOICE_READY;
    assert_false(choice_is_recent(&c));
    c.is_small = true; /* it has one label */
    assert_true(choice_is_recent(&c));
    assert_int_equal(choice_node(&c).label_count, 1);
}

static void launch_distance_is_a_running_mean(void **state)
{
    struct proact p = {.chosen = 1000};
    struct choice c = {.session = &p, .chosen = 1000, .apart = 1};

    (void)state;
    for (c.launches = 3; c.launches < 30; c.launches++) {
        p.chosen += 3;
        choice_launched(&c);
        assert_true(c.launches < 7 ? c.apart < 3 : c.apart > 2);
    }
    assert_true(c.apart > 3.8 && c.apart < 4);
    assert_int_equal(c.chosen, p.chosen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_decided_jointly),
        cmocka_unit_test(pushes_to_one_device_are_joint_costs),
        cmocka_unit_test(absent_kernels_do_not_count),
        cmocka_unit_test(launch_distance_is_a_running_mean),
        cmocka_unit_test(words_between_stores_are_kept),
        cmocka_unit_test(the_largest_writer_is_recorded),
        cmocka_unit_test(probes_do_not_predict_consumers),
        cmocka_unit_test(the_first_launch_sends_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
