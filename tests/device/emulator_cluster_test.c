/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters on an emulated device. All CTAs of a cluster are resident at the same time,
   their barrier orders memory accesses, and no CTA waits or runs for ever. */
#include <string.h>

#include "device/emulator_testing.h"

#define SYNC "barrier.cluster.arrive; barrier.cluster.wait;\n"

/* %rd1: out; %r1: thread; %r2: CTA, linear; %r3: rank. */
#define BEGIN(name)                                                                        \
    ".visible .entry " name "(.param .u64 out)\n{\n"                                       \
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"                              \
    ".shared .align 4 .u32 mine;\n"                                                        \
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"              \
    "mov.u32 %r4, %ctaid.y; mov.u32 %r5, %nctaid.x; mad.lo.u32 %r2, %r4, %r5, %r2;\n"      \
    "mov.u32 %r3, %cluster_ctarank; mul.wide.u32 %rd2, %r2, 4;\n"                          \
    "add.s64 %rd2, %rd1, %rd2;\n"

static const char text[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
    /* Each CTA's word becomes the number of the last CTA of its cluster. */
    BEGIN(
        "last") "st.shared.u32 [mine], %r2;\n" SYNC
                "mov.u32 %r6, %cluster_nctarank; sub.u32 %r6, %r6, 1; mov.u32 %r7, mine;\n"
                "mapa.shared::cluster.u32 %r8, %r7, %r6; ld.shared::cluster.u32 %r9, "
                "[%r8];\n"
                "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd2], %r9;\n" SYNC "}\n"
    /* Through global memory: each CTA reads the word of the next one, the last CTA that of
       the first. */
    BEGIN("tell") "setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET; st.global.u32 [%rd2], %r2;\n"
                  "MEET:\n" SYNC "@%p1 bra END; mov.u32 %r6, %cluster_nctarank;\n"
                  "add.u32 %r7, %r3, 1; rem.u32 %r7, %r7, %r6; sub.u32 %r7, %r7, %r3;\n"
                  "mul.wide.s32 %rd3, %r7, 4; add.s64 %rd3, %rd2, %rd3;\n"
                  "ld.global.u32 %r8, [%rd3]; st.global.u32 [%rd2+1024], %r8;\n"
                  "END: ret;\n}\n"
    /* The first CTA writes the words of the others, without a barrier. */
    BEGIN("shout") "setp.ne.u32 %p1, %r1, 0; @%p1 bra END; setp.ne.u32 %p2, %r3, 0;\n"
                   "@%p2 bra HEAR; st.global.u32 [%rd1], 5; bra END;\n"
                   "HEAR: ld.global.u32 %r6, [%rd1]; st.global.u32 [%rd2], %r6;\nEND: "
                   "ret;\n}\n"
    /* Some time after the start, each CTA reads the word of the next one without a
       barrier. */
    BEGIN("trust") "nanosleep.u32 20000; mov.u32 %r6, %cluster_nctarank;\n"
                   "add.u32 %r7, %r3, 1; rem.u32 %r7, %r7, %r6; mov.u32 %r8, mine;\n"
                   "mapa.shared::cluster.u32 %r9, %r8, %r7; ld.shared::cluster.u32 %r10, "
                   "[%r9];\n" SYNC "}\n"
    /* Endless barriers; and one half of each CTA waits for the other half. */
    BEGIN("endless") "AGAIN:\n" SYNC "bra AGAIN;\n}\n" BEGIN(
        "apart") "setp.lt.u32 %p1, %r1, 32; @%p1 bra HALF;\n" SYNC "ret;\n"
                 "HALF: bar.sync 1, 64; ret;\n}\n"
    /* The same in one CTA, while the other CTA ends later. */
    BEGIN("left") "setp.eq.u32 %p2, %r3, 1; mov.u32 %r6, 0; @%p2 bra LATE;\n"
                  "setp.lt.u32 %p1, %r1, 32; @%p1 bra HALF;\n" SYNC "ret;\n"
                  "HALF: bar.sync 1, 64; ret;\nLATE: add.u32 %r6, %r6, 1;\n"
                  "setp.lt.u32 %p3, %r6, 20000; @%p3 bra LATE; ret;\n}\n";

struct crowd {
    struct emulator_rig rig;
    device_addr out;
};

enum { WORDS = 4096 };

static void crowd_open(struct crowd *c, bool check, uint64_t seed)
{
    struct device_module *m;

    emulator_prepare(&c->rig, 1);
    c->rig.options.check = check;
    c->rig.options.seed = seed;
    c->rig.options.kernel_limit_ms = 1;
    emulator_start(&c->rig);
    c->out = emulator_words(&c->rig, 0, WORDS);
    emulator_must(&c->rig, c->rig.b->module_load(c->rig.set, 0, "clusters.ptx", text,
                                                 sizeof text - 1, &m, &c->rig.err));
    c->rig.module[0] = m;
}

static enum proact_status try(struct crowd *c, const char *kernel,
                              const struct device_launch *l)
{
    const struct contract_parameters p = emulator_parameters("d", c->out);
    struct device_launch launch = *l;
    struct device_function *f;

    launch.parameters = p.block;
    launch.parameter_bytes = p.bytes;
    emulator_must(&c->rig, c->rig.b->function(c->rig.module[0], kernel, &f, &c->rig.err));
    return c->rig.b->launch(c->rig.stream[0][0], f, &launch, &c->rig.err);
}

static void fails(struct crowd *c, enum proact_status status, const char *sentence)
{
    enum proact_status result = c->rig.b->synchronize(c->rig.set, &c->rig.err);

    if (result != status || !strstr(c->rig.err.text, sentence))
        fail_msg("status %d, '%s' does not say '%s'", (int)result, c->rig.err.text,
                 sentence);
    emulator_close(&c->rig);
}

/* 8 of these CTAs fit on the device at the same time; clusters of 5 and 3 do not share
   it. */
static void all_ctas_of_a_cluster_are_resident(void **state)
{
    static const struct {
        uint32_t grid[2], cluster[2];
    } shapes[] = {
        {{20, 4}, {2, 2}}, {{20, 10}, {5, 1}}, {{30, 3}, {3, 1}}, {{4, 32}, {1, 8}}};
    struct crowd c;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        const uint32_t *g = shapes[seed % 4].grid, *n = shapes[seed % 4].cluster;
        uint32_t out[400];

        crowd_open(&c, seed & 1, seed);
        emulator_must(&c.rig, try(&c, "last",
                                  &(struct device_launch){.grid = {g[0], g[1], 1},
                                                          .block = {512, 1, 1},
                                                          .cluster = {n[0], n[1], 1}}));
        emulator_must(&c.rig, c.rig.b->read(c.rig.stream[0][0], out, c.out, g[0] * g[1] * 4,
                                            &c.rig.err));
        for (uint32_t i = 0; i < g[0] * g[1]; i++)
            assert_int_equal(out[i], i % g[0] / n[0] * n[0] + n[0] - 1 +
                                         g[0] * (i / g[0] / n[1] * n[1] + n[1] - 1));
        emulator_close(&c.rig);
    }
}

/* No CTA starts before its cluster: 3 places remain free next to a cluster of 5. */
static void a_cluster_starts_as_a_unit(void **state)
{
    struct crowd c;

    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        crowd_open(&c, false, seed);
        emulator_must(&c.rig, try(&c, "trust",
                                  &(struct device_launch){.grid = {40, 1, 1},
                                                          .block = {512, 1, 1},
                                                          .cluster = {5, 1, 1}}));
        emulator_sync(&c.rig);
        emulator_close(&c.rig);
    }
}

static void a_cluster_that_never_fits_is_refused(void **state)
{
    struct crowd c;

    (void)state;
    crowd_open(&c, false, 0);
    assert_int_equal(try(&c, "last",
                         &(struct device_launch){.grid = {16, 1, 1},
                                                 .block = {512, 1, 1},
                                                 .cluster = {16, 1, 1}}),
                     PROACT_EINVAL);
    assert_string_equal(c.rig.err.text,
                        "kernel 'last': a cluster of 16 CTAs does not fit on a device at "
                        "once: it has room for 8");
    assert_int_equal(try(&c, "last",
                         &(struct device_launch){
                             .grid = {7, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}}),
                     PROACT_EINVAL);
    assert_string_equal(c.rig.err.text,
                        "kernel 'last': a grid of 7 x 1 x 1 CTAs is no multiple of its "
                        "clusters, 2 x 1 x 1");
    emulator_close(&c.rig);
}

static void expect_notified(struct crowd *c, const char *kernel)
{
    crowd_open(c, true, 0);
    emulator_must(&c->rig,
                  try(c, kernel,
                      &(struct device_launch){
                          .grid = {4, 1, 1}, .block = {64, 1, 1}, .cluster = {4, 1, 1}}));
}

/* A read before the barrier is a race. */
static void a_barrier_orders_global_memory(void **state)
{
    struct crowd c;

    (void)state;
    expect_notified(&c, "tell");
    emulator_sync(&c.rig);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(emulator_word(&c.rig, 0, c.out + 1024 + 4 * i), (i + 1) % 4);
    emulator_close(&c.rig);
    expect_notified(&c, "shout");
    fails(&c, PROACT_EFAULT, "kernel 'shout'");
}

static void endless_clusters_are_reported(void **state)
{
    struct crowd c;

    (void)state;
    expect_notified(&c, "endless");
    fails(&c, PROACT_ETIMEOUT, "seems endless");
    expect_notified(&c, "apart");
    fails(&c, PROACT_EFAULT, "and no other thread can");
    crowd_open(&c, false, 0);
    emulator_must(&c.rig,
                  try(&c, "left",
                      &(struct device_launch){
                          .grid = {2, 1, 1}, .block = {64, 1, 1}, .cluster = {2, 1, 1}}));
    fails(&c, PROACT_EFAULT, "and no other thread can");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ctas_of_a_cluster_are_resident),
        cmocka_unit_test(a_cluster_starts_as_a_unit),
        cmocka_unit_test(a_cluster_that_never_fits_is_refused),
        cmocka_unit_test(a_barrier_orders_global_memory),
        cmocka_unit_test(endless_clusters_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
