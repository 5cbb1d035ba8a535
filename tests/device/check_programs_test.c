/* SPDX-License-Identifier: Apache-2.0 */
/* Race checker and programs: what CUDA's documentation allows is no error, and a launch
   costs the same however many came before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/check/check.h"

#define BASE ((uint64_t)1 << 32)
enum { BYTES = 1 << 20, FAULT = 512 };

static const struct check_where twice = {
    .kernel = "twice", .line = 12, .cta = {3, 0, 0}, .thread = {5, 0, 0}};

static struct check *open_memory(void)
{
    struct check *c = check_create(BASE, BYTES, 1);
    char fault[FAULT];

    check_allocated(c, BASE, 64);
    assert_true(check_write(c, CHECK_HOST, BASE, 64, false, NULL, fault, FAULT));
    return c;
}

/* Copies keep uninitialized bytes as they are, and a lane's load may include some. */
static void copies_include_unwritten_bytes(void **state)
{
    struct check *c = check_create(BASE, BYTES, 1);
    char fault[FAULT];

    (void)state;
    check_allocated(c, BASE, 256);
    check_allocated(c, BASE + 4096, 256);
    assert_true(check_write(c, CHECK_HOST, BASE, 12, false, NULL, fault, FAULT));
    assert_true(check_write(c, CHECK_HOST, BASE + 4096, 64, false, NULL, fault, FAULT));
    assert_true(check_copy_out(c, CHECK_HOST, BASE, 256, fault, FAULT));
    assert_true(check_copy_replica(c, CHECK_HOST, BASE + 4096, BASE, 32, fault, FAULT));
    assert_true(check_read(c, CHECK_HOST, BASE + 4096, 16, false, &twice, fault, FAULT));
    assert_false(check_read(c, CHECK_HOST, BASE + 4112, 16, false, &twice, fault, FAULT));
    assert_non_null(strstr(fault, "byte 16 of the allocation at 0x100001000"));
    assert_true(check_read(c, CHECK_HOST, BASE + 4128, 32, false, &twice, fault, FAULT));
    check_destroy(c);
}

/* A plain load does not race with the atomics of its launch on a word that the launch
   changes by compare-and-swap. */
static void compare_and_swap_loops_do_not_race(void **state)
{
    struct check_where swaps = twice;

    (void)state;
    swaps.compares = true;
    for (int other_launch = 0; other_launch < 2; other_launch++)
        for (int reads_first = 0; reads_first < 2; reads_first++) {
            struct check *c = open_memory();
            uint32_t one = check_actor(c, "one", 0, CHECK_HOST);
            uint32_t two = check_actor(c, "two", 0, CHECK_HOST);
            char fault[FAULT];
            bool good = true;

            check_issued(c, one, 1);
            check_issued(c, two, 1 + (uint32_t)other_launch);
            if (reads_first)
                good = check_read(c, one, BASE, 8, false, &twice, fault, FAULT);
            good &= check_write(c, two, BASE, 8, true, &swaps, fault, FAULT);
            if (!reads_first)
                good = check_read(c, one, BASE, 8, false, &twice, fault, FAULT);
            assert_int_equal(good, !other_launch);
            assert_int_equal(check_write(c, one, BASE, 8, false, &twice, fault, FAULT),
                             other_launch && reads_first);
            check_destroy(c);
        }
}

/* A kernel of two CTAs of one warp that writes a word per CTA; returns the highest number
   of an actor. */
static uint32_t launch_pair(struct check *c, uint32_t stream, int launch)
{
    const uint32_t begun = check_actor(c, "a kernel", 0, stream);
    uint32_t cta[2], warp[2], highest = begun;
    char name[64], fault[512];

    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "launch %d, CTA %d", launch, i);
        cta[i] = check_actor(c, name, 0, begun);
        warp[i] = check_actor(c, name, 0, cta[i]);
        assert_true(
            check_write(c, warp[i], BASE + 4u * (unsigned)i, 4, false, NULL, fault, 512));
    }
    for (int i = 0; i < 2; i++) {
        check_gather(c, cta[i], &warp[i], 1);
        check_join(c, stream, cta[i]);
        highest = warp[i] > highest ? warp[i] : highest;
        check_ended(c, warp[i]);
        check_ended(c, cta[i]);
    }
    check_ended(c, begun);
    return highest;
}

/* The checker's work for a launch is independent of the number of launches before it: ended
   actors' numbers are used again, and only by those that know their accesses. */
static void numbers_are_used_again(void **state)
{
    struct check *c = open_memory();
    const uint32_t stream = check_actor(c, "a stream", 0, CHECK_HOST),
                   other = check_actor(c, "another stream", 0, CHECK_HOST);
    uint32_t highest = 0;
    char fault[512];

    (void)state;
    for (int launch = 0; launch < 500; launch++)
        highest = launch_pair(c, stream, launch);
    assert_in_range(highest, 1, 64);
    assert_false(check_read(c, other, BASE + 4, 4, false, NULL, fault, 512));
    assert_non_null(strstr(fault, "written by launch 499, CTA 1, without"));
    check_join(c, other, stream);
    assert_true(check_read(c, other, BASE + 4, 4, false, NULL, fault, 512));
    assert_true(check_write(c, stream, BASE, 4, false, NULL, fault, 512));
    check_join(c, stream, other);
    launch_pair(c, stream, 500);
    assert_false(check_read(c, other, BASE + 4, 4, false, NULL, fault, 512));
    assert_non_null(strstr(fault, "written by launch 500, CTA 1, without"));
    check_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_include_unwritten_bytes),
        cmocka_unit_test(compare_and_swap_loops_do_not_race),
        cmocka_unit_test(numbers_are_used_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
