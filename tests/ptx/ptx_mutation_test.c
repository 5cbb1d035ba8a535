/* SPDX-License-Identifier: Apache-2.0 */
/* Robustness of the parser: every prefix of a small file, and the file with any byte
   changed to any other value or removed. A text that parses is printed unchanged. */
#include "ptx_testing.h"

static int read_small(void **state)
{
    struct text *t = calloc(1, sizeof *t);
    struct proact_error err = {""};

    if (file_read(PROACT_SOURCE "/tests/ptx/small.ptx", &t->data, &t->length, &err))
        fail_msg("%s", err.text);
    *state = t;
    return 0;
}

static int free_small(void **state)
{
    free(((struct text *)*state)->data);
    free(*state);
    return 0;
}

/* The text is in a block of its exact size, so that a sanitizer finds an overrun. */
static bool survives(const char *text, size_t bytes)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    char *exact = malloc(bytes ? bytes : 1);
    size_t printed_bytes;

    memcpy(exact, text, bytes);
    bool parsed = ptx_parse("small.ptx", exact, bytes, &m, &err) == PROACT_OK;

    if (!parsed && strncmp(err.text, "small.ptx:", 10) != 0)
        fail_msg("an error without its place: %s", err.text);
    if (parsed) {
        char *printed = ptx_print(m, &printed_bytes);

        assert_int_equal(printed_bytes, bytes);
        assert_memory_equal(printed, exact, bytes);
        free(printed);
    }
    ptx_destroy(m);
    free(exact);
    return parsed;
}

static void prefixes_are_parsed_safely(void **state)
{
    const struct text *t = *state;

    assert_false(survives(t->data, t->length - 3));
    for (size_t i = 0; i <= t->length; i++)
        survives(t->data, i);
}

static void changed_bytes_are_parsed_safely(void **state)
{
    const struct text *t = *state;
    char *copy = malloc(t->length);
    unsigned parsed = 0;

    memcpy(copy, t->data, t->length);
    for (size_t i = 0; i < t->length; i++) {
        for (int value = 0; value < 256; value++) {
            copy[i] = (char)value;
            parsed += survives(copy, t->length);
        }
        copy[i] = t->data[i];
    }
    free(copy);
    print_message("%u of %zu parse\n", parsed, 256 * t->length);
    assert_true(parsed > t->length); /* any byte is valid in a comment or a name */
}

static void removed_and_doubled_bytes_are_parsed_safely(void **state)
{
    const struct text *t = *state;
    char *copy = malloc(t->length + 1);

    for (size_t i = 0; i < t->length; i++) {
        memcpy(copy, t->data, i);
        memcpy(copy + i, t->data + i + 1, t->length - i - 1);
        survives(copy, t->length - 1);
        memcpy(copy, t->data, i + 1);
        memcpy(copy + i + 1, t->data + i, t->length - i);
        survives(copy, t->length + 1);
    }
    free(copy);
}

/* One megabyte of each; quadratic work would take hours. */
static void large_files_take_linear_time(void **state)
{
    struct text t = {0};

    (void)state;
    text_print(&t, PTX_HEAD ".entry k() { .reg .b32 %%r<99999999>;\n");
    for (int i = 0; i < 20000; i++)
        text_print(&t, "A%d: add.u32 %%r%d, %%r%d, %d; bra B%d; {{ bra A%d; }}\n", i, i,
                   2 * i, i, i, i);
    for (int i = 0; i < 20000; i++)
        text_print(&t, "B%d: ret;\n", i);
    text_print(&t, "}\n.global .u32 x[] = {");
    for (int i = 0; i < 200000; i++)
        text_print(&t, "%d, ", i);
    text_print(&t, "0};\n");
    for (int i = 0; i < 20000; i++)
        text_print(&t, ".func f%d(); .global .u32 g%d;\n", i, i);
    assert_true(survives(t.data, t.length));
    t.length = strlen(PTX_HEAD);
    text_print(&t, ".entry k() { .reg .u32 a;\n");
    for (int i = 0; i < 200000; i++)
        text_print(&t, ".loc 1 2 3\n/* x */");
    assert_false(survives(t.data, t.length));
    text_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_are_parsed_safely),
        cmocka_unit_test(changed_bytes_are_parsed_safely),
        cmocka_unit_test(removed_and_doubled_bytes_are_parsed_safely),
        cmocka_unit_test(large_files_take_linear_time),
    };

    return cmocka_run_group_tests(tests, read_small, free_small);
}
