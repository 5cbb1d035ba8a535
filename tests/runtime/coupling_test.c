/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of a program are chosen together: what one's way costs another counts. */
#include "runtime/coupled_testing.h"
#include "runtime/objects/array.h"

/* A kernel of many CTAs gains by all devices, one of few loses; much of the first, or none.
 */
struct kind {
    const char *name;
    uint32_t ctas, much;
};
static const struct kind gains = {"steps", SWEPT / 256, 400},
                         gains_little = {"steps", SWEPT / 256, 100},
                         loses = {"sweeps", SWEPT / 256 / EACH, EACH};

/* Of 100 times one launch of a kernel and so many of another, each of which reads what the
   other writes: how many of the last 20 times each was split. */
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

/* Each by itself would be split or not; together it depends on how many there are, and no
   single one of two that are alike goes the other's way. */
static void kernels_are_settled_together(void **state)
{
    unsigned few[2] = {0, 0}, many[2] = {0, 0}, both[2] = {0, 0}, neither[2] = {0, 0};

    (void)state;
    settled(gains, loses, 1, few);
    settled(gains, loses, 8, many);
    settled(gains_little, gains_little, 1, both);
    settled(loses, loses, 1, neither);
    assert_int_equal(few[0], 20);
    assert_int_equal(few[1], 20);
    assert_int_equal(many[0], 0);
    assert_in_range(many[1], 0, 2); /* a look */
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

/* A launch on one device that stores to many places of what the others hold: what lies
   between these stays as it was. */
static void what_lies_between_is_kept(void **state)
{
    struct bench b = open_k40();
    struct proact_kernel *steps = testing_kernel(&b, "steps");
    struct proact_array *a[2];
    static uint32_t want[SWEPT], is[SWEPT];

    (void)state;
    make_two(&b, a);
    for (uint32_t turn = 0; turn < 2; turn++) { /* the second is sent to nobody */
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

/* Who wrote most of an array, not who wrote last. */
static void who_wrote_most_wrote_it(void **state)
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
    assert_true(pass(&b, testing_kernel(&b, "sweeps"), a, SWEPT / 256 / EACH, EACH));
    assert_ptr_not_equal(a[1]->wrote, wrote);
    proact_close(b.p);
}

/* What a launch reads on one device only to be timed is not sent there from then on. */
static void a_look_foretells_nothing(void **state)
{
    struct bench b = testing_open(
        &(struct proact_options){.machine = "k40x4", .plan = {.method = "fused"}});
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
        if (n > 6) /* what the looks left on one device has come back */
            assert_int_equal(s.bytes, before);
        before = s.bytes;
    }
    proact_close(b.p);
}

/* A program's kernel whose readers are not known yet sends nothing; what it turns out to be
   read of, from then on. */
static void the_first_launch_sends_nothing(void **state)
{
    struct bench b = testing_open(
        &(struct proact_options){.machine = "k40x4", .plan = {.method = "fused"}});
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

static void rarer_ones_count_less(void **state)
{
    struct two *t = open_two(2, 2);

    (void)state;
    coupling_settle(&t->one);
    assert_true(t->one.settled && t->other.settled);
    t->one.apart = 16;
    coupling_settle(&t->one);
    assert_true(!t->one.settled && !t->other.settled);
    t->one.apart = 2;
    t->one.launches = 5; /* not yet: no single one is better the other way */
    coupling_choose(&t->one);
    assert_true(!t->one.settled && !t->other.settled);
    t->one.launches = 8;
    coupling_choose(&t->one);
    assert_true(t->one.settled && t->other.settled);
    close_two(t);
}

static void what_comes_no_more_does_not_count(void **state)
{
    struct two *t = open_two(2, 2);

    (void)state;
    t->other.settled = false;
    t->p.chosen += 7;
    coupling_choose(&t->one);
    assert_false(t->one.settled);
    t->p.chosen++; /* four times what it was apart */
    coupling_choose(&t->one);
    assert_true(t->one.settled);
    close_two(t);
}

/* A copy takes 10 us before the first byte. */
static void few_bytes_take_their_time(void **state)
{
    struct two *t = open_two(1, 1);

    (void)state;
    t->other.settled = false;
    t->one.whole_ns = 55000;
    coupling_note(&t->one, &t->other, false, 1);
    coupling_note(&t->other, &t->one, true, 0);
    coupling_choose(&t->one);
    assert_false(t->one.settled);
    t->one.whole_ns = 65000;
    coupling_choose(&t->one);
    assert_true(t->one.settled);
    close_two(t);
}

/* What is written once and read ten times is brought once; and what the first device lacks
   comes while the writer runs, as long as that does. */
static void what_is_fetched_is_counted_once(void **state)
{
    struct two *t = open_two(1, 10);

    (void)state;
    t->other.settled = false;
    t->one.whole_ns = 50000 + 49000;
    coupling_choose(&t->one);
    assert_false(t->one.settled);
    t->one.whole_ns = 50000 + 110000; /* 50 for what it reads, 50 for what it writes */
    coupling_choose(&t->one);
    assert_true(t->one.settled);
    close_two(t);
    t = open_two(1, 1);
    t->one.settled = true;
    t->other.split_ns = 40000;
    coupling_note(&t->other, &t->one, true, 50000); /* as long as that runs */
    coupling_note(&t->one, &t->other, false, 0);
    coupling_choose(&t->other);
    assert_false(t->other.settled);
    close_two(t);
}

static void how_often_they_come_is_a_mean(void **state)
{
    struct two *t = open_two(1, 1);

    (void)state;
    for (t->one.launches = 3; t->one.launches < 30; t->one.launches++) {
        t->p.chosen += 3;
        coupling_launched(&t->one);
        assert_true(t->one.launches < 7 ? t->one.apart < 3 : t->one.apart > 2);
    }
    assert_true(t->one.apart > 3.8 && t->one.apart < 4);
    assert_int_equal(t->one.chosen, t->p.chosen);
    close_two(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_settled_together),
        cmocka_unit_test(rarer_ones_count_less),
        cmocka_unit_test(what_comes_no_more_does_not_count),
        cmocka_unit_test(few_bytes_take_their_time),
        cmocka_unit_test(what_is_fetched_is_counted_once),
        cmocka_unit_test(how_often_they_come_is_a_mean),
        cmocka_unit_test(what_lies_between_is_kept),
        cmocka_unit_test(who_wrote_most_wrote_it),
        cmocka_unit_test(a_look_foretells_nothing),
        cmocka_unit_test(the_first_launch_sends_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
