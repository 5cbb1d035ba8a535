/* SPDX-License-Identifier: Apache-2.0 */
/* CTAs in clusters: their special registers, their barrier, and the shared memory of other
   CTAs. */
#include "execute_testing.h"

enum { CTAS = 16 };

struct crowd {
    struct rig rig;
    struct execute_pool *pool;
    struct execute_grid *grid;
    struct execute_cta *cta[CTAS];
    uint32_t count, notified; /* CTAs of clusters whose barrier was completed */
    unsigned late;            /* number of CTAs that begin only after all others have
                                 stopped */
};

static void notified(void *context, struct execute_warp *w, struct execute_cta *const *ctas,
                     uint32_t count)
{
    struct rig *r = context;

    (void)w;
    assert_non_null(ctas[count - 1]);
    ((struct crowd *)(void *)r)->notified += count;
}

static void crowd_open(struct crowd *c, const char *body, bool hoist, uint32_t threads)
{
    memset(c, 0, sizeof *c);
    rig_open(&c->rig, body, hoist);
    c->rig.host.cluster = notified;
    c->rig.launch.block[0] = threads;
}

static void crowd_begin(struct crowd *c, uint32_t n)
{
    const uint32_t *g = c->rig.launch.grid;
    const uint32_t id[3] = {n % g[0], n / g[0] % g[1], n / g[0] / g[1]};

    c->cta[n] = execute_cta_create(c->grid, c->pool, id, n % 4);
}

/* Runs short slices of all CTAs in turn; the first fault ends the run. */
static enum execute_stop crowd_rounds(struct crowd *c, uint64_t budget, uint64_t seed)
{
    uint32_t live = c->count;

    for (unsigned round = 0; live && round < 100000; round++)
        for (uint32_t k = 0; k < c->count; k++) {
            uint32_t n = (k * 5 + round + (uint32_t)seed) % c->count;

            if (!c->cta[n])
                continue;
            enum execute_stop stop = execute_cta_run(c->cta[n], budget, seed + round);

            if (stop == EXECUTE_TRAPPED) {
                memcpy(c->rig.fault, c->cta[n]->fault, sizeof c->rig.fault);
                return stop;
            }
            if (stop != EXECUTE_EXITED)
                continue;
            execute_cta_destroy(c->cta[n]);
            c->cta[n] = NULL;
            live--;
        }
    return live ? EXECUTE_BLOCKED : EXECUTE_EXITED;
}

static enum execute_stop crowd_run(struct crowd *c, uint64_t budget, uint64_t seed)
{
    const uint32_t *g = c->rig.launch.grid;

    c->rig.launch.kernel = execute_kernel_find(c->rig.program, "k");
    assert_non_null(c->rig.launch.kernel);
    c->pool = execute_pool_create();
    c->grid = execute_grid_create(&c->rig.launch);
    c->count = g[0] * g[1] * g[2] - c->late;
    assert_true(c->count <= CTAS);
    for (uint32_t n = 0; n < c->count; n++)
        crowd_begin(c, n);
    enum execute_stop stop = crowd_rounds(c, budget, seed);

    for (uint32_t n = 0; n < c->count; n++)
        execute_cta_destroy(c->cta[n]);
    execute_grid_destroy(c->grid);
    execute_pool_destroy(c->pool);
    return stop;
}

static void crowd_close(struct crowd *c)
{
    rig_close(&c->rig);
}

static void shaped(struct crowd *c, const uint32_t grid[3], const uint32_t cluster[3])
{
    memcpy(c->rig.launch.grid, grid, sizeof c->rig.launch.grid);
    memcpy(c->rig.launch.cluster, cluster, sizeof c->rig.launch.cluster);
}

/* The first thread of each CTA stores its special registers, 16 words for each CTA. */
#define NOTIFIED                                                                           \
    RIG_KERNEL "mov.u32 %r3, %ctaid.y; mov.u32 %r4, %nctaid.x; mov.u32 %r5, %ctaid.x;\n"   \
               "mad.lo.u32 %r3, %r3, %r4, %r5; mul.wide.u32 %rd3, %r3, 64;\n"              \
               "add.s64 %rd1, %rd0, %rd3;\n"                                               \
               "mov.u32 %r6, %clusterid.x; mov.u32 %r7, %clusterid.y;\n"                   \
               "mov.u32 %r8, %nclusterid.x; mov.u32 %r9, %nclusterid.y;\n"                 \
               "st.global.v4.u32 [%rd1], {%r6, %r7, %r8, %r9};\n"                          \
               "mov.u32 %r6, %cluster_ctaid.x; mov.u32 %r7, %cluster_ctaid.y;\n"           \
               "mov.u32 %r8, %cluster_nctaid.x; mov.u32 %r9, %cluster_nctaid.y;\n"         \
               "st.global.v4.u32 [%rd1+16], {%r6, %r7, %r8, %r9};\n"                       \
               "mov.u32 %r6, %cluster_ctarank; mov.u32 %r7, %cluster_nctarank;\n"          \
               "mov.pred %p1, %is_explicit_cluster; selp.u32 %r8, 1, 0, %p1;\n"            \
               "mov.u32 %r9, %cluster_nctaid.z;\n"                                         \
               "st.global.v4.u32 [%rd1+32], {%r6, %r7, %r8, %r9}; }\n"

static void a_cta_knows_its_place(void **state)
{
    struct crowd c;

    (void)state;
    for (int hoist = 0; hoist < 2; hoist++) {
        crowd_open(&c, NOTIFIED, hoist, 1);
        shaped(&c, (uint32_t[]){6, 2, 1}, (uint32_t[]){3, 2, 1});
        assert_int_equal(crowd_run(&c, 100, 0), EXECUTE_EXITED);
        for (uint32_t n = 0; n < 12; n++) {
            const uint32_t x = n % 6, y = n / 6, *at = c.rig.memory + n * 16;
            const uint32_t wanted[12] = {
                x / 3, y / 2, 2, 1, x % 3, y % 2, 3, 2, x % 3 + 3 * (y % 2), 6, 1, 1};

            assert_memory_equal(at, wanted, sizeof wanted);
        }
        crowd_close(&c);
    }
}

static void without_clusters_each_cta_is_one(void **state)
{
    const uint32_t wanted[12] = {2, 0, 4, 1, 0, 0, 1, 1, 0, 1, 0, 1};
    struct crowd c;

    (void)state;
    crowd_open(&c, NOTIFIED, true, 1);
    shaped(&c, (uint32_t[]){4, 1, 1}, (uint32_t[]){0, 0, 0});
    assert_int_equal(crowd_run(&c, 100, 0), EXECUTE_EXITED);
    assert_memory_equal(c.rig.memory + 2 * 16, wanted, sizeof wanted);
    crowd_close(&c);
}

/* %rd3: the CTA's row of 64 words of the output; %r4: its rank. */
#define ROW                                                                                \
    RIG_KERNEL "mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd3, %r3, 256;\n"                     \
               "add.s64 %rd3, %rd0, %rd3; add.s64 %rd3, %rd3, %rd2;\n"                     \
               "mov.u32 %r4, %cluster_ctarank;\n"
#define SYNC                                                                               \
    "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"

/* Each thread stores to its own CTA and then loads from the next one, by a shared address
   and by a generic one. */
static void shared_memory_of_others_is_reached(void **state)
{
    struct crowd c;

    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        crowd_open(&c,
                   ".shared .align 8 .b8 s[512];\n" ROW
                   "mov.u32 %r5, s; shl.b32 %r6, %r1, 2; add.u32 %r6, %r5, %r6;\n"
                   "mad.lo.u32 %r7, %r3, 1000, %r1; st.shared.u32 [%r6], %r7;\n" SYNC
                   "add.u32 %r8, %r4, 1; rem.u32 %r8, %r8, 4;\n"
                   "mapa.shared::cluster.u32 %r9, %r6, %r8;\n"
                   "ld.shared::cluster.u32 %r10, [%r9];\n"
                   "cvt.u64.u32 %rd4, %r5; cvta.shared.u64 %rd5, %rd4;\n"
                   "mapa.u64 %rd6, %rd5, %r8; add.s64 %rd6, %rd6, %rd2;\n"
                   "ld.u32 %r11, [%rd6]; sub.u32 %r12, %r10, %r11;\n"
                   "getctarank.u64 %r13, %rd6; getctarank.shared::cluster.u32 %r14, %r6;\n"
                   "sub.u32 %r13, %r13, %r8; sub.u32 %r14, %r14, %r4;\n"
                   "or.b32 %r12, %r12, %r13; or.b32 %r12, %r12, %r14;\n"
                   "add.u32 %r10, %r10, %r12; st.global.u32 [%rd3], %r10;\n" SYNC "}\n",
                   seed & 1, 64);
        shaped(&c, (uint32_t[]){8, 1, 1}, (uint32_t[]){4, 1, 1});
        c.rig.launch.check = seed & 2;
        assert_int_equal(crowd_run(&c, seed & 4 ? 7 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t n = 0; n < 8; n++)
            for (uint32_t t = 0; t < 64; t++)
                assert_int_equal(c.rig.memory[n * 64 + t],
                                 (n / 4 * 4 + (n + 1) % 4) * 1000 + t);
        assert_true(c.notified >= 8);
        crowd_close(&c);
    }
}

/* In a histogram over the cluster, the lanes of one warp update several CTAs at the same
   time. */
static void atomics_meet_in_one_cta(void **state)
{
    struct crowd c;

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        crowd_open(&c,
                   ".shared .align 8 .b8 s[64];\n" ROW
                   "mov.u32 %r5, s; setp.ge.u32 %p1, %r1, 16; shl.b32 %r6, %r1, 2;\n"
                   "add.u32 %r6, %r5, %r6; @!%p1 st.shared.u32 [%r6], 0;\n" SYNC
                   "rem.u32 %r7, %r1, 3; mapa.shared::cluster.u32 %r8, %r5, %r7;\n"
                   "and.b32 %r9, %r1, 12; add.u32 %r8, %r8, %r9;\n"
                   "atom.shared::cluster.add.u32 %r10, [%r8], 1;\n"
                   "red.relaxed.cluster.shared::cluster.add.u32 [%r8], 1;\n" SYNC
                   "@!%p1 ld.shared.u32 %r11, [%r6]; @!%p1 st.global.u32 [%rd3], %r11; }\n",
                   seed & 1, 96);
        shaped(&c, (uint32_t[]){6, 1, 1}, (uint32_t[]){3, 1, 1});
        assert_int_equal(crowd_run(&c, seed & 2 ? 11 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t n = 0; n < 6; n++)
            for (uint32_t word = 0; word < 4; word++) {
                uint32_t expected = 0;

                for (uint32_t t = 0; t < 96; t++)
                    expected += t % 3 == n % 3 && (t & 12) / 4 == word;
                assert_int_equal(c.rig.memory[n * 64 + word], 3 * 2 * expected);
            }
        crowd_close(&c);
    }
}

/* Registers are written once, so values that are equal in all CTAs may be hoisted. */
static void addresses_identify_their_cta(void **state)
{
    struct crowd c;

    (void)state;
    for (int hoist = 0; hoist < 2; hoist++) {
        crowd_open(&c,
                   ".shared .align 8 .b8 s[64];\n" ROW
                   "mov.u32 %r5, s; cvt.u64.u32 %rd4, %r5; cvta.shared.u64 %rd5, %rd4;\n"
                   "mapa.u64 %rd6, %rd5, 1; mov.u32 %r6, 0;\n"
                   "isspacep.shared %p1, %rd5; @%p1 or.b32 %r6, %r6, 1;\n"
                   "isspacep.shared::cluster %p2, %rd5; @%p2 or.b32 %r6, %r6, 2;\n"
                   "isspacep.shared::cta %p3, %rd6; @%p3 or.b32 %r6, %r6, 4;\n"
                   "isspacep.shared::cluster %p4, %rd6; @%p4 or.b32 %r6, %r6, 8;\n"
                   "isspacep.shared::cluster %p5, %rd0; @%p5 or.b32 %r6, %r6, 16;\n"
                   "isspacep.local %p6, %rd6; @%p6 or.b32 %r6, %r6, 32;\n"
                   "isspacep.global %p7, %rd6; @%p7 or.b32 %r6, %r6, 64;\n"
                   "getctarank.u64 %r7, %rd6; getctarank.u64 %r8, %rd5;\n"
                   "st.global.v4.u32 [%rd3], {%r6, %r7, %r8, %r4}; }\n",
                   hoist, 1);
        shaped(&c, (uint32_t[]){2, 1, 1}, (uint32_t[]){2, 1, 1});
        assert_int_equal(crowd_run(&c, 100, 0), EXECUTE_EXITED);
        assert_int_equal(c.rig.memory[0], 1 + 2 + 8);
        assert_int_equal(c.rig.memory[64], 1 + 2 + 4 + 8);
        for (uint32_t n = 0; n < 2; n++) {
            assert_int_equal(c.rig.memory[64 * n + 1], 1);
            assert_int_equal(c.rig.memory[64 * n + 2], n);
        }
        crowd_close(&c);
    }
}

/* The barrier does not wait for ended threads, and a thread may do other work between
   arrival and wait. */
static void the_barrier_waits_for_live_threads(void **state)
{
    struct crowd c;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        crowd_open(&c,
                   ROW "setp.eq.u32 %p1, %r4, 1; setp.lt.u32 %p2, %r1, 40;\n"
                       "and.pred %p2, %p1, %p2; @%p2 exit;\n"
                       "barrier.cluster.arrive; setp.eq.u32 %p3, %r1, 63;\n"
                       "and.pred %p3, %p1, %p3; @%p3 exit; bar.sync 0;\n"
                       "barrier.cluster.wait; barrier.cluster.arrive;\n"
                       "barrier.cluster.wait; st.global.u32 [%rd3], 7; }\n",
                   true, 64);
        shaped(&c, (uint32_t[]){2, 1, 1}, (uint32_t[]){2, 1, 1});
        assert_int_equal(crowd_run(&c, seed & 1 ? 5 : 1000, seed), EXECUTE_EXITED);
        for (uint32_t t = 0; t < 64; t++) {
            assert_int_equal(c.rig.memory[t], 7);
            assert_int_equal(c.rig.memory[64 + t], t >= 40 && t < 63 ? 7 : 0);
        }
        crowd_close(&c);
    }
}

/* Stores, a copy and arrivals to the other CTA, counted by its mbarriers. Each CTA waits
   for them at its own mbarriers. %r10 and %r11 are the local mbarriers, %r12 and %r13 the
   remote ones. */
#define FLOWS                                                                              \
    "mov.u32 %r5, here; mov.u32 %r6, there; mov.u32 %r10, stored; mov.u32 %r11, copied;\n" \
    "xor.b32 %r7, %r4, 1; mapa.shared::cluster.u32 %r12, %r10, %r7;\n"                     \
    "mapa.shared::cluster.u32 %r13, %r11, %r7; mov.u32 %r14, 128;\n"                       \
    "mapa.shared::cluster.u32 %r15, %r5, %r7; mapa.shared::cluster.u32 %r16, %r6, %r7;\n"  \
    "shl.b32 %r8, %r1, 2; add.u32 %r15, %r15, %r8; setp.ne.u32 %p1, %r1, 0;\n"             \
    "@!%p1 mbarrier.init.shared.b64 [%r10], 1; @!%p1 mbarrier.init.shared.b64 [%r11], "    \
    "33;\n"                                                                                \
    "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r10], %r14;\n"                        \
    "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r11], %r14;\n" SYNC                   \
    "mad.lo.u32 %r9, %r3, 1000, %r1;\n"                                                    \
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r15], %r9, "         \
    "[%r12];\n"                                                                            \
    "STORED: mbarrier.try_wait.parity.shared.b64 %p2, [%r10], 0; @!%p2 bra STORED;\n"      \
    "fence.proxy.async; @!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::"        \
    "complete_tx::bytes [%r16], [%r5], %r14, [%r13];\n"                                    \
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];\n"                     \
    "COPIED: mbarrier.try_wait.parity.shared.b64 %p2, [%r11], 0; @!%p2 bra COPIED;\n"      \
    "add.u32 %r5, %r5, %r8; add.u32 %r6, %r6, %r8; ld.shared.u32 %r17, [%r5];\n"           \
    "ld.shared.u32 %r18, [%r6]; st.global.u32 [%rd3], %r17;\n"                             \
    "st.global.u32 [%rd3+128], %r18;\n" SYNC "}\n"

static void mbarriers_count_operations_of_other_ctas(void **state)
{
    struct crowd c;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        crowd_open(
            &c,
            ".shared .align 16 .b8 here[128];\n.shared .align 16 .b8 there[128];\n"
            ".shared .align 8 .b64 stored;\n.shared .align 8 .b64 copied;\n" ROW FLOWS,
            seed & 1, 32);
        shaped(&c, (uint32_t[]){4, 1, 1}, (uint32_t[]){2, 1, 1});
        assert_int_equal(crowd_run(&c, seed & 2 ? 5 : 100000, seed), EXECUTE_EXITED);
        for (uint32_t n = 0; n < 4; n++)
            for (uint32_t t = 0; t < 32; t++) {
                assert_int_equal(c.rig.memory[n * 64 + t], (n ^ 1) * 1000 + t);
                assert_int_equal(c.rig.memory[n * 64 + 32 + t], n * 1000 + t);
            }
        crowd_close(&c);
    }
}

static void fails_with(const char *body, uint32_t cluster, const char *sentence)
{
    struct crowd c;

    crowd_open(&c, body, true, 64);
    shaped(&c, (uint32_t[]){4, 1, 1}, (uint32_t[]){cluster, cluster > 1, cluster > 1});
    assert_int_equal(crowd_run(&c, 1000, 0), EXECUTE_TRAPPED);
    if (!strstr(c.rig.fault, sentence))
        fail_msg("'%s' does not say '%s'", c.rig.fault, sentence);
    crowd_close(&c);
}

static void mistakes_are_faults(void **state)
{
    (void)state;
    fails_with(".shared .align 8 .b8 s[64];\n" ROW
               "mov.u32 %r5, s; mapa.shared::cluster.u32 %r6, %r5, 5;\n"
               "ld.shared::cluster.u32 %r7, [%r6]; }\n",
               2, "access to shared memory of CTA 5 of its cluster, which has 2");
    fails_with(".shared .align 8 .b8 s[64];\n" ROW
               "mov.u32 %r5, s; mapa.shared::cluster.u32 %r6, %r5, 0;\n"
               "st.shared::cluster.u32 [%r6+64], %r1; }\n",
               2, "store of 4 bytes at offset 64 of shared memory, which has 64");
    /* The second CTA ends while the first still reads from it. */
    fails_with(".shared .align 8 .b8 s[64];\n" ROW
               "mov.u32 %r5, s; setp.eq.u32 %p1, %r4, 1; @%p1 exit;\n"
               "st.shared.u32 [%r5], 0; mapa.shared::cluster.u32 %r6, %r5, 1;\n"
               "LOOK: ld.shared::cluster.u32 %r7, [%r6]; bra LOOK; }\n",
               2,
               "CTA 0 of the cluster accesses shared memory of CTA 1 of it, which has "
               "ended");
    fails_with(ROW "barrier.cluster.arrive; barrier.cluster.arrive; }\n", 2,
               "arrives at its cluster's barrier and has not waited since it last did");
    fails_with(ROW "barrier.cluster.wait; }\n", 2,
               "waits at its cluster's barrier and has not arrived at it");
}

static void a_cta_that_has_not_begun_is_a_fault(void **state)
{
    struct crowd c;

    (void)state;
    crowd_open(&c,
               ".shared .align 8 .b8 s[64];\n" ROW
               "mov.u32 %r5, s; mapa.shared::cluster.u32 %r6, %r5, 1;\n"
               "ld.shared::cluster.u32 %r7, [%r6]; }\n",
               true, 32);
    shaped(&c, (uint32_t[]){2, 1, 1}, (uint32_t[]){2, 1, 1});
    c.late = 1;
    assert_int_equal(crowd_run(&c, 1000, 0), EXECUTE_TRAPPED);
    assert_non_null(
        strstr(c.rig.fault, "shared memory of CTA 1 of it, which has not begun"));
    crowd_close(&c);
}

/* A deadlock is a fault of the last thread that stops, at barriers that wait for each other
   or at an exit. */
static void a_deadlock_is_a_fault(void **state)
{
    (void)state;
    fails_with(ROW "setp.lt.u32 %p1, %r1, 32; @%p1 bra HALF;\n" SYNC "exit;\n"
                   "HALF: bar.sync 1, 64; }\n",
               2, "waits for");
    fails_with(ROW "setp.eq.u32 %p1, %r4, 1; mov.u32 %r6, 0; @%p1 bra LATE;\n"
                   "setp.lt.u32 %p2, %r1, 32; @%p2 bra HALF;\n" SYNC "exit;\n"
                   "HALF: bar.sync 1, 64; exit;\n"
                   "LATE: add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 5000;\n"
                   "@%p3 bra LATE; }\n",
               2, "waits for");
    fails_with(ROW "setp.lt.u32 %p1, %r1, 32; @%p1 bra HALF;\n" SYNC "exit;\n"
                   "HALF: bar.sync 1, 64; }\n",
               0, "waits for");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cta_knows_its_place),
        cmocka_unit_test(without_clusters_each_cta_is_one),
        cmocka_unit_test(shared_memory_of_others_is_reached),
        cmocka_unit_test(atomics_meet_in_one_cta),
        cmocka_unit_test(addresses_identify_their_cta),
        cmocka_unit_test(the_barrier_waits_for_live_threads),
        cmocka_unit_test(mbarriers_count_operations_of_other_ctas),
        cmocka_unit_test(mistakes_are_faults),
        cmocka_unit_test(a_cta_that_has_not_begun_is_a_fault),
        cmocka_unit_test(a_deadlock_is_a_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
