/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk stores from shared memory, and the synchronization that they require after a
   thread's store to the source. */
#include "execute_testing.h"

enum { THREADS = 64 };

#define CLUSTER "barrier.cluster.arrive; barrier.cluster.wait;"

/* All threads fill 256 bytes, and thread 0 stores them to word 1024 + 4 with a bulk store.
   `before` precedes the barrier `meet`; `after` follows it in thread 0. */
static void open_stage(struct rig *r, const char *before, const char *meet,
                       const char *after, const char *end)
{
    struct text all = {NULL, 0, 0};

    text_print(&all,
               ".shared .align 16 .b8 s[256];\n%s"
               "mov.u32 %%r3, s; shl.b32 %%r4, %%r1, 2; add.u32 %%r5, %%r3, %%r4;\n"
               "mul.lo.u32 %%r6, %%r1, 7; st.shared.u32 [%%r5], %%r6;\n%s\n%s\n"
               "setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra OVER;\n%s\n"
               "cp.async.bulk.global.shared::cta.bulk_group [%%rd1+4112], [%%r3], 256;\n"
               "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group%s 0;\nOVER: ret; }\n",
               RIG_KERNEL, before, meet, after, end);
    rig_open(r, all.data, true);
    text_clear(&all);
    r->launch.block[0] = THREADS;
    r->launch.check = true;
}

static void a_bulk_store_is_performed_by_default(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct rig r;

        open_stage(&r, "fence.proxy.async.shared::cta;", "bar.sync 0;",
                   "cp.async.bulk.prefetch.L2.global [%rd1], 256;",
                   seed & 1 ? ".read" : "");
        r.remote = seed & 2 ? (uint64_t)(uintptr_t)(r.memory + 1028 + 32) : 0;
        assert_int_equal(rig_run(&r, seed & 4 ? 5 : 1000, seed), EXECUTE_EXITED);
        for (uint32_t i = 0; i < THREADS; i++)
            assert_int_equal(r.memory[1028 + i], 7 * i);
        assert_int_equal(r.memory[1027], 0);
        assert_int_equal(r.memory[1028 + THREADS], 0);
        rig_close(&r);
    }
}

/* Counts stores without performing them. */
static enum execute_verdict only_count(void *context, struct execute_warp *w,
                                       const struct execute_access *a)
{
    struct rig *r = context;

    (void)w;
    if (a->kind != EXECUTE_STORE)
        return EXECUTE_GO;
    r->clock++;
    return EXECUTE_DONE;
}

static enum execute_verdict never_called(void *context, struct execute_warp *w,
                                         const struct execute_access *a,
                                         const struct execute_op *op,
                                         const unsigned char *operands)
{
    (void)context, (void)w, (void)a, (void)op, (void)operands;
    fail_msg("it was done");
    return EXECUTE_FAULT;
}

static void a_store_that_the_host_performs_is_not_repeated(void **state)
{
    struct rig r;

    (void)state;
    open_stage(&r, "st.global.u8 [%rd1], %r1; fence.proxy.async;", "bar.sync 0;", "", "");
    r.host.access = only_count;
    r.host.remote = never_called;
    assert_int_equal(rig_run(&r, 1000, 1), EXECUTE_EXITED);
    assert_int_equal(r.clock, THREADS / 32 + THREADS * 4 / 16); /* by warp, by 16 bytes */
    for (uint32_t i = 0; i < RIG_WORDS; i++)
        assert_int_equal(r.memory[i], 0);
    rig_close(&r);
}

/* The proxy fence may be anywhere between the store and the bulk store. */
static void the_proxy_fence_is_required(void **state)
{
    static const struct {
        const char *before, *after, *message;
    } cases[] = {
        {"fence.proxy.async;", "", NULL},
        {"fence.proxy.async.shared::cta;", "", NULL},
        {"", "fence.proxy.async.shared::cta;", NULL},
        {"", "", "with no fence.proxy.async between"},
        {"", "membar.gl;", "with no fence.proxy.async between"},
        {"fence.proxy.async.global;", "", "with no fence.proxy.async between"},
        /* a fence of one warp, which the other warp's stores do not precede */
        {"setp.lt.u32 %p2, %r1, 32; @%p2 fence.proxy.async;", "", "byte 128 of shared"},
        {"setp.gt.u32 %p2, %r1, 31; @%p2 fence.proxy.async;", "", "byte 0 of shared"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct rig r;

            open_stage(&r, cases[i].before, seed & 1 ? CLUSTER : "bar.sync 0;",
                       cases[i].after, "");
            enum execute_stop stop = rig_run(&r, 1000, seed);

            if (stop != (cases[i].message ? EXECUTE_TRAPPED : EXECUTE_EXITED) ||
                (cases[i].message && !strstr(r.fault, cases[i].message)))
                fail_msg("case %zu, seed %d: stop %d: %s", i, (int)seed, (int)stop,
                         r.fault);
            rig_close(&r);
        }
}

/* A flag in shared memory with fences orders the stores like a barrier. */
static void a_flag_with_fences_publishes_stores(void **state)
{
    (void)state;
    for (int fences = 0; fences < 2; fences++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct text all = {NULL, 0, 0};
            struct rig r;

            text_print(
                &all,
                ".shared .align 16 .b8 s[32];\n%s"
                "mov.u32 %%r3, s; st.shared.u32 [%%r3+16], 0; bar.sync 0;\n"
                "setp.gt.u32 %%p1, %%r1, 31; @%%p1 bra TAKE;\n"
                "setp.ne.u32 %%p2, %%r1, 0; @%%p2 bra OVER;\n"
                "st.shared.v4.u32 [%%r3], {1, 2, 3, 4}; %s\n"
                "st.volatile.shared.u32 [%%r3+16], 1; bra OVER;\n"
                "TAKE: setp.ne.u32 %%p2, %%r1, 32; @%%p2 bra OVER;\n"
                "AGAIN: atom.shared.or.b32 %%r4, [%%r3+16], 0; setp.eq.u32 %%p3, %%r4, 0;\n"
                "@%%p3 bra AGAIN; fence.acq_rel.cta; fence.proxy.async;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%%rd0], [%%r3], 16;\n"
                "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nOVER: ret; }\n",
                RIG_KERNEL, fences ? "fence.acq_rel.cta;" : "");
            rig_open(&r, all.data, true);
            text_clear(&all);
            r.launch.block[0] = THREADS;
            r.launch.check = true;
            assert_int_equal(rig_run(&r, 20, seed),
                             fences ? EXECUTE_EXITED : EXECUTE_TRAPPED);
            assert_int_equal(r.memory[3], fences ? 4 : 0);
            rig_close(&r);
        }
}

static void a_wrong_source_is_named(void **state)
{
    static const struct {
        const char *store, *message;
    } cases[] = {
        {"[%rd0], [s], 16", NULL},
        {"[%rd0+8], [s], 16", "all three must be multiples of 16"},
        {"[%rd0], [s+4], 16", "all three must be multiples of 16"},
        {"[%rd0], [s], 20", "all three must be multiples of 16"},
        {"[%rd0], [s+48], 32", "offset 48 of shared memory, which has 64"},
        {"[%rd0], [s+16], 32", "byte 32 of shared memory, where nothing was stored"},
        {"[%rd0+1048576], [s], 16", "refused"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text all = {NULL, 0, 0};
        struct rig r;

        text_print(&all,
                   ".shared .align 16 .b8 s[64];\n%s"
                   "st.shared.v4.u32 [s], {1, 2, 3, 4}; st.shared.v4.u32 [s+16], {1, 2, 3, "
                   "4};\nfence.proxy.async; setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra OVER;\n"
                   "cp.async.bulk.global.shared::cta.bulk_group %s;\nOVER: ret; }\n",
                   RIG_KERNEL, cases[i].store);
        rig_open(&r, all.data, true);
        text_clear(&all);
        r.launch.check = true;
        rig_expect(&r, cases[i].message ? EXECUTE_TRAPPED : EXECUTE_EXITED);
        if (cases[i].message && !strstr(r.fault, cases[i].message))
            fail_msg("case %zu: %s", i, r.fault);
        rig_close(&r);
    }
}

static void other_bulk_copies_are_refused(void **state)
{
    static const char *const forms[] = {
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r3], 16",
        "cp.async.bulk.wait_group %r3",
    };

    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct proact_error err = {""};
        struct ptx_module *m = NULL;
        struct execute_program *p = NULL;
        struct text all = {NULL, 0, 0};

        text_print(&all, RIG_HEAD ".shared .b64 m;\n%s%s;\nret; }\n", RIG_KERNEL, forms[i]);
        assert_int_equal(ptx_parse("t", all.data, all.length, &m, &err), PROACT_OK);
        if (!execute_program_create(m, &p, &err))
            fail_msg("taken: %s", forms[i]);
        assert_non_null(strstr(err.text, "cp."));
        ptx_destroy(m);
        text_clear(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bulk_store_is_performed_by_default),
        cmocka_unit_test(a_store_that_the_host_performs_is_not_repeated),
        cmocka_unit_test(the_proxy_fence_is_required),
        cmocka_unit_test(a_flag_with_fences_publishes_stores),
        cmocka_unit_test(a_wrong_source_is_named),
        cmocka_unit_test(other_bulk_copies_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
