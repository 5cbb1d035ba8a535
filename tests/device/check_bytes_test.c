/* SPDX-License-Identifier: Apache-2.0 */
/* Per-byte state of the race checker: never-written bytes, stale replicas, partially
   overlapping accesses, and names. Random accesses are compared with a plain model that
   keeps one full vector clock per byte and reader. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/emulator/check/check.h"

#define BASE ((uint64_t)1 << 32)
enum { BYTES = 1 << 24, FAULT = 512 };

static const struct check_where twice = {
    .kernel = "twice", .line = 12, .cta = {3, 0, 0}, .thread = {5, 0, 0}};

static struct check *open_with(unsigned devices, uint64_t bytes)
{
    struct check *c = check_create(BASE, BYTES, devices);
    char fault[FAULT];

    check_allocated(c, BASE, bytes);
    assert_true(check_write(c, CHECK_HOST, BASE, bytes, false, NULL, fault, FAULT));
    return c;
}

static void a_message_names_both_accesses(void **state)
{
    struct check *c = open_with(1, 8192);
    uint32_t one = check_actor(c, "kernel half, CTA (1,0,0), warp 0", 0, CHECK_HOST);
    uint32_t two = check_actor(c, "kernel twice, CTA (3,0,0), warp 0", 0, CHECK_HOST);
    struct check_where half = {.kernel = "half", .line = 33};
    char fault[FAULT];

    (void)state;
    assert_true(check_write(c, one, BASE + 4096, 128, false, &half, fault, FAULT));
    assert_true(check_read(c, two, BASE + 4000, 96, false, &twice, fault, FAULT));
    assert_false(check_read(c, two, BASE + 4032, 128, false, &twice, fault, FAULT));
    assert_string_equal(
        fault,
        "race: kernel 'twice', PTX line 12, CTA (3,0,0), thread (5,0,0) reads byte 4096 of "
        "the allocation at 0x100000000, written by kernel half, CTA (1,0,0), warp 0, "
        "PTX line 33, without an order between them (missing fence, barrier or wait)");
    check_destroy(c);
}

static void bytes_never_written_are_refused(void **state)
{
    struct check *c = check_create(BASE, BYTES, 1);
    char fault[FAULT];

    (void)state;
    check_allocated(c, BASE + 512, 1000);
    check_allocated(c, BASE + 2048, 4096);
    assert_true(check_write(c, CHECK_HOST, BASE + 512, 999, false, NULL, fault, FAULT));
    assert_true(check_read(c, CHECK_HOST, BASE + 512, 999, false, NULL, fault, FAULT));
    assert_false(check_read(c, CHECK_HOST, BASE + 512, 1000, false, NULL, fault, FAULT));
    assert_string_equal(fault, "the host reads byte 999 of the allocation at 0x100000200, "
                               "which was never written");
    assert_false(check_read(c, CHECK_HOST, BASE + 2048, 4, true, &twice, fault, FAULT));
    assert_non_null(strstr(fault, "thread (5,0,0) reads byte 0 of the allocation"));
    check_destroy(c);
}

/* A warp's access is checked as one range. If that fails, it is repeated lane by lane. */
static void the_racing_lane_is_found(void **state)
{
    struct check *c = open_with(1, 4096);
    uint32_t one = check_actor(c, "one", 0, CHECK_HOST);
    uint32_t two = check_actor(c, "two", 0, CHECK_HOST);
    char fault[FAULT];

    (void)state;
    assert_true(check_write(c, one, BASE + 128 + 4 * 9, 8, false, NULL, fault, FAULT));
    for (int writes = 0; writes < 2; writes++) {
        bool (*check)(struct check *, uint32_t, uint64_t, uint64_t, bool,
                      const struct check_where *, char *, size_t) =
            writes ? check_write : check_read;

        assert_false(check(c, two, BASE + 128, 128, false, NULL, fault, FAULT));
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(
                check(c, two, BASE + 128 + 4 * lane, 4, false, NULL, fault, FAULT),
                lane != 9 && lane != 10);
    }
    check_destroy(c);
}

static void reallocated_memory_is_unwritten(void **state)
{
    struct check *c = open_with(1, 3 * 4096 + 100);
    char fault[FAULT];

    (void)state;
    check_freed(c, BASE, 3 * 4096 + 100);
    check_allocated(c, BASE + 50, 2 * 4096);
    assert_false(check_read(c, CHECK_HOST, BASE + 50, 4, false, NULL, fault, FAULT));
    assert_non_null(strstr(fault, "byte 0 of the allocation at 0x100000032"));
    assert_false(check_read(c, CHECK_HOST, BASE + 5000, 4, false, NULL, fault, FAULT));
    check_quiesce(c);
    assert_false(check_read(c, CHECK_HOST, BASE + 5000, 4, false, NULL, fault, FAULT));
    check_destroy(c);
}

static void strong_accesses_do_not_race(void **state)
{
    struct check *c = open_with(1, 64);
    uint32_t one = check_actor(c, "one", 0, CHECK_HOST);
    uint32_t two = check_actor(c, "two", 0, CHECK_HOST);
    char fault[FAULT];

    (void)state;
    assert_true(check_write(c, one, BASE, 4, true, NULL, fault, FAULT));
    assert_true(check_read(c, two, BASE, 4, true, NULL, fault, FAULT));
    assert_true(check_write(c, two, BASE, 4, true, NULL, fault, FAULT));
    assert_true(check_read(c, one, BASE, 4, true, NULL, fault, FAULT));
    assert_false(check_read(c, one, BASE, 4, false, NULL, fault, FAULT));
    assert_true(check_read(c, two, BASE, 4, false, NULL, fault, FAULT));
    assert_false(check_write(c, one, BASE, 4, true, NULL, fault, FAULT));
    assert_non_null(strstr(fault, "read by two"));
    check_destroy(c);
}

/* A store of `value` with 4 or 8 bytes, at the source line `where`. */
static bool stores(struct check *c, uint32_t actor, uint64_t address, uint64_t value,
                   uint64_t bytes, char *fault)
{
    return check_store(c, actor, address, bytes, (const unsigned char *)&value, &twice,
                       fault, FAULT);
}

/* Equal stores of one launch do not race. A reader, or a store of another value, must be
   ordered after all of them. */
static void equal_stores_do_not_race(void **state)
{
    struct check *c = open_with(1, 4096);
    uint32_t launch = check_actor(c, "a launch", 0, CHECK_HOST), w[4];
    char fault[FAULT];

    (void)state;
    for (int i = 0; i < 4; i++)
        w[i] = check_actor(c, i == 1 ? "the second" : "a warp", 0, launch);
    assert_true(stores(c, w[0], BASE, 1, 4, fault));
    assert_true(stores(c, w[1], BASE, 1, 4, fault));
    assert_false(stores(c, w[2], BASE, 2, 4, fault));
    assert_non_null(strstr(fault, "written by the second"));
    assert_false(check_read(c, w[2], BASE, 4, false, &twice, fault, FAULT));
    check_join(c, w[2], w[1]); /* not ordered after the first store */
    assert_false(check_read(c, w[2], BASE, 4, false, &twice, fault, FAULT));
    assert_non_null(strstr(fault, "written by a warp"));
    assert_false(stores(c, w[2], BASE, 2, 4, fault));
    check_join(c, w[2], w[0]);
    assert_true(check_read(c, w[2], BASE, 4, false, &twice, fault, FAULT));
    assert_true(stores(c, w[2], BASE, 2, 4, fault));
    /* Stores of parts do not race either. */
    assert_true(stores(c, w[0], BASE + 64, 0x100000001, 8, fault));
    assert_true(stores(c, w[1], BASE + 68, 1, 4, fault));
    assert_false(stores(c, w[3], BASE + 64, 0x200000001, 8, fault));
    assert_non_null(strstr(fault, "byte 68 "));
    assert_false(check_read(c, w[3], BASE + 64, 4, false, &twice, fault, FAULT));
    /* Nor does a store of a value that is already present, from another device. */
    static const unsigned char one[4] = {1};

    assert_true(stores(c, w[0], BASE + 128, 1, 4, fault));
    assert_true(check_store_again(c, w[1], BASE + 128, 4, one, &twice, fault, FAULT));
    assert_true(stores(c, w[0], BASE + 128, 1, 4, fault));
    assert_false(stores(c, w[0], BASE + 128, 2, 4, fault));
    assert_false(check_read(c, w[3], BASE + 128, 4, false, &twice, fault, FAULT));
    check_destroy(c);
}

/* A copy, an atomic or a store of another launch races even with an equal value. An earlier
   read still races. */
static void different_writes_race(void **state)
{
    struct check *c = open_with(1, 4096);
    uint32_t launch = check_actor(c, "a launch", 0, CHECK_HOST);
    uint32_t other = check_actor(c, "another launch", 0, CHECK_HOST), w[2], late;
    char fault[FAULT];

    (void)state;
    check_issued(c, other, 1);
    for (int i = 0; i < 2; i++)
        w[i] = check_actor(c, "a warp", 0, launch);
    late = check_actor(c, "a warp", 0, other);
    assert_true(stores(c, w[0], BASE, 1, 4, fault));
    assert_false(stores(c, late, BASE, 1, 4, fault));
    assert_false(check_write(c, w[1], BASE, 4, false, &twice, fault, FAULT));
    assert_false(check_write(c, w[1], BASE, 4, true, &twice, fault, FAULT));
    assert_true(check_write(c, w[0], BASE + 4, 4, true, &twice, fault, FAULT));
    assert_false(stores(c, w[1], BASE + 4, 0, 4, fault));
    assert_true(stores(c, w[0], BASE + 8, 1, 4, fault));
    assert_true(check_read(c, w[0], BASE + 8, 4, false, &twice, fault, FAULT));
    assert_false(stores(c, w[1], BASE + 8, 1, 4, fault));
    assert_non_null(strstr(fault, "read by a warp"));
    check_destroy(c);
}

/* A CTA writes the last byte of a chunk after the agent sent that chunk. */
static void an_early_chunk_is_refused(void **state)
{
    struct check *c = open_with(2, 8192);
    uint32_t writer = check_actor(c, "kernel twice, CTA (3,0,0), warp 0", 0, CHECK_HOST);
    uint32_t agent = check_actor(c, "kernel agent, CTA (0,0,0), warp 0", 0, CHECK_HOST);
    char fault[FAULT];

    (void)state;
    assert_true(check_write(c, writer, BASE, 4095, false, &twice, fault, FAULT));
    check_strong(c, writer, BASE + 4096, EXECUTE_RELEASE, EXECUTE_GPU, false, true);
    check_strong(c, agent, BASE + 4096, EXECUTE_ACQUIRE, EXECUTE_GPU, true, false);
    assert_true(check_read(c, agent, BASE, 4096, false, NULL, fault, FAULT));
    assert_false(check_write(c, writer, BASE + 4095, 1, false, &twice, fault, FAULT));
    assert_non_null(strstr(fault, "writes byte 4095"));
    assert_non_null(strstr(fault, "read by kernel agent"));
    check_destroy(c);
}

enum { PART = 65536 };
static const struct device_replicas ranks = {
    .name = "ranks", .bytes = PART, .base = {BASE, BASE + PART, BASE + 2 * PART}};

static struct check *open_with_replicas(uint32_t stream[3])
{
    struct check *c = open_with(3, 3 * PART);

    check_replicas(c, &ranks);
    for (unsigned d = 0; d < 3; d++)
        stream[d] = check_actor(c, "a stream", d, CHECK_HOST);
    return c;
}

static void a_lost_chunk_is_found(void **state)
{
    uint32_t stream[3];
    struct check *c = open_with_replicas(stream);
    char fault[FAULT];

    (void)state;
    assert_true(check_write(c, stream[0], BASE + 4096, 4096, false, &twice, fault, FAULT));
    assert_true(
        check_write(c, stream[0], BASE + PART + 4096, 4096, false, &twice, fault, FAULT));
    assert_true(
        check_write(c, stream[0], BASE + 2 * PART + 4096, 4092, false, NULL, fault, FAULT));
    check_quiesce(c);
    assert_false(
        check_read(c, CHECK_HOST, BASE + 2 * PART, 3 * 4096, false, NULL, fault, FAULT));
    assert_string_equal(fault,
                        "the host reads byte 8188 of array 'ranks' on device 2 before "
                        "it was sent by device 0 (kernel 'twice', PTX line 12)");
    assert_true(check_read(c, CHECK_HOST, BASE, 2 * PART, false, NULL, fault, FAULT));
    assert_true(
        check_write(c, CHECK_HOST, BASE + 2 * PART + 8000, 192, false, NULL, fault, FAULT));
    assert_true(
        check_read(c, CHECK_HOST, BASE + 2 * PART + 4096, 4096, false, NULL, fault, FAULT));
    check_destroy(c);
}

/* A device may read its stale replica until it learns of another device's store. */
static void a_stale_byte_may_be_read_before_its_store_is_known(void **state)
{
    uint32_t stream[3];
    struct check *c = open_with_replicas(stream);
    char fault[FAULT];

    (void)state;
    assert_true(check_write(c, stream[0], BASE, 4, false, &twice, fault, FAULT));
    assert_true(check_read(c, stream[1], BASE + PART, 4, false, &twice, fault, FAULT));
    check_join(c, stream[1], stream[0]);
    assert_false(check_read(c, stream[1], BASE + PART, 4, false, &twice, fault, FAULT));
    assert_true(check_read(c, stream[1], BASE + PART + 4, 4, false, &twice, fault, FAULT));
    check_destroy(c);
}

/* An access by the host is ordered after all operations that the host queued. */
static void the_host_comes_last(void **state)
{
    uint32_t stream[3];
    struct check *c = open_with_replicas(stream);
    char fault[FAULT];

    (void)state;
    check_issued(c, stream[0], 7);
    check_issued(c, stream[1], 6);
    assert_true(check_write(c, stream[0], BASE, 4, false, &twice, fault, FAULT));
    check_join(c, stream[1], stream[0]);
    assert_true(check_read(c, stream[1], BASE + PART, 4, false, &twice, fault, FAULT));
    check_quiesce(c);
    assert_false(check_read(c, CHECK_HOST, BASE + PART, 4, false, NULL, fault, FAULT));
    check_destroy(c);
}

/* A store of the value that is already present. */
static bool check_rewrite(struct check *c, uint32_t actor, uint64_t address, uint64_t bytes,
                          const struct check_where *where, char *fault, size_t fault_bytes)
{
    static const unsigned char value[8];

    return check_store_again(c, actor, address, bytes, value, where, fault, fault_bytes);
}

/* A transfer of unchanged bytes does not race with reads on the receiver. Stores on the
   receiver must be ordered with it. */
static void unchanged_transfers_race_with_stores_only(void **state)
{
    uint32_t stream[3];
    struct check *c = open_with_replicas(stream);
    const uint64_t there = BASE + PART;
    char fault[FAULT];

    (void)state;
    assert_true(check_read(c, stream[1], there, 4, false, &twice, fault, FAULT));
    assert_true(check_rewrite(c, stream[0], there, 8, &twice, fault, FAULT));
    assert_true(check_read(c, stream[1], there, 8, false, &twice, fault, FAULT));
    assert_false(check_write(c, stream[1], there, 4, false, &twice, fault, FAULT));
    assert_true(check_write(c, stream[1], there + 8, 4, false, &twice, fault, FAULT));
    assert_false(check_rewrite(c, stream[0], there + 8, 4, &twice, fault, FAULT));
    /* After another device's store, the transfer is a change. */
    assert_true(check_write(c, stream[0], BASE + 64, 4, false, &twice, fault, FAULT));
    assert_true(check_read(c, stream[1], there + 64, 4, false, &twice, fault, FAULT));
    assert_false(check_rewrite(c, stream[0], there + 64, 4, &twice, fault, FAULT));
    check_destroy(c);
}

/* The same for a copy of unchanged bytes. */
static void unchanged_copies_race_with_stores_only(void **state)
{
    uint32_t stream[3];
    struct check *c = open_with_replicas(stream);
    const uint64_t there = BASE + PART;
    char fault[FAULT];

    (void)state;
    assert_true(check_write(c, stream[0], BASE, 4, false, &twice, fault, FAULT));
    assert_true(check_copy_replica(c, stream[0], there, BASE, 8, fault, FAULT));
    check_join(c, stream[1], stream[0]);
    assert_true(check_read(c, stream[1], there, 8, false, &twice, fault, FAULT));
    assert_true(check_copy_replica(c, stream[0], there, BASE, 8, fault, FAULT));
    assert_false(check_write(c, stream[1], there, 4, false, &twice, fault, FAULT));
    check_destroy(c);
}

/* Host writes reach the replicas one after another and make no other replica stale. */
static void host_writes_need_no_transfer(void **state)
{
    uint32_t stream[3];
    struct check *c = open_with_replicas(stream);
    char fault[FAULT];

    (void)state;
    for (unsigned d = 0; d < 3; d++)
        assert_true(
            check_write(c, stream[d], BASE + d * PART, PART, false, NULL, fault, FAULT));
    check_quiesce(c);
    assert_true(check_read(c, stream[0], BASE, PART, false, NULL, fault, FAULT));
    check_replicas(c, &(struct device_replicas){.name = "ranks"});
    assert_true(check_write(c, stream[1], BASE + PART, 8, false, &twice, fault, FAULT));
    check_quiesce(c);
    assert_true(check_read(c, stream[0], BASE, 8, false, NULL, fault, FAULT));
    check_destroy(c);
}

/* The plain model. */
enum { ACTORS = 5, SPAN = 3 * 4096, STEPS = 60000 };
struct model {
    uint32_t known[ACTORS][ACTORS], writer[SPAN], written[SPAN], read[SPAN][ACTORS];
};

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % below);
}

/* 0: must pass; 1: must be refused; 2: may pass, because a byte has more than two
   readers. */
static int model_verdict(const struct model *m, uint32_t actor, uint32_t at, uint32_t bytes,
                         bool writes)
{
    int verdict = 0;

    for (uint32_t b = at; b < at + bytes; b++) {
        int readers = 0, early = 0;

        if (m->known[actor][m->writer[b]] < m->written[b])
            return 1;
        for (uint32_t r = 0; writes && r < ACTORS; r++) {
            readers += m->read[b][r] != 0;
            early += m->known[actor][r] < m->read[b][r];
        }
        if (early && readers <= 2)
            return 1;
        if (early)
            verdict = 2;
    }
    return verdict;
}

static void model_access(struct model *m, uint32_t actor, uint32_t at, uint32_t bytes,
                         bool writes)
{
    for (uint32_t b = at; b < at + bytes; b++)
        if (writes) {
            memset(m->read[b], 0, sizeof m->read[b]);
            m->writer[b] = actor;
            m->written[b] = m->known[actor][actor];
        } else {
            m->read[b][actor] = m->known[actor][actor];
        }
}

static void model_join(struct model *m, uint32_t into, uint32_t from)
{
    for (int i = 0; i < ACTORS; i++)
        if (m->known[into][i] < m->known[from][i])
            m->known[into][i] = m->known[from][i];
    m->known[from][from]++;
}

static void begin_again(struct model *m, struct check *c, uint32_t *actor)
{
    memset(m, 0, sizeof *m);
    check_quiesce(c);
    for (uint32_t i = 0; i < ACTORS; i++) {
        actor[i] = check_actor(c, "an actor", i % 3, CHECK_HOST);
        m->known[i][i] = 1;
    }
}

static void the_plain_model_agrees(void **state)
{
    static const uint32_t sizes[] = {1, 2, 4, 4, 8, 16, 128, 200, 4096};
    struct model *m = calloc(1, sizeof *m);
    struct check *c = open_with(3, SPAN);
    uint32_t actor[ACTORS], refused = 0;
    uint64_t seed = 1;
    char fault[FAULT];

    (void)state;
    begin_again(m, c, actor);
    for (int step = 0; step < STEPS; step++) {
        uint32_t one = draw(&seed, ACTORS), other = draw(&seed, ACTORS);
        uint32_t bytes = sizes[draw(&seed, 9)], at = draw(&seed, SPAN / 4) * 4;
        bool writes = draw(&seed, 3) == 0;

        if (draw(&seed, 3)) {
            check_join(c, actor[one], actor[other]);
            if (one != other)
                model_join(m, one, other);
            continue;
        }
        if (at + bytes > SPAN)
            at = SPAN - bytes;
        int verdict = model_verdict(m, one, at, bytes, writes);
        bool passed = (writes ? check_write : check_read)(c, actor[one], BASE + at, bytes,
                                                          false, NULL, fault, FAULT);

        if (verdict != 2 && passed != (verdict == 0))
            fail_msg("step %d: %s %" PRIu32 " bytes at %" PRIu32 ": %s", step,
                     writes ? "write" : "read", bytes, at, passed ? "passed" : fault);
        if (passed)
            model_access(m, one, at, bytes, writes);
        else
            begin_again(m, c, actor);
        refused += !passed;
    }
    assert_in_range(refused, 1000, STEPS / 4);
    check_destroy(c);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_names_both_accesses),
        cmocka_unit_test(bytes_never_written_are_refused),
        cmocka_unit_test(the_racing_lane_is_found),
        cmocka_unit_test(reallocated_memory_is_unwritten),
        cmocka_unit_test(strong_accesses_do_not_race),
        cmocka_unit_test(equal_stores_do_not_race),
        cmocka_unit_test(different_writes_race),
        cmocka_unit_test(an_early_chunk_is_refused),
        cmocka_unit_test(a_lost_chunk_is_found),
        cmocka_unit_test(a_stale_byte_may_be_read_before_its_store_is_known),
        cmocka_unit_test(the_host_comes_last),
        cmocka_unit_test(unchanged_transfers_race_with_stores_only),
        cmocka_unit_test(unchanged_copies_race_with_stores_only),
        cmocka_unit_test(host_writes_need_no_transfer),
        cmocka_unit_test(the_plain_model_agrees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
