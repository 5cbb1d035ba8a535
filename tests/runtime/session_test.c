/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that a session refuses, and operations that it queues, on a fake device. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <proact/device.h>

#include "runtime/stage.h"

static const char ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry marked(.param .u64 a, .param .u32 n, .param .align 8 .b8 s[4224])\n"
    "{\n ret;\n}\n"
    ".visible .entry wide(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,\n"
    " .param .u64 e, .param .u64 f, .param .u64 g, .param .u64 h, .param .u64 i,\n"
    " .param .u64 j, .param .u64 k, .param .u64 l, .param .u64 m, .param .u64 n,\n"
    " .param .u64 o, .param .u64 p, .param .u64 q, .param .u64 r, .param .u64 t,\n"
    " .param .u64 u, .param .u64 v,\n"
    " .param .align 8 .b8 s[4224])\n{\n ret;\n}\n"
    ".visible .entry writes(.param .u64 a, .param .u64 b)\n"
    "{\n .reg .b32 %r<2>;\n .reg .b64 %rd<3>;\n ld.param.u64 %rd1, [a];\n"
    " mov.u32 %r1, %ctaid.x;\n st.global.u32 [%rd1], %r1;\n ret;\n}\n"
    ".visible .entry reads(.param .u64 a)\n{\n ret;\n}\n";

_Static_assert(sizeof(struct proact_partition) == 4224, "the parameters above");

static const struct proact_map halves = {.kind = PROACT_MAP_CONTIGUOUS,
                                         .range_bytes = 4000};

static struct proact_kernel *kernel(struct stage *s, const char *name)
{
    const struct proact_image image = {.name = "four.ptx", .text = ptx};
    struct proact_kernel *k = NULL;

    must(s, proact_kernel_load(s->p, &image, name, &k, &s->err));
    return k;
}

static struct proact_kernel *marked(struct stage *s)
{
    struct proact_kernel *k = kernel(s, "marked");

    must(s, proact_kernel_map(k, 0, &halves, &s->err));
    return k;
}

static enum proact_status launch(struct stage *s, struct proact_kernel *k,
                                 struct proact_array *a, uint32_t ctas)
{
    const struct proact_grid grid = {.ctas = {ctas}, .threads = {64}};
    const uint32_t n = 1;
    const struct proact_arg args[] = {PROACT_ARRAY(a), PROACT_VALUE(n)};

    return proact_launch(k, &grid, args, 2, &s->err);
}

static const char *queued(struct stage *s)
{
    return fake_state(s->p->set)->log.data;
}

static void bad_options_are_refused_in_a_sentence(void **state)
{
    static const struct {
        struct proact_options options;
        const char *message;
        enum proact_status status;
    } cases[] = {
        {{.plan = {.method = "telepathy"}},
         "unknown method 'telepathy': known are bulk, bulk-serial, inline, fused, polling, "
         "dynamic, copy-engine, relay, hardware",
         PROACT_EINVAL},
        {{.plan = {.method = "hardware"}},
         "method 'hardware' needs a counting unit in the device, which the pretend backend "
         "does not have",
         PROACT_EREFUSED},
        {{.plan = {.chunk_bytes = 5000}},
         "chunk of 5000 bytes: a power of two from 4096 to 268435456 is possible",
         PROACT_EINVAL},
        {{.plan = {.chunk_bytes = 2048}},
         "chunk of 2048 bytes: a power of two from 4096 to 268435456 is possible",
         PROACT_EINVAL},
        {{.plan = {.chunk_bytes = 512ull << 20}},
         "chunk of 536870912 bytes: a power of two from 4096 to 268435456 is possible",
         PROACT_EINVAL},
        {{.plan = {.transfer_threads = 16}},
         "16 transfer threads: a multiple of 32 from 32 to 40960 is possible",
         PROACT_EINVAL},
        {{.plan = {.transfer_threads = 40992}},
         "40992 transfer threads: a multiple of 32 from 32 to 40960 is possible",
         PROACT_EINVAL},
        {{.plan = {.transfer_threads = 100}},
         "100 transfer threads: a multiple of 32 from 32 to 40960 is possible",
         PROACT_EINVAL},
        {{.wait_timeout_ms = -1},
         "a wait timeout of -1 ms: 0 (for 10000) or 1e-06 to 1e+09 is possible",
         PROACT_EINVAL},
        {{.wait_timeout_ms = 1e-9},
         "a wait timeout of 1e-09 ms: 0 (for 10000) or 1e-06 to 1e+09 is possible",
         PROACT_EINVAL},
        {{.wait_timeout_ms = INFINITY},
         "a wait timeout of inf ms: 0 (for 10000) or 1e-06 to 1e+09 is possible",
         PROACT_EINVAL},
        {{.wait_timeout_ms = (double)NAN},
         "a wait timeout of nan ms: 0 (for 10000) or 1e-06 to 1e+09 is possible",
         PROACT_EINVAL},
        {{.device_count = 7, .plan = {.method = "inline"}},
         "method 'inline' needs a device that reaches a peer's memory, and none of the 7 "
         "devices does: 'bulk' does not need it",
         PROACT_EREFUSED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proact_options o = cases[i].options;
        struct proact *p = NULL;
        struct proact_error err = {""};

        o.machine = "v100x16";
        assert_int_equal(session_open(&fake_device, &o, &p, &err), cases[i].status);
        assert_string_equal(err.text, cases[i].message);
        assert_null(p);
    }
}

static void agents_before_sm_70_cannot_sleep(void **state)
{
    static const struct {
        const char *machine, *agent, *message;
    } cases[] = {
        {"k40x4", "sleep",
         "agent 'sleep' requires compute capability 7.0, the devices have 3.5"},
        {"v100x4", "doze", "no agent 'doze': there are sleep and spin"},
        {"k40x4", "spin", NULL},
        {"k40x4", NULL, NULL},
        {"v100x4", "sleep", NULL},
        {"v100x4", "spin", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct proact_options o = {
            .machine = cases[i].machine,
            .plan = {.method = "polling", .agent = cases[i].agent}};
        struct proact *p = NULL;
        struct proact_error err = {""};

        assert_int_equal(session_open(&fake_device, &o, &p, &err),
                         cases[i].message ? PROACT_EINVAL : PROACT_OK);
        assert_string_equal(err.text, cases[i].message ? cases[i].message : "");
        proact_close(p);
    }
}

static void an_unknown_machine_and_too_many_devices_are_refused(void **state)
{
    struct proact_options o = {.machine = "abacus"};
    struct proact_error err = {""};
    struct proact *p = NULL;

    (void)state;
    assert_int_equal(session_open(&fake_device, &o, &p, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "abacus"));
    o = (struct proact_options){.machine = "v100x4", .device_count = 5};
    assert_int_equal(session_open(&fake_device, &o, &p, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "5"));
    assert_non_null(strstr(err.text, "4"));
    assert_null(p);
    assert_int_equal(session_open(&fake_device, NULL, &p, &err), PROACT_OK);
    assert_int_equal(proact_device_count(p), 4); /* the default machine has four devices */
    proact_close(p);
}

static void wrong_arguments_are_refused_in_a_sentence(void **state)
{
    const struct proact_grid grid = {.ctas = {3}, .threads = {64}};
    const uint64_t wide = 1;
    const uint32_t n = 1;
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 3);
    struct proact_kernel *k = marked(&s);
    struct proact_arg args[] = {PROACT_ARRAY(s.a), PROACT_VALUE(n)};

    assert_int_equal(proact_launch(k, &grid, args, 1, &s.err), PROACT_EINVAL);
    assert_string_equal(
        s.err.text, "kernel 'marked': 1 arguments given, it takes 2 before its partition");
    args[1] = PROACT_VALUE(wide);
    assert_int_equal(proact_launch(k, &grid, args, 2, &s.err), PROACT_EINVAL);
    assert_string_equal(s.err.text,
                        "kernel 'marked': argument 1 has 8 bytes, its parameter 4");
    args[1] = PROACT_ARRAY(s.b);
    assert_int_equal(proact_launch(k, &grid, args, 2, &s.err), PROACT_EINVAL);
    args[1] = (struct proact_arg){0};
    assert_int_equal(proact_launch(k, &grid, args, 2, &s.err), PROACT_EINVAL);
    assert_string_equal(s.err.text, "kernel 'marked': argument 1 is empty");
    args[0] = PROACT_VALUE(wide);
    args[1] = PROACT_VALUE(n);
    assert_int_equal(proact_launch(k, &grid, args, 2, &s.err), PROACT_EINVAL);
    assert_string_equal(s.err.text,
                        "kernel 'marked': argument 0 has a map and must be an array");
    proact_close(s.p);
}

static void impossible_grids_and_maps_are_refused(void **state)
{
    const struct proact_arg args[] = {{0}, {0}};
    const struct proact_map none = {.kind = PROACT_MAP_CONTIGUOUS};
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 3);
    struct proact_kernel *k = marked(&s), *wide = kernel(&s, "wide");
    const struct proact_grid large = {.ctas = {65536, 65536}}, fat = {.threads = {64, 32}};

    assert_int_equal(proact_launch(k, &large, args, 2, &s.err), PROACT_EINVAL);
    assert_non_null(strstr(s.err.text, "65536 x 65536 x 1 CTAs, 2147483647 possible"));
    assert_int_equal(proact_launch(k, &fat, args, 2, &s.err), PROACT_EINVAL);
    assert_non_null(strstr(s.err.text, "64 x 32 x 1 threads a CTA, 1024 possible"));
    assert_int_equal(proact_kernel_map(k, 0, &none, &s.err), PROACT_EINVAL);
    assert_int_equal(proact_kernel_map(k, 2, &halves, &s.err), PROACT_EINVAL);
    assert_string_equal(s.err.text,
                        "kernel 'marked': map for argument 2, it takes 2 arguments");
    for (unsigned arg = 0; arg < PROACT_SLOTS_MAX; arg++)
        must(&s, proact_kernel_map(wide, arg, &halves, &s.err));
    assert_int_equal(proact_kernel_map(wide, PROACT_SLOTS_MAX, &halves, &s.err),
                     PROACT_EINVAL);
    assert_non_null(strstr(s.err.text, "number 21, 20 possible"));
    proact_close(s.p);
}

static void elements_beyond_the_end_are_refused(void **state)
{
    uint32_t some[4] = {0};
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    assert_int_equal(proact_array_write(s.a, 2998, some, 3, &s.err), PROACT_EINVAL);
    assert_string_equal(s.err.text,
                        "array 'a': elements 2998 to 3001 requested, it has 3000");
    assert_int_equal(proact_array_read(s.a, SIZE_MAX, some, 2, &s.err), PROACT_EINVAL);
    assert_int_equal(proact_array_read_replica(s.a, 2, 0, some, 1, &s.err), PROACT_EINVAL);
    must(&s, proact_array_write(s.a, 2996, some, 4, &s.err));
    must(&s, proact_array_read(s.a, 3000, some, 0, &s.err));
    proact_close(s.p);
}

/* Three devices with one CTA each. Each device copies its partition to the peers, starting
   with the next one. A second launch reuses all tables. */
static void bulk_copies_after_the_kernel(void **state)
{
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 3);
    s.p->constraint.everywhere = true;
    struct proact_kernel *k = marked(&s);

    must(&s, launch(&s, k, s.a, 3));
    fake_forget(s.p->set);
    unsigned waits = fake_state(s.p->set)->waits;

    must(&s, launch(&s, k, s.a, 3));
    assert_int_equal(fake_state(s.p->set)->waits, waits); /* no wait for a device */
    const char *log = queued(&s), *at = strstr(log, "launch 1.0");

    assert_non_null(at);
    assert_null(strstr(log, "write"));
    assert_non_null(strstr(log, "wait 1.0 for 0.1"));
    assert_non_null(strstr(log, "wait 1.0 for 2.1"));
    assert_true(strstr(log, "wait 1.0 for 2.1") < at);
    at = strstr(at, "wait 1.1 for 1.0\n");
    assert_non_null(at); /* the transfer stream continues after the kernel */
    assert_memory_equal(at + strlen("wait 1.1 for 1.0\n"),
                        "copy 1.1 12000@1+4000 > 12000@2+4000 for 4000\n"
                        "copy 1.1 12000@1+4000 > 12000@0+4000 for 4000\n"
                        "record 1.1\n",
                        strlen("copy 1.1 12000@1+4000 > 12000@2+4000 for 4000\n") * 2 + 11);
    proact_close(s.p);
}

static void an_agent_has_the_requested_threads(void **state)
{
    static const struct {
        unsigned threads;
        const char *agent, *message;
    } cases[] = {{32, NULL, "launch 0.1 proact_agent 1x1x1 of 32x1x1, urgent\n"},
                 {32, "spin", "launch 0.1 proact_agent_spin 1x1x1 of 32x1x1, urgent\n"},
                 {1024, NULL, "launch 0.1 proact_agent 1x1x1 of 1024x1x1, urgent\n"},
                 {2048, NULL, "launch 0.1 proact_agent 2x1x1 of 1024x1x1, urgent\n"},
                 {1056, NULL, "launch 0.1 proact_agent 2x1x1 of 544x1x1, urgent\n"},
                 {8192, NULL, "launch 0.1 proact_agent 8x1x1 of 1024x1x1, urgent\n"},
                 {32768, NULL, "launch 0.1 proact_agent 32x1x1 of 1024x1x1, urgent\n"}};
    struct stage s;

    (void)state;
    raise_curtain(&s, "polling", 2);
    struct proact_kernel *k = marked(&s);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct proact_plan plan = {.method = "polling",
                                         .transfer_threads = cases[i].threads,
                                         .agent = cases[i].agent,
                                         .broadcast = true};
        static const char order[] = "record 0.1\nwait 0.0 for 0.1\n";

        must(&s, proact_plan_set(s.p, &plan, &s.err));
        fake_forget(s.p->set);
        must(&s, launch(&s, k, s.a, 3));
        const char *agent = strstr(queued(&s), cases[i].message);

        assert_non_null(agent);
        /* The agent is resident before the kernel, which waits until it may start. */
        assert_memory_equal(agent - strlen(order), order, strlen(order));
        assert_true(agent < strstr(queued(&s), "launch 0.0 marked"));
    }
    proact_close(s.p);
}

/* A large agent leaves space for the kernel that it waits for: 15 SMs hold 8 CTAs each. */
static void an_agent_leaves_space_for_the_kernel(void **state)
{
    static const struct {
        const char *machine;
        unsigned threads;
        enum proact_status status;
    } cases[] = {{"k40x4", 8192, PROACT_OK},   {"k40x4", 8224, PROACT_EINVAL},
                 {"p100x4", 28672, PROACT_OK}, {"p100x4", 28704, PROACT_EINVAL},
                 {"h200x4", 49152, PROACT_OK}, {"h200x4", 49184, PROACT_EINVAL}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct proact_options o = {.machine = cases[i].machine,
                                         .plan = {.transfer_threads = cases[i].threads}};
        struct proact_error err = {""};
        struct proact *p = NULL;

        assert_int_equal(session_open(&fake_device, &o, &p, &err), cases[i].status);
        proact_close(p);
    }
}

/* The launch uses two of three devices. The third only waits for what it receives. */
static void a_launch_may_leave_devices_out(void **state)
{
    const struct proact_grid grid = {.ctas = {3}, .threads = {64}, .device_count = 2};
    const uint32_t n = 1;
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 3);
    const struct proact_arg args[] = {PROACT_ARRAY(s.a), PROACT_VALUE(n)};

    must(&s, proact_launch(marked(&s), &grid, args, 2, &s.err));
    assert_non_null(strstr(queued(&s), "launch 0.0 marked 2x1x1"));
    assert_non_null(strstr(queued(&s), "launch 1.0 marked 1x1x1"));
    assert_null(strstr(queued(&s), "launch 2.0"));
    assert_null(strstr(queued(&s), "copy 2.1"));
    assert_non_null(strstr(queued(&s), "copy 0.1 12000@0+0 > 12000@2+0 for 8000"));
    proact_close(s.p);
}

static void a_plain_kernel_sends_only_if_it_writes(void **state)
{
    const struct proact_grid grid = {.ctas = {3, 2}, .threads = {64}};
    struct stage s;

    (void)state;
    raise_curtain(&s, "polling", 2);
    const struct proact_arg args[] = {PROACT_ARRAY(s.a), PROACT_ARRAY(s.b)};

    must(&s, proact_launch(kernel(&s, "reads"), &grid, args, 1, &s.err));
    assert_non_null(strstr(queued(&s), "launch 0.0 reads 3x2x1"));
    assert_null(strstr(queued(&s), "copy"));
    must(&s, proact_launch(kernel(&s, "writes"), &grid, args, 2, &s.err));
    assert_null(strstr(queued(&s), "copy")); /* no other device reads it yet */
    assert_null(strstr(queued(&s), "launch 1.0"));
    must(&s, proact_array_broadcast(s.a, &s.err));
    assert_non_null(strstr(queued(&s), "copy 0.1 12000@0+0 > 12000@1+0 for 12000"));
    assert_null(strstr(queued(&s), "for 8000"));
    must(&s, proact_array_broadcast(s.b, &s.err)); /* the kernel does not write it */
    assert_null(strstr(queued(&s), "for 8000"));
    proact_close(s.p);
}

/* Counters of a failed launch are reset. */
static void a_broken_launch_leaves_no_counters(void **state)
{
    struct stage s;

    (void)state;
    raise_curtain(&s, "fused", 2);
    s.p->constraint.everywhere = true;
    struct proact_kernel *k = marked(&s);

    must(&s, launch(&s, k, s.a, 3));
    fake_state(s.p->set)->breaks = PROACT_EFAULT;
    assert_int_equal(proact_wait(s.p, &s.err), PROACT_EFAULT);
    assert_string_equal(s.err.text, "broken as told");
    fake_forget(s.p->set);
    must(&s, launch(&s, k, s.a, 3));
    assert_non_null(strstr(queued(&s), "fill 0.0"));
    assert_non_null(strstr(queued(&s), "fill 1.0"));
    fake_forget(s.p->set);
    must(&s, launch(&s, k, s.a, 3));
    assert_null(strstr(queued(&s), "fill"));
    must(&s, proact_wait(s.p, &s.err));
    proact_close(s.p);
}

/* Each allocation fails in turn. The fake device aborts if an object is leaked. */
static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    for (const char *const *m = proact_method_names(); strcmp(*m, "hardware") != 0; m++)
        for (unsigned left = 1; left < 12; left++) {
            const struct proact_shape shape = {"c", 100, 4};
            struct proact_array *c = NULL;
            struct stage s;

            raise_curtain(&s, *m, 3);
            struct proact_kernel *k = marked(&s);

            fake_state(s.p->set)->allocations_left = left;
            enum proact_status status = proact_array_create(s.p, &shape, &c, &s.err);

            assert_true(status == PROACT_OK || status == PROACT_ENOSPACE);
            assert_true((status == PROACT_OK) == (c != NULL));
            if (!status)
                status = launch(&s, k, s.a, 3);
            assert_true(status == PROACT_OK || status == PROACT_ENOSPACE);
            fake_state(s.p->set)->allocations_left = 0;
            must(&s, launch(&s, k, s.a, 3));
            proact_close(s.p);
        }
}

static void objects_may_be_destroyed_in_any_order(void **state)
{
    static const char order[][4] = {"abk", "bka", "kab", "kba", "a", "k", ""};

    (void)state;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        struct stage s;

        raise_curtain(&s, "polling", 3);
        struct proact_kernel *k = marked(&s);

        must(&s, launch(&s, k, s.a, 3));
        must(&s, launch(&s, k, s.b, 2));
        for (const char *c = order[i]; *c; c++) {
            if (*c == 'k')
                proact_kernel_destroy(k);
            else
                proact_array_destroy(*c == 'a' ? s.a : s.b);
            must(&s, proact_wait(s.p, &s.err));
        }
        proact_close(s.p);
    }
    proact_close(NULL);
    proact_array_destroy(NULL);
    proact_kernel_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused_in_a_sentence),
        cmocka_unit_test(agents_before_sm_70_cannot_sleep),
        cmocka_unit_test(an_unknown_machine_and_too_many_devices_are_refused),
        cmocka_unit_test(wrong_arguments_are_refused_in_a_sentence),
        cmocka_unit_test(impossible_grids_and_maps_are_refused),
        cmocka_unit_test(elements_beyond_the_end_are_refused),
        cmocka_unit_test(bulk_copies_after_the_kernel),
        cmocka_unit_test(an_agent_has_the_requested_threads),
        cmocka_unit_test(an_agent_leaves_space_for_the_kernel),
        cmocka_unit_test(a_launch_may_leave_devices_out),
        cmocka_unit_test(a_plain_kernel_sends_only_if_it_writes),
        cmocka_unit_test(a_broken_launch_leaves_no_counters),
        cmocka_unit_test(every_failed_allocation_is_reported),
        cmocka_unit_test(objects_may_be_destroyed_in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
