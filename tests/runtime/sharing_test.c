/* SPDX-License-Identifier: Apache-2.0 */
/* Small kernels on emulated devices. Every method on any number of devices, with several
   chunk sizes and schedules, gives the result of one device bit for bit. Statistics add up,
   and failures are reported. `sharing_test seeds` runs all seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "runtime/sharing.h"

static const unsigned device_counts[] = {2, 3, 4, 8, 16};
static const uint64_t chunks[] = {4096, 8192, 1 << 20};
enum { DEVICE_COUNTS = 5, CHUNKS = 3 };

static unsigned char *truth(void)
{
    const struct sharing_run one = {.method = "bulk", .devices = 1, .check = true};
    struct sharing s;

    sharing_open(&s, &one);
    sharing_play(&s);
    unsigned char *all = sharing_content(&s, 0);

    sharing_close(&s);
    return all;
}

static void play_and_compare(const struct sharing_run *run, const unsigned char *wanted)
{
    struct sharing s;

    sharing_open(&s, run);
    sharing_play(&s);
    for (unsigned d = 0; d < run->devices; d++) {
        unsigned char *got = sharing_content(&s, d);

        for (size_t i = 0; i < SHARING_BYTES_ALL; i++)
            if (got[i] != wanted[i])
                fail_msg("%s: device %u, array %zu differs in byte %zu", s.title, d,
                         i / (4 * SHARING_COUNT), i % (4 * SHARING_COUNT));
        free(got);
    }
    sharing_close(&s);
}

static void all_methods_give_what_one_device_gives(void **state)
{
    unsigned char *wanted = truth();
    unsigned turn = 0;

    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++)
        for (unsigned d = 0; d < DEVICE_COUNTS; d++) {
            const struct sharing_run run = {.method = *m,
                                            .devices = device_counts[d],
                                            .chunk_bytes = chunks[turn % CHUNKS],
                                            .threads = turn % 2 ? 96 : 2048,
                                            .seed = turn + 1,
                                            .check = turn % 2};

            turn++;
            play_and_compare(&run, wanted);
        }
    free(wanted);
}

/* The seed, the number of devices and the chunk size vary together. */
static void any_schedule_gives_the_same(void **state)
{
    const char *const *argv = *state;
    unsigned seeds = argv[1] && !strcmp(argv[1], "seeds") ? 40 : 3;
    unsigned char *wanted = truth();

    for (uint64_t seed = 1; seed <= seeds; seed++)
        for (const char *const *m = proact_method_names(); *m; m++) {
            const struct sharing_run run = {.method = *m,
                                            .devices = device_counts[seed % DEVICE_COUNTS],
                                            .chunk_bytes = chunks[seed / 5 % CHUNKS],
                                            .threads = 32u << seed % 6,
                                            .seed = seed * 7919,
                                            .check = true};

            play_and_compare(&run, wanted);
        }
    free(wanted);
}

/* One step sends every byte once from its writer to every peer. */
static void statistics_add_up(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        const struct sharing_run run = {.method = *m, .devices = 4, .chunk_bytes = 4096};
        struct proact_statistics all, part, array, other, sum = {0};
        struct sharing s;

        sharing_open(&s, &run);
        sharing_must(&s, proact_wait(s.session, &s.err));
        proact_statistics_reset(s.session);
        sharing_must(
            &s, sharing_launch(&s, SHARING_STEP, (unsigned[]){0, 1}, 2, SHARING_COUNT));
        sharing_must(
            &s, proact_statistics_get(s.session, PROACT_ALL_DEVICES, NULL, &all, &s.err));
        sharing_must(&s, proact_statistics_get(s.session, PROACT_ALL_DEVICES, s.array[1],
                                               &array, &s.err));
        sharing_must(&s, proact_statistics_get(s.session, PROACT_ALL_DEVICES, s.array[0],
                                               &other, &s.err));
        for (unsigned d = 0; d < 4; d++) {
            sharing_must(&s, proact_statistics_get(s.session, d, NULL, &part, &s.err));
            sum.bytes += part.bytes;
            sum.packets += part.packets;
            sum.wire_bytes += part.wire_bytes;
            sum.chunks += part.chunks;
            assert_true(part.overlap_ns <= part.transfer_ns && part.kernel_ns > 0);
            assert_true(part.overlap_ns + part.exposed_ns <= part.transfer_ns + 1);
        }
        assert_int_equal(all.bytes, 3 * 4 * SHARING_COUNT);
        assert_int_equal(array.bytes, all.bytes);
        assert_int_equal(other.bytes, 0);
        assert_int_equal(sum.bytes, all.bytes);
        assert_int_equal(sum.packets, all.packets);
        assert_int_equal(sum.wire_bytes, all.wire_bytes);
        assert_int_equal(sum.chunks, all.chunks);
        assert_int_equal(array.chunks, all.chunks);
        assert_true(all.wire_bytes > all.bytes && all.packets >= all.bytes / 256);
        assert_true(all.transfer_ns > 0 && all.overlap_ns <= all.transfer_ns);
        assert_true(all.overlap_ns + all.exposed_ns <= all.transfer_ns + 1);
        sharing_close(&s);
    }
}

static void elided_transfers_send_nothing(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        const struct sharing_run run = {.method = *m, .devices = 3, .elide = true};
        struct proact_statistics all;
        struct sharing s;

        sharing_open(&s, &run);
        sharing_play(&s);
        sharing_must(
            &s, proact_statistics_get(s.session, PROACT_ALL_DEVICES, NULL, &all, &s.err));
        assert_int_equal(all.bytes, 0);
        sharing_close(&s);
    }
}

static enum proact_status forget(struct sharing *s, uint32_t forgets)
{
    const struct proact_grid grid = {.ctas = {SHARING_CTAS}, .threads = {SHARING_CTA}};
    const uint32_t n = SHARING_COUNT;
    const struct proact_arg args[] = {PROACT_ARRAY(s->array[1]), PROACT_VALUE(n),
                                      PROACT_VALUE(forgets)};

    sharing_must(s, proact_launch(s->kernel[SHARING_FORGET], &grid, args, 3, &s->err));
    return proact_wait(s->session, &s->err);
}

/* CTAs from 10 on are on all three devices, and the agent of each device gives up. */
static void an_agent_that_gives_up_names_the_writers(void **state)
{
    const struct sharing_run run = {
        .method = "polling", .devices = 3, .chunk_bytes = 4096, .wait_limit_ms = 0.5};
    struct sharing s;

    (void)state;
    sharing_open(&s, &run);
    assert_int_equal(forget(&s, 10), PROACT_ETIMEOUT);
    assert_string_equal(
        s.err.text,
        "array 'a': chunk 0 was not complete on device 0 within 0.5 ms: 6 of its writers "
        "did not finish, and its writers are CTA 0, 1, 2, 3, ... (16 in all)");
    assert_int_equal(forget(&s, SHARING_CTAS), PROACT_OK); /* the session stays usable */
    for (unsigned d = 0; d < 3; d++) {
        uint32_t got[SHARING_COUNT];

        sharing_must(
            &s, proact_array_read_replica(s.array[1], d, 0, got, SHARING_COUNT, &s.err));
        for (uint32_t i = 0; i < SHARING_COUNT; i++)
            assert_int_equal(got[i], i);
    }
    sharing_close(&s);
}

/* Copies are queued ahead on streams. The machine itself gives up after twice the
   time-out. */
static void a_copy_that_never_begins_names_the_writers(void **state)
{
    static const char *const methods[] = {"copy-engine", "relay"};

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const struct sharing_run run = {
            .method = methods[m], .devices = 3, .chunk_bytes = 4096, .wait_limit_ms = 0.5};
        struct sharing s;

        sharing_open(&s, &run);
        assert_int_equal(forget(&s, 10), PROACT_ETIMEOUT);
        assert_string_equal(
            s.err.text,
            "array 'a': chunk 0 was not complete on device 0 within 1 ms: 6 of its writers "
            "did not finish, and its writers are CTA 0, 1, 2, 3, ... (16 in all)");
        sharing_close(&s);
    }
}

static void a_map_that_is_too_small_is_named(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        const struct sharing_run run = {
            .method = *m, .devices = 3, .chunk_bytes = 4096, .check = true};
        struct sharing s;

        sharing_open(&s, &run);
        sharing_must(&s, sharing_launch(&s, SHARING_OUTSIDE, (unsigned[]){1}, 1, 2048));
        assert_int_not_equal(proact_wait(s.session, &s.err), PROACT_OK);
        if (!strstr(s.err.text, "'a'") || !strstr(s.err.text, "8192"))
            fail_msg("%s: %s", s.title, s.err.text);
        sharing_close(&s);
    }
}

static void a_fault_names_the_kernel(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); *m; m++) {
        const struct sharing_run run = {.method = *m, .devices = 2, .wait_limit_ms = 0.5};
        struct sharing s;

        sharing_open(&s, &run);
        const struct proact_grid grid = {.ctas = {SHARING_CTAS}, .threads = {SHARING_CTA}};
        const struct proact_arg arg = PROACT_ARRAY(s.array[0]);

        sharing_must(&s, proact_launch(s.kernel[SHARING_WILD], &grid, &arg, 1, &s.err));
        assert_int_equal(proact_wait(s.session, &s.err), PROACT_EFAULT);
        if (!strstr(s.err.text, "wild"))
            fail_msg("%s: %s", s.title, s.err.text);
        /* The failure persists. */
        assert_int_equal(proact_wait(s.session, &s.err), PROACT_EFAULT);
        sharing_close(&s);
    }
}

/* Two arrays of one name are distinct, and the remaining one is still checked. */
static void arrays_of_one_name_are_two(void **state)
{
    const struct sharing_run run = {.method = "bulk", .devices = 2, .check = true};
    const struct proact_shape shape = {"a", SHARING_COUNT, 4};
    struct proact_array *twin;
    struct sharing s;

    (void)state;
    sharing_open(&s, &run);
    sharing_must(&s, proact_array_create(s.session, &shape, &twin, &s.err));
    proact_array_destroy(twin);
    sharing_must(&s, sharing_launch(&s, SHARING_OUTSIDE, (unsigned[]){1}, 1, 2048));
    assert_int_not_equal(proact_wait(s.session, &s.err), PROACT_OK);
    if (!strstr(s.err.text, "'a'"))
        fail_msg("%s: %s", s.title, s.err.text);
    sharing_close(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_give_what_one_device_gives),
        cmocka_unit_test_prestate(any_schedule_gives_the_same, argv),
        cmocka_unit_test(statistics_add_up),
        cmocka_unit_test(elided_transfers_send_nothing),
        cmocka_unit_test(an_agent_that_gives_up_names_the_writers),
        cmocka_unit_test(a_copy_that_never_begins_names_the_writers),
        cmocka_unit_test(a_map_that_is_too_small_is_named),
        cmocka_unit_test(a_fault_names_the_kernel),
        cmocka_unit_test(arrays_of_one_name_are_two),
    };

    (void)argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
