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

static struct check *open_memory(void)
{
    struct check *c = check_create(BASE, BYTES, 1);
    char fault[FAULT];

    check_allocated(c, BASE, 64);
    assert_true(check_write(c, CHECK_HOST, BASE, 64, false, NULL, fault, FAULT));
    return c;
}

/* A kernel of two CTAs of one warp that writes a word per CTA; returns the highest number
   of an actor. */
static uint32_t launch_pair(struct check *c, uint32_t stream, int launch)
{
    const uint32_t begun = check_beginning(c, "a kernel", 0, stream);
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
        cmocka_unit_test(numbers_are_used_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
