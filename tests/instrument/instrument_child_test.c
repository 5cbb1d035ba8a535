/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel versions whose epilogue launches a child kernel. Each placeholder for a call is
   replaced by one, and the called functions are present. With a folder as argument the
   program writes the text there, for children_link.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "instrument/instrument.h"

static const char mark[] = "/* proact_launch_child";

static unsigned count_of(const char *text, const char *word)
{
    unsigned n = 0;

    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

static struct ptx_module *read_module(const char *text, size_t bytes)
{
    struct ptx_module *m = NULL;
    struct proact_error err;

    if (ptx_parse("plain.ptx", text, bytes, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static struct ptx_module *read_plain(void)
{
    struct proact_error err;
    char *text;
    size_t bytes;

    if (file_read(PLAIN_PTX, &text, &bytes, &err))
        fail_msg("%s", err.text);
    struct ptx_module *m = read_module(text, bytes);

    free(text);
    return m;
}

/* The module with versions of all kernels that have one. */
static struct ptx_module *cloned(const struct ptx_module *m)
{
    struct instrument_request *r = must_calloc(m->function_count, sizeof *r);
    struct instrument_result *results = must_calloc(m->function_count, sizeof *results);
    struct proact_error err;
    size_t count = 0, bytes;
    char *text;

    for (uint32_t f = 0; f < m->function_count; f++)
        if (m->functions[f].is_entry)
            r[count++].kernel = m->functions[f].name;
    if (instrument_module(m, r, count, results, &text, &bytes, &err))
        fail_msg("%s", err.text);
    struct ptx_module *clones = read_module(text, bytes);

    free(text);
    free(results);
    free(r);
    return clones;
}

static void write_text(const char *folder, const char *text, size_t bytes)
{
    char path[4096];
    struct proact_error err;

    snprintf(path, sizeof path, "%s/children.ptx", folder);
    if (file_write(path, text, bytes, &err))
        fail_msg("%s", err.text);
}

static void every_placeholder_becomes_a_call(void **state)
{
    const char *const *argv = *state;
    struct ptx_module *plain = read_plain(), *clones = cloned(plain);
    unsigned marks = count_of(clones->text, mark);
    size_t bytes;
    char *text = instrument_children(clones, &bytes);
    struct ptx_module *m = read_module(text, bytes);
    const struct ptx_function *launch = ptx_function_find(m, "proact_launch_child");
    const struct ptx_function *child = ptx_function_find(m, "proact_child");

    assert_true(marks >= 3);
    assert_int_equal(count_of(text, mark), 0);
    assert_int_equal(count_of(text, "(proact_c3), proact_launch_child"), marks);
    assert_true(launch && !launch->is_entry);
    assert_true(child && child->is_entry && child->instruction_count > 0);
    for (uint32_t f = 0; f < clones->function_count; f++)
        assert_non_null(ptx_function_find(m, clones->functions[f].name));
    if (argv[1])
        write_text(argv[1], text, bytes);
    free(text);
    ptx_destroy(m);
    ptx_destroy(clones);
    ptx_destroy(plain);
}

/* The original text follows the inserted part unchanged. */
static void the_original_text_stays(void **state)
{
    struct ptx_module *m = read_plain();
    size_t bytes, first = m->functions[0].span.offset;
    char *text = instrument_children(m, &bytes);

    (void)state;
    assert_memory_equal(text, m->text, first);
    assert_true(bytes > m->bytes);
    assert_string_equal(text + bytes - (m->bytes - first), m->text + first);
    free(text);
    ptx_destroy(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_placeholder_becomes_a_call, argv),
        cmocka_unit_test(the_original_text_stays),
    };

    (void)argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
