/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronization of threads: barriers, exchanges within a warp, fences, waits. */
#include "execute_testing.h"

static void opened(struct rig *r, const char *body, uint32_t threads, uint64_t value)
{
    rig_open(r, body, true);
    r->launch.block[0] = threads;
    r->parameters[1] = value;
}

static void barriers_order_shared_memory(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        opened(&r,
               ".shared .align 4 .b8 s[1024];\n" RIG_KERNEL
               "mov.u32 %r3, s; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4;\n"
               "st.shared.u32 [%r5], %r1; bar.sync 0;\n"
               "mov.u32 %r6, 199; sub.u32 %r6, %r6, %r1; shl.b32 %r6, %r6, 2;\n"
               "add.u32 %r6, %r3, %r6; ld.shared.u32 %r7, [%r6]; barrier.sync 3;\n"
               "st.shared.u32 [%r5], %r7; bar.sync 0; ld.shared.u32 %r8, [%r6];\n"
               "st.global.u32 [%rd1], %r8; add.u32 %r9, %r7, %r1;\n"
               "st.global.u32 [%rd1+4000], %r9; }\n",
               200, 0);
        assert_int_equal(rig_run(&r, seed & 1 ? 5 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < 200; i++) {
            assert_int_equal(r.memory[i], i);
            assert_int_equal(r.memory[1000 + i], 199);
        }
        assert_int_equal(r.passed, 3);
        assert_int_equal(r.barriers, 3);
        rig_close(&r);
    }
}

static void exited_threads_do_not_hold_a_barrier(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "setp.lt.u32 %p1, %r1, 70; @%p1 exit; bar.sync 0;\n"
                      "st.global.u32 [%rd1], 1; }\n",
           100, 0);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(r.memory[i], i >= 70);
    rig_close(&r);
}

/* Warp 0 produces, warps 1 and 2 consume; warp 3 does not use barrier 5. */
static void barriers_count_threads(void **state)
{
    struct rig r;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        opened(&r,
               RIG_KERNEL "shr.u32 %r3, %r1, 5; setp.eq.u32 %p1, %r3, 0;\n"
                          "setp.eq.u32 %p2, %r3, 3; @%p2 exit; @%p1 bra MAKE;\n"
                          "bar.sync 5, 96; ld.global.u32 %r4, [%rd0+4000];\n"
                          "st.global.u32 [%rd1], %r4; exit;\n"
                          "MAKE: st.global.u32 [%rd0+4000], 9; bar.arrive 5, 96; exit; }\n",
               128, 0);
        assert_int_equal(rig_run(&r, 1000, seed), EXECUTE_EXITED);
        for (uint32_t i = 32; i < 96; i++)
            assert_int_equal(r.memory[i], 9);
        rig_close(&r);
    }
}

/* An explicit count counts arrivals: a thread that arrived and ended does not count
   twice. */
static void exited_threads_do_not_lower_a_count(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           ".shared .align 4 .b8 s[4];\n" RIG_KERNEL
           "mov.u32 %r3, 96; setp.ge.u32 %p1, %r1, 64; @%p1 bra LAST;\n"
           "setp.ge.u32 %p2, %r1, 32; @%p2 bra ARRIVE;\n"
           "nanosleep.u32 1000; mov.u32 %r4, 7; st.shared.u32 [s], %r4;\n"
           "ARRIVE: bar.arrive 1, %r3; ret;\n"
           "LAST: bar.sync 1, %r3; ld.shared.u32 %r5, [s]; st.global.u32 [%rd1], %r5; }\n",
           96, 0);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 64; i < 96; i++)
        assert_int_equal(r.memory[i], 7);
    rig_close(&r);
}

static void barriers_reduce(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "setp.lt.u32 %p1, %r1, 50; setp.lt.u32 %p2, %r1, 100;\n"
                      "bar.red.popc.u32 %r3, 0, %p1; bar.red.and.pred %p3, 1, %p2;\n"
                      "bar.red.and.pred %p4, 0, %p1; bar.red.or.pred %p5, 0, %p1;\n"
                      "bar.red.or.pred %p6, 0, !%p2;\n"
                      "selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 2, 0, %p4;\n"
                      "selp.u32 %r6, 4, 0, %p5; selp.u32 %r7, 8, 0, %p6;\n"
                      "or.b32 %r4, %r4, %r5; or.b32 %r4, %r4, %r6; or.b32 %r4, %r4, %r7;\n"
                      "st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4000], %r4; }\n",
           100, 0);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(r.memory[i], 50);
        assert_int_equal(r.memory[1000 + i], 1 | 4);
    }
    rig_close(&r);
}

static void a_barrier_that_cannot_open_is_named(void **state)
{
    struct rig r;

    (void)state;
    opened(&r, RIG_KERNEL "setp.gt.u32 %p1, %r1, 31; @%p1 exit;\nbar.sync 2, 64;\n}\n", 96,
           0);
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_string_equal(r.fault,
                        "kernel 'k', PTX line 11, CTA (0,0,0), thread (0,0,0): barrier 2 "
                        "waits for 64 threads, 32 arrived and no other thread can");
    rig_close(&r);
}

/* Reference from the definition of shfl.sync in the PTX ISA. */
static uint32_t shuffle_expect(uint32_t lane, int mode, uint32_t b, uint32_t c,
                               bool *inside)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31;
    int low = (int)(lane & segment), high = (int)((lane & segment) | (clamp & ~segment)), j;

    switch (mode) {
    case 0:
        j = (int)lane - (int)b;
        *inside = j >= high;
        break;
    case 1:
        j = (int)lane + (int)b;
        *inside = j <= high;
        break;
    case 2:
        j = (int)(lane ^ b);
        *inside = j <= high;
        break;
    default:
        j = low | (int)(b & ~segment);
        *inside = j <= high;
    }
    return 100 + (*inside ? (uint32_t)j : lane);
}

static void shuffles_match_the_definition(void **state)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const uint32_t controls[] = {0, 31, 0x181f, 0x1807, 0x1c03, 0x1000};

    (void)state;
    for (int mode = 0; mode < 4; mode++)
        for (size_t k = 0; k < 6; k++)
            for (uint32_t b = 0; b < 32; b += 3) {
                struct text body = {NULL, 0, 0};
                struct rig r;

                text_add(&body, RIG_KERNEL, strlen(RIG_KERNEL));
                text_print(&body,
                           "add.u32 %%r3, %%r1, 100; mov.u32 %%r4, %u;\n"
                           "shfl.sync.%s.b32 %%r5|%%p1, %%r3, %u, %%r4, -1;\n"
                           "selp.u32 %%r6, 1, 0, %%p1; st.global.u32 [%%rd1], %%r5;\n"
                           "st.global.u32 [%%rd1+4000], %%r6; }\n",
                           controls[k], modes[mode], b);
                opened(&r, body.data, 32, 0);
                rig_expect(&r, EXECUTE_EXITED);
                for (uint32_t i = 0; i < 32; i++) {
                    bool inside;
                    uint32_t value = shuffle_expect(i, mode, b, controls[k], &inside);

                    assert_int_equal(r.memory[i], value);
                    assert_int_equal(r.memory[1000 + i], inside);
                }
                rig_close(&r);
                text_clear(&body);
            }
}

/* Lanes 0-9 take another path; all 32 exchange. */
static void an_exchange_waits_for_its_lanes(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "mov.u32 %r3, %r1; setp.lt.u32 %p1, %r1, 10; @%p1 bra LONG;\n"
                      "bra MEET;\nLONG: add.u32 %r3, %r3, 50; bra MEET2;\n"
                      "MEET2: bra MEET;\n"
                      "MEET: shfl.sync.bfly.b32 %r4, %r3, 31, 31, -1;\n"
                      "st.global.u32 [%rd1], %r4; }\n",
           32, 0);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.memory[i], (31 - i) + (31 - i < 10 ? 50 : 0));
    rig_close(&r);
}

/* Some lanes wait for memory, and the lanes at the exchange wait for them. */
static void an_exchange_waits_for_lanes_that_wait_for_memory(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "mov.u32 %r3, %r1; setp.ge.u32 %p1, %r1, 10; @%p1 bra MEET;\n"
                      "ld.global.u32 %r3, [%rd0+4000];\n"
                      "MEET: shfl.sync.bfly.b32 %r4, %r3, 31, 31, -1;\n"
                      "st.global.u32 [%rd1], %r4; }\n",
           32, 0);
    r.remote = (uint64_t)(uintptr_t)(r.memory + 1000);
    r.waits = true;
    r.memory[1000] = 77;
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.memory[i], 31 - i < 10 ? 77 : 31 - i);
    rig_close(&r);
}

/* Two groups wait at one instruction within a block. Cached properties of the addresses of
   one group do not apply to both. */
static void groups_at_one_instruction_stay_separate(void **state)
{
    struct rig r;

    (void)state;
    opened(
        &r,
        ".shared .align 4 .b8 s[512];\n" RIG_KERNEL
        "mov.u32 %r3, s; mov.u32 %r5, %r3; ld.shared.u32 %r9, [%r5]; xor.b32 %r4, %r1, 13; "
        "shl.b32 %r4, %r4, 2;\n"
        "add.u32 %r5, %r5, %r4; st.shared.u32 [%r5], %r1; st.shared.u32 [%r5+128], %r1;\n"
        "shl.b32 %r6, %r1, 2;\n"
        "setp.ge.u32 %p1, %r1, 10; @%p1 bra MEET; ld.global.u32 %r7, [%rd0+4000];\n"
        "MEET: add.u32 %r5, %r3, %r6; ld.shared.u32 %r8, [%r5];\n"
        "ld.global.u32 %r7, [%rd0+4000]; ld.shared.u32 %r9, [%r5+128];\n"
        "add.u32 %r9, %r9, %r7; add.u32 %r9, %r9, %r8; st.global.u32 [%rd1], %r9; }\n",
        32, 0);
    r.remote = (uint64_t)(uintptr_t)(r.memory + 1000);
    r.waits = true;
    r.memory[1000] = 1000;
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.memory[i], 1000 + 2 * (i ^ 13));
    rig_close(&r);
}

static void votes_matches_and_reductions(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL
           "setp.lt.u32 %p1, %r1, 5; vote.sync.ballot.b32 %r3, %p1, -1;\n"
           "vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1;\n"
           "vote.sync.uni.pred %p4, %p1, -1; vote.sync.all.pred %p5, !%p1, -1;\n"
           "selp.u32 %r4, 1, 0, %p2; @%p3 or.b32 %r4, %r4, 2;\n"
           "@%p4 or.b32 %r4, %r4, 4; and.b32 %r5, %r1, 3;\n"
           "match.any.sync.b32 %r6, %r5, -1; match.all.sync.b32 %r7|%p6, %r2, -1;\n"
           "@%p6 or.b32 %r4, %r4, 8;\n"
           "redux.sync.add.s32 %r8, %r1, -1; sub.s32 %r9, 3, %r1;\n"
           "redux.sync.min.s32 %r10, %r9, -1; redux.sync.max.u32 %r11, %r9, -1;\n"
           "activemask.b32 %r12;\n"
           "st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4000], %r4;\n"
           "st.global.u32 [%rd1+8000], %r6; st.global.u32 [%rd1+12000], %r7;\n"
           "st.global.u32 [%rd1+16000], %r8; st.global.u32 [%rd1+20000], %r10;\n"
           "st.global.u32 [%rd1+24000], %r11; st.global.u32 [%rd1+28000], %r12; }\n",
           32, 77);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *m = r.memory + i;

        assert_int_equal(m[0], 31);
        assert_int_equal(m[1000], 1 | 8);
        assert_int_equal(m[2000], 0x11111111u << (i & 3));
        assert_int_equal(m[3000], 0xffffffffu);
        assert_int_equal(m[4000], 496);
        assert_int_equal((int32_t)m[5000], -28);
        assert_int_equal(m[6000], 0xffffffffu);
        assert_int_equal(m[7000], 0xffffffffu);
    }
    rig_close(&r);
}

/* Halves of a warp, and every other lane: each lane's mask selects its group. */
static void lanes_with_other_masks_stay_separate(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL
           "and.b32 %r3, %r1, 16; mov.u32 %r4, 0xffff; shl.b32 %r3, %r4, %r3;\n"
           "redux.sync.add.s32 %r5, %r1, %r3; setp.lt.u32 %p1, %r1, 20;\n"
           "vote.sync.ballot.b32 %r6, %p1, %r3; vote.sync.all.pred %p2, %p1, %r3;\n"
           "selp.u32 %r7, 1, 0, %p2; and.b32 %r4, %r1, 1; mov.u32 %r8, 0x55555555;\n"
           "shl.b32 %r8, %r8, %r4; and.b32 %r9, %r1, 2;\n"
           "match.any.sync.b32 %r10, %r9, %r8; redux.sync.max.u32 %r8, %r1, %r8;\n"
           "st.global.u32 [%rd1], %r5; st.global.u32 [%rd1+4000], %r6;\n"
           "st.global.u32 [%rd1+8000], %r7; st.global.u32 [%rd1+12000], %r10;\n"
           "st.global.u32 [%rd1+16000], %r8; }\n",
           32, 0);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *m = r.memory + i;

        assert_int_equal(m[0], i < 16 ? 120 : 376);
        assert_int_equal(m[1000], i < 16 ? 0xffff : 0xf0000);
        assert_int_equal(m[2000], i < 16);
        assert_int_equal(m[3000], 0x11111111u << (i & 3));
        assert_int_equal(m[4000], 30 + (i & 1));
    }
    rig_close(&r);
}

static void a_lane_names_itself(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "mov.u32 %r3, 1; shl.b32 %r3, %r3, %r1; sub.u32 %r3, %r3, 1;\n"
                      "and.b32 %r3, %r3, 0x5;\nor.b32 %r3, %r3, 3;\n"
                      "vote.sync.ballot.b32 %r5, %p1, %r3; st.global.u32 [%rd1], %r5; }\n",
           32, 0);
    rig_expect(&r, EXECUTE_TRAPPED);
    assert_non_null(
        strstr(r.fault, "thread (2,0,0): lane 2 gives mask 0x00000003, which does not"));
    rig_close(&r);
}

/* One half of a warp is complete; some lanes of the other half have not arrived. */
static void halves_of_a_warp_wait_separately(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL
           "and.b32 %r3, %r1, 16; mov.u32 %r4, 0xffff; shl.b32 %r3, %r4, %r3;\n"
           "setp.ge.u32 %p1, %r1, 24; @!%p1 bra MEET;\n"
           "mov.u32 %r5, 0; LATE: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 9;\n"
           "@%p2 bra LATE;\n"
           "MEET: redux.sync.add.s32 %r6, %r1, %r3; st.global.u32 [%rd1], %r6; }\n",
           32, 0);
    rig_expect(&r, EXECUTE_EXITED);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(r.memory[i], i < 16 ? 120 : 376);
    rig_close(&r);
}

static void strong_accesses_stop_once(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL
           "ld.acquire.gpu.global.u32 %r3, [%rd1]; st.volatile.global.u32 [%rd1], 5;\n"
           "fence.acq_rel.gpu; membar.cta; membar.sys;\n"
           "ld.relaxed.sys.global.u32 %r4, [%rd1];\n"
           "atom.global.add.u32 %r5, [%rd1], 1;\n"
           "atom.acq_rel.gpu.global.add.u32 %r6, [%rd1], 1;\n"
           "red.release.sys.global.add.u32 [%rd1], 1; mov.u64 %rd5, %clock64;\n"
           "ld.volatile.u32 %r7, [%rd1]; st.global.u64 [%rd0+4000], %rd5; }\n",
           1, 0);
    rig_expect(&r, EXECUTE_EXITED);
    assert_int_equal(r.memory[0], 8);
    assert_int_equal(r.strong_stops, 9); /* neither membar.cta nor the plain atom */
    assert_int_equal(r.fences, 3);
    assert_int_equal(r.memory[1000], 100);
    rig_close(&r);
}

static void nanosleep_reports_its_duration(void **state)
{
    struct rig r;

    (void)state;
    opened(&r,
           RIG_KERNEL "setp.lt.u32 %p1, %r1, 32; selp.u32 %r3, 500, 300, %p1;\n"
                      "nanosleep.u32 %r3; st.global.u32 [%rd1], 1; }\n",
           64, 0);
    rig_expect(&r, EXECUTE_EXITED);
    assert_int_equal(r.blocked_stops, 1);
    assert_int_equal(r.sleep_ns, 300);
    assert_int_equal(r.memory[63], 1);
    rig_close(&r);
}

static void remote_accesses_are_waited_for(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct rig r;

        opened(&r,
               RIG_KERNEL
               "st.global.u32 [%rd1+4000], %r1; add.u32 %r3, %r1, 7;\n"
               "ld.global.u32 %r4, [%rd1+4000]; setp.gt.u32 %p1, %r1, 20;\n"
               "@%p1 atom.global.add.u32 %r4, [%rd0+8000], %r1;\n"
               "red.global.add.u32 [%rd0+8004], 1;\n"
               "atom.global.cas.b32 %r5, [%rd1+4000], %r1, %r3;\n"
               "add.u32 %r6, %r4, %r5; st.global.u32 [%rd1], %r6;\n"
               "ld.global.v2.u16 {%h1, %h2}, [%rd1+4000]; cvt.u32.u16 %r7, %h1;\n"
               "st.global.u32 [%rd1+800], %r7; }\n",
               64, 0);
        r.remote = (uint64_t)(uintptr_t)(r.memory + 1000);
        r.waits = waits;
        rig_expect(&r, EXECUTE_EXITED);
        for (uint32_t i = 0; i < 64; i++) {
            if (i <= 20)
                assert_int_equal(r.memory[i], 2 * i);
            assert_int_equal(r.memory[200 + i], i + 7);
            assert_int_equal(r.memory[1000 + i], i + 7);
        }
        assert_int_equal(r.memory[2000], (21 + 63) * 43 / 2);
        assert_int_equal(r.memory[2001], 64);
        assert_true(waits ? r.blocked_stops >= 4 : r.blocked_stops == 0);
        rig_close(&r);
    }
}

/* Each lane takes a lock and releases it at a higher address in the code than the spin
   loop. No time slice is as long as the whole loop. */
static void lanes_of_a_warp_hand_a_lock_on(void **state)
{
    static const char *const looks[] = {
        "atom.global.cas.b32 %r3, [%rd0], 0, 1",
        "atom.acquire.gpu.global.cas.b32 %r3, [%rd0], 0, 1",
    };

    (void)state;
    for (size_t n = 0; n < sizeof looks / sizeof *looks; n++) {
        struct rig r;
        char body[1200];

        snprintf(body, sizeof body, "%sL: %s;\n%s", RIG_KERNEL, looks[n],
                 "setp.ne.u32 %p1, %r3, 0; @%p1 bra L;\n"
                 "fence.acq_rel.gpu; ld.global.u32 %r4, [%rd0+4]; add.u32 %r4, %r4, 1;\n"
                 "st.global.u32 [%rd0+4], %r4; fence.acq_rel.gpu;\n"
                 "atom.global.exch.b32 %r5, [%rd0], 0; }\n");
        opened(&r, body, 96, 0);
        r.recounts = true;
        assert_int_equal(rig_run(&r, 300, 1), EXECUTE_EXITED);
        assert_int_equal(r.memory[0], 0);
        assert_int_equal(r.memory[1], 96);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_order_shared_memory),
        cmocka_unit_test(exited_threads_do_not_hold_a_barrier),
        cmocka_unit_test(barriers_count_threads),
        cmocka_unit_test(exited_threads_do_not_lower_a_count),
        cmocka_unit_test(barriers_reduce),
        cmocka_unit_test(a_barrier_that_cannot_open_is_named),
        cmocka_unit_test(shuffles_match_the_definition),
        cmocka_unit_test(an_exchange_waits_for_its_lanes),
        cmocka_unit_test(an_exchange_waits_for_lanes_that_wait_for_memory),
        cmocka_unit_test(groups_at_one_instruction_stay_separate),
        cmocka_unit_test(votes_matches_and_reductions),
        cmocka_unit_test(lanes_with_other_masks_stay_separate),
        cmocka_unit_test(a_lane_names_itself),
        cmocka_unit_test(halves_of_a_warp_wait_separately),
        cmocka_unit_test(strong_accesses_stop_once),
        cmocka_unit_test(lanes_of_a_warp_hand_a_lock_on),
        cmocka_unit_test(nanosleep_reports_its_duration),
        cmocka_unit_test(remote_accesses_are_waited_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
