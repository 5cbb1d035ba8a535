/* SPDX-License-Identifier: Apache-2.0 */
/* The transition cache of an array, compared with a plain validity map that applies every
   change. A cached transition gives the computed result, whatever happens in between. */
#include "runtime/objects/array.h"
#include "runtime/validity/missing.h"
#include "runtime/validity/transition_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/random.h"

enum { PIECES = 300, PIECE = 16, BYTES = PIECES * PIECE, WAYS = 12 };

/* A change: every second piece from some piece on is set, or added, for some devices. */
struct way {
    struct validity_range range[PIECES];
    size_t count;
    uint32_t devices;
    bool sets;
};

struct rig {
    struct proact_array array;
    struct validity_map plain;
    struct way way[WAYS];
    uint64_t random;
    unsigned known; /* transitions found in the cache */
};

static void open_rig(struct rig *r, uint64_t seed)
{
    *r = (struct rig){.random = seed};
    validity_init(&r->array.validity_map, BYTES, 1);
    validity_init(&r->plain, BYTES, 1);
    for (unsigned n = 0; n < WAYS; n++) {
        struct way *w = &r->way[n];
        const uint64_t from = random_below(&r->random, PIECES / 2), step = 2 + n % 3;

        w->devices = 1 + (uint32_t)random_below(&r->random, 15);
        w->sets = n % 4 == 0;
        for (uint64_t at = from; at < PIECES - 1; at += step)
            w->range[w->count++] = (struct validity_range){at * PIECE, (at + 1) * PIECE};
    }
}

static void close_rig(struct rig *r)
{
    transition_cache_destroy(&r->array);
    assert_null(r->array.steps);
    validity_clear(&r->array.validity_map);
    validity_clear(&r->plain);
}

static void go(struct validity_map *h, const struct way *w)
{
    (w->sets ? validity_set_ranges : validity_add_ranges)(h, w->range, w->count,
                                                          w->devices);
}

static void same(const struct rig *r)
{
    const struct validity_map *h = &r->array.validity_map, *plain = &r->plain;

    assert_int_equal(h->count, plain->count);
    for (size_t n = 0; n < h->count; n++) {
        assert_int_equal(h->piece[n].end, plain->piece[n].end);
        assert_int_equal(h->piece[n].devices, plain->piece[n].devices);
    }
    for (uint32_t d = 1; d < 16; d++)
        assert_int_equal(validity_everywhere(h, d), validity_everywhere(plain, d));
}

static void take(struct rig *r, unsigned number)
{
    const struct way *w = &r->way[number];
    const struct transition_key key = {number / 2 + 1, number % 2};
    const struct transition *known = transition_find(&r->array, key);
    struct missing_ranges l = {.bytes = number};

    go(&r->plain, w);
    if (!transitions_are_worthwhile(&r->array, PIECES)) {
        go(&r->array.validity_map, w);
    } else if (known) {
        assert_int_equal(transition_missing(known)->bytes, number);
        transition_apply(&r->array, known);
        r->known++;
    } else {
        transition_begin(&r->array);
        go(&r->array.validity_map, w);
        transition_end(&r->array, key, &l);
    }
    same(r);
}

/* A repeated sequence is computed once, also after an unrelated change of the array and
   while another array shares an interned map. */
static void a_loop_is_cached(void **state)
{
    struct rig rig, *r = &rig;

    (void)state;
    open_rig(r, 3);
    for (int round = 0; round < 5; round++) {
        r->known = 0;
        validity_set(&r->array.validity_map, 0, BYTES, 3);
        validity_set(&r->plain, 0, BYTES, 3);
        for (unsigned n = 0; n < WAYS; n++)
            take(r, n);
        assert_int_equal(r->known, round ? WAYS : 0);
        assert_non_null(r->array.validity_map.value);
    }
    struct validity_map copy = {0};

    validity_copy(&copy, &r->array.validity_map);
    validity_set(&copy, 0, PIECE, 8); /* gets its own ranges */
    same(r);
    validity_clear(&copy);
    close_rig(r);
}

/* More maps than the cache holds: all are dropped and computed again. */
static void a_full_cache_is_rebuilt(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct rig rig, *r = &rig;

        open_rig(r, seed);
        for (int n = 0; n < 3000; n++) {
            const uint64_t first = random_below(&r->random, BYTES),
                           end = first + random_below(&r->random, BYTES - first);

            take(r, (unsigned)random_below(&r->random, WAYS));
            if (random_below(&r->random, 4))
                continue;
            validity_set(&r->array.validity_map, first, end, 5);
            validity_set(&r->plain, first, end, 5);
            same(r);
        }
        close_rig(r);
    }
}

/* Caching is suspended while transitions do not repeat, and retried later. */
static void fruitless_caching_is_suspended(void **state)
{
    struct rig rig, *r = &rig;
    unsigned worth = 0;

    (void)state;
    open_rig(r, 1);
    for (unsigned n = 0; n < 2000; n++) {
        const uint64_t at = n % PIECES * PIECE, size = 1 + n / PIECES;

        validity_set(&r->array.validity_map, at, at + size, 5);
        validity_set(&r->plain, at, at + size, 5);
        worth += transitions_are_worthwhile(&r->array, PIECES);
        take(r, n % WAYS);
    }
    assert_in_range(worth, 50, 1500);
    close_rig(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_is_cached),
        cmocka_unit_test(a_full_cache_is_rebuilt),
        cmocka_unit_test(fruitless_caching_is_suspended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
