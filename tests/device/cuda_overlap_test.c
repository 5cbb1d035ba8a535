/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel overlap in graphs: a kernel that depends only on one other kernel is launched
   before that kernel ends and waits for it itself. The fake driver refuses such a launch if
   the kernel does not start with the wait, or depends on another operation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/fake_cuda_session.h"

#define BODY                                                                               \
    "\n .reg .b32 %r;\n .reg .b64 %rd;\n ld.param.u64 %rd, [word];\n"                      \
    " atom.global.add.u32 %r, [%rd], 1;\n ret;\n}\n"
#define ENTRY(name) ".visible .entry " name "(.param .u64 word)\n{" BODY
#define TEXT(version, target)                                                              \
    ".version " version "\n.target " target "\n.address_size 64\n" ENTRY("more")

struct stage {
    struct device_set *set;
    struct device_stream *s, *other;
    struct device_event *event;
    struct device_function *f;
    device_addr word;
    struct proact_error err;
};

static void must(struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s", s->err.text);
}

static void load(struct stage *s, const char *text, const void *binary)
{
    const struct device_backend *b = &device_cuda;
    struct device_module *m;

    if (binary)
        must(s, b->module_load_binary(s->set, 0, "more.ptx", text, strlen(text), binary, &m,
                                      &s->err));
    else
        must(s, b->module_load(s->set, 0, "more.ptx", text, strlen(text), &m, &s->err));
    must(s, b->function(m, "more", &s->f, &s->err));
}

static void launch(struct stage *s, struct device_stream *stream)
{
    const struct device_launch l = {.grid = {1, 1, 1},
                                    .block = {1, 1, 1},
                                    .parameters = &s->word,
                                    .parameter_bytes = sizeof s->word};

    must(s, device_cuda.launch(stream, s->f, &l, &s->err));
}

static struct stage raise_curtain(const char *settings, const char *text,
                                  const void *binary)
{
    const struct device_backend *b = &device_cuda;
    struct stage s = {0};

    fake_cuda_set_up(settings);
    must(&s, b->open(&(struct device_options){.wait_limit_ms = 400}, &s.set, &s.err));
    must(&s, b->stream_create(s.set, 0, &s.s, &s.err));
    must(&s, b->stream_create(s.set, 0, &s.other, &s.err));
    must(&s, b->event_create(s.set, 0, false, &s.event, &s.err));
    must(&s, b->alloc(s.set, 0, 4, &s.word, &s.err));
    must(&s, b->fill(s.s, s.word, 0, 4, &s.err));
    must(&s, b->synchronize(s.set, &s.err));
    load(&s, text, binary);
    must(&s, b->capture_begin(s.set, &s.err));
    return s;
}

/* Expects `early` early launches; each launch runs twice. */
static void expect(struct stage *s, unsigned early, uint32_t launches)
{
    const struct device_backend *b = &device_cuda;
    struct device_graph *g;
    uint32_t word;

    must(s, b->capture_end(s->set, &g, &s->err));
    assert_int_equal(fake_cuda_early_launches(), early);
    must(s, b->graph_launch(g, &s->err));
    must(s, b->graph_launch(g, &s->err));
    must(s, b->read(s->s, &word, s->word, 4, &s->err));
    assert_int_equal(word, 2 * launches);
    b->graph_destroy(g);
    b->close(s->set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static void expect_of_three(const char *text, const void *binary, unsigned early)
{
    struct stage s = raise_curtain("", text, binary);

    for (int i = 0; i < 3; i++)
        launch(&s, s.s);
    expect(&s, early, 3);
}

static void consecutive_kernels_overlap(void **state)
{
    (void)state;
    expect_of_three(TEXT("7.0", "sm_75"), NULL, 2);
    expect_of_three(TEXT("8.8", "sm_90"), NULL, 2);
    expect_of_three(TEXT("9.0", "sm_80, debug"), NULL, 2);
}

static void kernels_that_cannot_wait_do_not_overlap(void **state)
{
    (void)state;
    expect_of_three(TEXT("6.4", "sm_75"), NULL, 0);
    expect_of_three(TEXT("7.0", "sm_61"), NULL, 0);
    expect_of_three(TEXT("7.0", "sm_75"), "\177ELF" TEXT("7.0", "sm_75"), 0);
}

/* Graphs of CUDA 12.2 do not support early launches. */
static void an_older_driver_is_not_queried(void **state)
{
    struct stage s = raise_curtain("FAKE_CUDA_VERSION=12020", TEXT("7.0", "sm_75"), NULL);

    (void)state;
    launch(&s, s.s);
    launch(&s, s.s);
    expect(&s, 0, 2);
}

/* Every kernel of a module waits. Comments and names in its text that look like directives
   have no effect. */
static void comments_do_not_hide_kernels(void **state)
{
    (void)state;
    expect_of_three("// .version 1.0 .entry {\n/* .target sm_10; */\n.version 7.4\n"
                    ".target sm_80\n.address_size 64\n"
                    ".file 1 \"a/*.entry b{.cu\"\n.visible .entry first(.param .u64 word)\n"
                    ".maxntid 32, 1, 1 // {\n{" BODY ENTRY("more"),
                    NULL, 2);
    expect_of_three(".version 7.4\n.target sm_80\n.address_size 64\n.visible .entry "
                    "more(.param .u64 word)\n.pragma \"nounroll\";\n{" BODY,
                    NULL, 0);
}

static void only_dependent_kernels_overlap(void **state)
{
    enum { LONG = 1 << 20 }; /* a fill by the driver */
    const struct device_backend *b = &device_cuda;
    struct stage s = raise_curtain("", TEXT("7.0", "sm_75"), NULL);
    device_addr more;

    (void)state;
    must(&s, b->alloc(s.set, 0, LONG, &more, &s.err));
    launch(&s, s.s);
    must(&s, b->fill(s.s, s.word, 0, 4, &s.err)); /* a kernel: early */
    launch(&s, s.s);                              /* early too */
    must(&s, b->fill(s.s, more, 0, LONG, &s.err));
    launch(&s, s.s);
    must(&s, b->record(s.s, s.event, &s.err));
    must(&s, b->wait_event(s.other, s.event, &s.err));
    launch(&s, s.other);
    must(&s, b->record(s.other, s.event, &s.err));
    must(&s, b->wait_event(s.s, s.event, &s.err));
    launch(&s, s.s);
    expect(&s, 2, 2); /* four launches follow the fill, which clears the word each time */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consecutive_kernels_overlap),
        cmocka_unit_test(kernels_that_cannot_wait_do_not_overlap),
        cmocka_unit_test(an_older_driver_is_not_queried),
        cmocka_unit_test(comments_do_not_hide_kernels),
        cmocka_unit_test(only_dependent_kernels_overlap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
