/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks of the race checker: the same times as arrays of times, and a cost that is
   independent of the numbers of CTAs, streams and arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "device/emulator/check/check.h"
#include "device/emulator/check/check_clock.h"

#define BASE ((uint64_t)1 << 32)
enum { CLOCKS = 12, ACTORS = 700, STEPS = 8000, TIMES = 6, FAULT = 512 };

struct pair {
    struct check_clock *clock;
    uint64_t time[ACTORS]; /* what the clock should have */
};

static void pair_is_equal(const struct pair *p)
{
    for (uint32_t a = 0; a < ACTORS; a++)
        assert_int_equal(check_clock_time(p->clock, a), p->time[a]);
}

static bool pair_covers(const struct pair *p, const struct pair *other)
{
    for (uint32_t a = 0; a < ACTORS; a++)
        if (p->time[a] < other->time[a])
            return false;
    return true;
}

/* Raises a block of neighbours, whose times thus become equal or nearly so. */
static void pair_raise(struct check_clocks *all, struct pair *p, uint64_t *chance)
{
    const uint32_t range = random_below(chance, 4) ? 40 : ACTORS,
                   first = (uint32_t)random_below(chance, range),
                   count = 1 + (uint32_t)random_below(chance, 40);
    const uint64_t time = random_below(chance, TIMES);

    for (uint32_t a = first; a < first + count && a < range; a++) {
        check_clock_raise(all, &p->clock, a, time);
        p->time[a] = time > p->time[a] ? time : p->time[a];
    }
}

/* Random clocks equal arrays of times, also where they share nodes. */
static void clocks_have_the_times_of_arrays(void **state)
{
    static struct pair pair[CLOCKS];
    uint64_t visits = 0;
    struct check_clocks all = {.visits = &visits};
    uint64_t chance = 3;

    (void)state;
    for (int step = 0; step < STEPS; step++) {
        struct pair *p = &pair[random_below(&chance, CLOCKS)],
                    *other = &pair[random_below(&chance, CLOCKS)];
        const uint64_t what = random_below(&chance, 16);

        if (what < 6) {
            pair_raise(&all, p, &chance);
        } else if (what < 12) {
            check_clock_add(&all, &p->clock, other->clock);
            for (uint32_t a = 0; a < ACTORS; a++)
                if (p->time[a] < other->time[a])
                    p->time[a] = other->time[a];
        } else if (what < 15 && p != other) {
            check_clock_drop(&all, p->clock);
            *p = *other;
            check_clock_keep(p->clock);
        } else if (what == 15) {
            check_clock_clear(&all, &p->clock);
            *p = (struct pair){0};
        }
        pair_is_equal(p);
        pair_is_equal(other);
        if (check_clock_covers(&all, p->clock, other->clock))
            assert_true(pair_covers(p, other));
    }
    for (int i = 0; i < CLOCKS; i++) {
        pair_is_equal(&pair[i]);
        check_clock_drop(&all, pair[i].clock);
    }
    check_clocks_clear(&all);
}

struct cta {
    uint32_t group, warp[2]; /* group 0: none */
};

/* A CTA of two warps in a kernel: both store, meet, and one counts the CTA. */
static struct cta begin_cta(struct check *c, uint32_t begun, uint64_t store)
{
    struct cta cta = {.group = check_group(c, "a CTA", 0, begun)};
    char fault[FAULT];

    for (uint32_t i = 0; i < 2; i++) {
        cta.warp[i] = check_actor(c, "a warp", 0, cta.group);
        assert_true(
            check_write(c, cta.warp[i], store + 4 * i, 4, false, NULL, fault, FAULT));
        check_fence(c, cta.warp[i], EXECUTE_ACQ_REL, EXECUTE_GPU);
    }
    check_meet(c, cta.group, cta.warp, 2);
    check_strong(c, cta.warp[0], BASE, EXECUTE_ACQ_REL, EXECUTE_GPU, true, true);
    check_meet(c, cta.group, cta.warp, 2);
    return cta;
}

static void end_cta(struct check *c, uint32_t stream, struct cta *cta)
{
    if (!cta->group)
        return;
    check_gather(c, cta->group, cta->warp, 2);
    check_collect(c, stream, cta->group);
    check_ended(c, cta->group);
    for (uint32_t i = 0; i < 2; i++)
        check_ended(c, cta->warp[i]);
    *cta = (struct cta){0};
}

/* A kernel of `count` CTAs, which end in random order. */
static void run_kernel(struct check *c, uint32_t stream, uint32_t count, uint64_t *chance)
{
    const uint32_t begun = check_group(c, "a kernel", 0, stream);
    struct cta live[64] = {{0}};

    for (uint32_t i = 0; i < count; i++) {
        struct cta *place = &live[random_below(chance, 64)];

        end_cta(c, stream, place);
        *place = begin_cta(c, begun, BASE + 8 + 8 * (uint64_t)i);
    }
    for (int i = 0; i < 64; i++)
        end_cta(c, stream, &live[i]);
    check_ended(c, begun);
}

/* Visits of three launches of `count` CTAs that count themselves. */
static uint64_t visits_of_grid(uint32_t count)
{
    struct check *c = check_create(BASE, 1 << 20, 1);
    const uint32_t stream = check_actor(c, "a stream", 0, CHECK_HOST);
    uint64_t chance = 5;
    char fault[FAULT];

    check_allocated(c, BASE, 1 << 20);
    for (int launch = 0; launch < 3; launch++)
        run_kernel(c, stream, count, &chance);
    assert_true(check_read(c, stream, BASE + 8, 8 * count, false, NULL, fault, FAULT));
    const uint64_t visits = check_visits(c);

    check_destroy(c);
    return visits;
}

/* Visits of launches on 16 streams, each of which waits for the one before it. */
static uint64_t visits_of_streams(int rounds)
{
    struct check *c = check_create(BASE, 1 << 20, 1);
    uint32_t stream[16], event[16] = {0};
    uint64_t chance = 7;

    check_allocated(c, BASE, 1 << 20);
    for (int i = 0; i < 16; i++)
        stream[i] = check_actor(c, "a stream", 0, CHECK_HOST);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 16; i++) {
            if (event[(i + 15) % 16])
                check_join(c, stream[i], event[(i + 15) % 16]);
            run_kernel(c, stream[i], 8, &chance);
            if (event[i])
                check_ended(c, event[i]);
            event[i] = check_actor(c, "an event", 0, stream[i]);
        }
    const uint64_t visits = check_visits(c);

    check_destroy(c);
    return visits;
}

/* Visits of stores into `count` arrays. */
static uint64_t visits_of_arrays(uint64_t count)
{
    const struct check_where where = {.kernel = "twice", .line = 12};
    struct check *c = check_create(BASE, 4096 * count, 2);
    const uint32_t stream = check_actor(c, "a stream", 0, CHECK_HOST);
    char fault[FAULT], name[32];

    for (uint64_t i = 0; i < 2 * count; i++)
        check_allocated(c, BASE + 2048 * i, 1024);
    for (uint64_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "array %d", (int)i);
        check_replicas(c, &(struct device_replicas){
                              .name = name,
                              .bytes = 1024,
                              .base = {BASE + 2048 * i, BASE + 2048 * (count + i)}});
    }
    for (uint64_t i = 0; i < count; i++) {
        assert_true(
            check_write(c, stream, BASE + 2048 * i, 64, false, &where, fault, FAULT));
        assert_int_equal(check_stores(c, BASE + 2048 * (count + i)), 1);
        assert_false(check_current(c, BASE + 2048 * (count + i), 1024, fault, FAULT));
    }
    for (uint64_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "array %d", (int)i);
        check_replicas(c, &(struct device_replicas){.name = name});
        check_freed(c, BASE + 2048 * i, 1024);
        assert_int_equal(check_stores(c, BASE + 2048 * (count + i)), 0);
    }
    const uint64_t visits = check_visits(c);

    check_destroy(c);
    return visits;
}

/* Eight times the work costs at most eight times the visits, up to a logarithm. */
static void visits_are_linear(void **state)
{
    (void)state;
    assert_in_range(visits_of_grid(2000), 1, 14 * visits_of_grid(250));
    assert_in_range(visits_of_streams(80), 1, 14 * visits_of_streams(10));
    assert_in_range(visits_of_arrays(4000), 1, 14 * visits_of_arrays(500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_have_the_times_of_arrays),
        cmocka_unit_test(visits_are_linear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
