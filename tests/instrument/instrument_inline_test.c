/* SPDX-License-Identifier: Apache-2.0 */
/* Inlining of functions. With a file name as argument the program prints the inlined
   text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <proact/proact.h>
#include <proact/program.h>

#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"

#define CALLS_PTX PROACT_SOURCE "/tests/instrument/inline.ptx"
enum { CTAS = 6, THREADS = 64, WORDS = CTAS * THREADS * 16 };

static char *read_module(size_t *bytes)
{
    struct proact_error err = {""};
    char *text = NULL;

    if (file_read(CALLS_PTX, &text, bytes, &err))
        fail_msg("%s", err.text);
    return text;
}

static char *inlined(size_t *bytes)
{
    struct proact_error err = {""};
    char *text = read_module(bytes);

    if (instrument_inline("inline.ptx", &text, bytes, &err))
        fail_msg("%s", err.text);
    assert_int_equal(strlen(text), *bytes);
    return text;
}

static struct ptx_module *must_parse(const char *text)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;

    if (ptx_parse("inline.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static unsigned calls_in(const struct ptx_module *m, const char *kernel)
{
    const struct ptx_function *f = ptx_function_find(m, kernel);
    unsigned calls = 0;

    assert_non_null(f);
    for (uint32_t i = 0; i < f->instruction_count; i++)
        calls += f->instructions[i].opcode == PTX_CALL;
    return calls;
}

static void must(enum proact_status status, const struct proact_error *err)
{
    if (status)
        fail_msg("%s", err->text);
}

/* Runs the kernel `shapes` of the text on `words`; returns whether the launch was split. */
static bool run(const char *text, size_t bytes, unsigned devices, uint32_t words[WORDS])
{
    struct proact_error err = {""};
    struct proact *p = NULL;
    struct proact_array *out = NULL;
    struct proact_kernel *kernel = NULL;
    const struct proact_image image = {.name = "inline.ptx", .text = text, .bytes = bytes};
    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};

    must(proact_open(&(struct proact_options){.machine = "v100x4",
                                              .device_count = devices,
                                              .check = true},
                     &p, &err),
         &err);
    must(proact_array_create(p, &(struct proact_shape){"out", WORDS, 4}, &out, &err), &err);
    must(proact_array_write(out, 0, words, WORDS, &err), &err);
    must(proact_kernel_load(p, &image, "shapes", &kernel, &err), &err);
    must(proact_launch(kernel, &grid, (struct proact_arg[]){PROACT_ARRAY(out)}, 1, &err),
         &err);
    must(proact_array_read(out, 0, words, WORDS, &err), &err);
    bool is_split = proact_kernel_refusal(kernel) == NULL;
    /* the shared memory of ours(), if inlined */
    assert_int_equal(proact_kernel_describe(kernel).static_shared_bytes,
                     is_split ? 256 : 0);

    proact_kernel_destroy(kernel);
    proact_array_destroy(out);
    proact_close(p);
    return is_split;
}

static uint32_t *ones(void)
{
    uint32_t *words = must_calloc(WORDS, sizeof *words);

    for (int i = 0; i < WORDS; i++)
        words[i] = 0x11111111;
    return words;
}

static void inlined_functions_have_the_same_effect(void **state)
{
    size_t bytes, new_bytes;
    char *text = read_module(&bytes), *new_text = inlined(&new_bytes);
    struct ptx_module *m = must_parse(new_text);
    uint32_t *truth = ones();

    (void)state;
    assert_int_equal(calls_in(m, "shapes"), 0);
    ptx_destroy(m);
    assert_false(run(text, bytes, 4, truth));
    for (unsigned devices = 1; devices <= 4; devices++) {
        uint32_t *words = ones();

        assert_true(run(new_text, new_bytes, devices, words));
        for (int i = 0; i < WORDS; i++)
            if (words[i] != truth[i])
                fail_msg("word %d of thread %d is %08x, not %08x", i % 16, i / 16, words[i],
                         truth[i]);
        free(words);
    }
    /* the results are not trivial: thread 5, words 1, 4, 8 and 11 */
    assert_int_equal(truth[5 * 16 + 11], 5);
    assert_int_equal(truth[4 * 16 + 11], 0x11111111);
    assert_int_not_equal(truth[5 * 16 + 1], truth[6 * 16 + 1]);
    assert_int_equal(truth[5 * 16 + 12], 0);
    assert_int_equal(truth[5 * 16 + 13], 5 * 0x01234567u);
    assert_int_equal(truth[5 * 16 + 9], (5 * 0x01234567u) ^ 77);
    free(truth);
    free(text);
    free(new_text);
}

static void other_functions_stay_called(void **state)
{
    size_t bytes;
    char *text = inlined(&bytes);
    struct ptx_module *m = must_parse(text);
    static const char *const kept[] = {"odd", "held", "nothing"};
    static const char *const gone[] = {"even", "widths", "deep", "put", "ours", "guards"};

    (void)state;
    assert_int_equal(calls_in(m, "stay"), 3);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (!ptx_function_find(m, kept[i]))
            fail_msg("'%s' is gone", kept[i]);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (ptx_function_find(m, gone[i]))
            fail_msg("'%s' is still there", gone[i]);
    assert_null(strstr(text, " widths(")); /* the declaration is removed too */
    ptx_destroy(m);
    free(text);
}

static void text_without_calls_is_unchanged(void **state)
{
    static const char same[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                               ".func f() { ret; }\n.entry k() { ret; }\n";
    struct proact_error err = {""};
    size_t bytes = strlen(same);
    char *text = must_strdup(same);

    (void)state;
    assert_int_equal(instrument_inline("same.ptx", &text, &bytes, &err), PROACT_OK);
    assert_string_equal(text, same);
    free(text);
    text = must_strdup("no PTX");
    bytes = strlen(text);
    assert_int_equal(instrument_inline("none.ptx", &text, &bytes, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "none.ptx:1:1"));
    free(text);
}

static int print_file(const char *path)
{
    struct proact_error err = {""};
    size_t bytes = 0;
    char *text = NULL;
    int status = file_read(path, &text, &bytes, &err) ||
                 instrument_inline(path, &text, &bytes, &err);

    printf("%s", status ? err.text : text);
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inlined_functions_have_the_same_effect),
        cmocka_unit_test(other_functions_stay_called),
        cmocka_unit_test(text_without_calls_is_unchanged),
    };

    return argc > 1 ? print_file(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
