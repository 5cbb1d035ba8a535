/* SPDX-License-Identifier: Apache-2.0 */
/* Loop capture on the fake driver: from the third iteration on, a loop is one graph launch,
   as long as nothing changes or interrupts it. contract_repeats.c tests the effect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/fake_cuda_session.h"

static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry more(.param .u64 word)\n{\n .reg .b32 %r;\n"
                           " .reg .b64 %rd;\n ld.param.u64 %rd, [word];\n"
                           " atom.global.add.u32 %r, [%rd], 1;\n ret;\n}\n";
enum { KERNELS = 5 };

struct stage {
    const struct device_backend *b;
    struct device_set *set;
    struct device_stream *s;
    struct device_function *f;
    struct device_repeat *r;
    device_addr word;
    uint32_t expected;
    struct proact_error err;
};

static void must(const struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s", s->err.text);
}

static struct stage raise_curtain(const char *settings)
{
    struct stage s = {.b = &device_cuda};
    struct device_module *m;

    fake_cuda_set_up(settings);
    must(&s, s.b->open(&(struct device_options){.wait_limit_ms = 400}, &s.set, &s.err));
    must(&s, s.b->stream_create(s.set, 0, &s.s, &s.err));
    must(&s, s.b->alloc(s.set, 0, 8, &s.word, &s.err));
    must(&s, s.b->fill(s.s, s.word, 0, 8, &s.err));
    must(&s, s.b->module_load(s.set, 0, "more.ptx", text, strlen(text), &m, &s.err));
    must(&s, s.b->function(m, "more", &s.f, &s.err));
    must(&s, s.b->repeat_create(s.set, &s.r, &s.err));
    return s;
}

static void launch(struct stage *s, device_addr word)
{
    const struct device_launch l = {.grid = {1, 1, 1},
                                    .block = {1, 1, 1},
                                    .parameters = &word,
                                    .parameter_bytes = sizeof word};

    must(s, s->b->launch(s->s, s->f, &l, &s->err));
    s->expected += word == s->word;
}

static void repeat_of(struct stage *s, device_addr last)
{
    s->b->repeat_begin(s->r);
    for (int i = 1; i < KERNELS; i++)
        launch(s, s->word);
    launch(s, last);
    must(s, s->b->repeat_end(s->r, &s->err));
}

static void repeat(struct stage *s)
{
    repeat_of(s, s->word);
}

/* Expects the graph launches and instantiations since the previous call. */
static void expect(unsigned launches, unsigned graphs)
{
    static unsigned launches_before, graphs_before;
    const unsigned l = fake_cuda_calls_of("cuGraphLaunch"),
                   g = fake_cuda_calls_of("cuGraphInstantiateWithFlags");

    if (launches != UINT32_MAX) {
        assert_int_equal(l - launches_before, launches);
        assert_int_equal(g - graphs_before, graphs);
    }
    launches_before = l;
    graphs_before = g;
}

static void curtain(struct stage *s)
{
    uint32_t is;

    must(s, s->b->read(s->s, &is, s->word, sizeof is, &s->err));
    assert_int_equal(is, s->expected);
    s->b->repeat_destroy(s->r);
    s->b->close(s->set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static void the_third_iteration_is_a_graph(void **state)
{
    struct stage s = raise_curtain("");

    (void)state;
    expect(UINT32_MAX, 0);
    repeat(&s);
    repeat(&s);
    expect(0, 0);
    const unsigned before = fake_cuda_calls_of("cuLaunchKernel");

    repeat(&s);
    expect(1, 1);
    /* One launch each for the capture; all but the first start early. */
    assert_int_equal(fake_cuda_calls_of("cuLaunchKernel"), before + KERNELS);
    assert_int_equal(fake_cuda_early_launches(), KERNELS - 1);
    for (int i = 0; i < 10; i++)
        repeat(&s);
    expect(10, 0);
    assert_int_equal(fake_cuda_calls_of("cuLaunchKernel"), before + KERNELS);
    curtain(&s);
}

/* Other parameters change a node of the graph, also while earlier launches of the graph are
   queued. */
static void other_parameters_keep_the_graph(void **state)
{
    struct stage s = raise_curtain("");

    (void)state;
    expect(UINT32_MAX, 0);
    for (int i = 0; i < 4; i++)
        repeat(&s);
    expect(2, 1);
    const unsigned before = fake_cuda_calls_of("cuLaunchKernel");

    for (unsigned i = 0; i < 10; i++)
        repeat_of(&s, s.word + i % 2 * 4);
    expect(10, 0);
    assert_int_equal(fake_cuda_calls_of("cuLaunchKernel"), before);
    assert_int_equal(fake_cuda_calls_of("cuGraphExecKernelNodeSetParams_v2"), 9);
    curtain(&s);
}

/* The first graph is made although each iteration differs from the one before. */
static void parameters_may_always_change(void **state)
{
    struct stage s = raise_curtain("");

    (void)state;
    expect(UINT32_MAX, 0);
    for (unsigned i = 0; i < 10; i++)
        repeat_of(&s, s.word + i % 2 * 4);
    expect(8, 1);
    curtain(&s);
}

/* A change that the driver refuses, or a node that it does not name. */
static void without_changes_there_is_another_graph(void **state)
{
    static const char *const settings[] = {
        "FAKE_CUDA_FAIL=cuGraphExecKernelNodeSetParams_v2:1:1",
        "FAKE_CUDA_FAIL=cuStreamGetCaptureInfo_v3:5:1"};

    (void)state;
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        struct stage s = raise_curtain(settings[n]);

        expect(UINT32_MAX, 0);
        for (int i = 0; i < 3; i++)
            repeat(&s);
        expect(1, 1);
        for (int i = 0; i < 2; i++)
            repeat_of(&s, s.word + 4);
        expect(0, 0);
        repeat_of(&s, s.word + 4);
        expect(1, 1);
        curtain(&s);
    }
}

/* Another number of operations. */
static void a_changed_loop_is_another_graph(void **state)
{
    struct stage s = raise_curtain("");

    (void)state;
    expect(UINT32_MAX, 0);
    for (int i = 0; i < 4; i++)
        repeat(&s);
    expect(2, 1);
    for (int i = 0; i < 4; i++) {
        s.b->repeat_begin(s.r);
        for (int k = 0; k < KERNELS + 1; k++)
            launch(&s, s.word);
        must(&s, s.b->repeat_end(s.r, &s.err));
    }
    expect(2, 1);
    repeat(&s);
    expect(0, 0);
    curtain(&s);
}

/* The graph survives an interruption. */
static void an_interruption_ends_the_loop(void **state)
{
    struct stage s = raise_curtain("");
    uint32_t noted;

    (void)state;
    expect(UINT32_MAX, 0);
    for (int i = 0; i < 3; i++)
        repeat(&s);
    expect(1, 1);
    s.b->repeat_begin(s.r);
    launch(&s, s.word);
    must(&s, s.b->read(s.s, &noted, s.word, sizeof noted, &s.err));
    assert_int_equal(noted, s.expected);
    launch(&s, s.word);
    must(&s, s.b->repeat_end(s.r, &s.err));
    expect(0, 0);
    repeat(&s);
    expect(1, 0);
    curtain(&s);
}

static void without_a_graph_the_loop_is_queued(void **state)
{
    static const char *const settings[] = {
        "FAKE_CUDA_FAIL=cuStreamBeginCapture_v2:1:1",
        "FAKE_CUDA_FAIL=cuStreamEndCapture:1:1",
        "FAKE_CUDA_FAIL=cuGraphInstantiateWithFlags:1:1"};

    (void)state;
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        struct stage s = raise_curtain(settings[n]);

        expect(UINT32_MAX, 0);
        for (int i = 0; i < 6; i++)
            repeat(&s);
        assert_int_equal(fake_cuda_calls_of("cuGraphLaunch"), 0);
        curtain(&s);
    }
}

/* A refused operation within the loop, within the capture, and a refused graph. */
static void refused_operations_are_reported(void **state)
{
    static const char *const settings[] = {"FAKE_CUDA_FAIL=cuLaunchKernel:2:1",
                                           "FAKE_CUDA_FAIL=cuGraphLaunch:2:1"};

    (void)state;
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        struct stage s = raise_curtain(settings[n]);
        unsigned refused = 0;

        for (int i = 0; i < 6; i++) {
            s.b->repeat_begin(s.r);
            for (int k = 0; k < KERNELS; k++)
                launch(&s, s.word);
            if (s.b->repeat_end(s.r, &s.err)) {
                refused++;
                assert_true(s.err.text[0]);
            }
        }
        assert_int_equal(refused, 1);
        s.b->repeat_destroy(s.r);
        s.b->close(s.set);
        assert_int_equal(fake_cuda_still_left(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_iteration_is_a_graph),
        cmocka_unit_test(other_parameters_keep_the_graph),
        cmocka_unit_test(parameters_may_always_change),
        cmocka_unit_test(without_changes_there_is_another_graph),
        cmocka_unit_test(a_changed_loop_is_another_graph),
        cmocka_unit_test(an_interruption_ends_the_loop),
        cmocka_unit_test(without_a_graph_the_loop_is_queued),
        cmocka_unit_test(refused_operations_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
