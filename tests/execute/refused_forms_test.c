/* SPDX-License-Identifier: Apache-2.0 */
/* The table of docs/emulated-ptx.md: every form of ptx_forms.def that emulated devices
   refuse. With the argument `print` the program prints the table instead of comparing. */
#include <proact/proact.h>

#include "execute_testing.h"

#define PAGE PROACT_SOURCE "/docs/emulated-ptx.md"
#define BEGIN "<!-- refused forms -->\n"
#define END "<!-- end -->\n"

static const struct form {
    unsigned sm;
    const char *text;
} forms[] = {
#define FORM(sm, text) {sm, text},
#include "ptx_forms.def"
#undef FORM
};
enum { FORMS = sizeof forms / sizeof *forms };

static const char head[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.const .u32 k[8];\n"
    ".func nothing() { ret; }\n.visible .entry kernel(.param .align 16 .b8 out[64])\n{\n"
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>;\n"
    ".reg .f32 %f<40>; .reg .f64 %d<20>; .reg .b128 %q<9>; .shared .align 16 .b8 s[64];\n"
    ".shared .align 8 .b64 m; .local .align 16 .b8 l[64]; targets: .branchtargets DONE;\n";

/* Whether a kernel with the form loads. */
static bool is_executed(const struct form *f)
{
    struct text text = {NULL, 0, 0};
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    struct execute_program *p = NULL;

    text_print(&text, "%s%s;\nDONE: ret;\n}\n", head, f->text);
    if (ptx_parse("form.ptx", text.data, text.length, &m, &err))
        fail_msg("%s: %s", f->text, err.text); /* a refusal is for the kernel alone */
    enum proact_status status = execute_program_create(m, &p, &err);

    if (status && status != PROACT_EREFUSED)
        fail_msg("%s: %s", f->text, err.text);
    execute_program_destroy(p);
    ptx_destroy(m);
    text_clear(&text);
    return status == PROACT_OK;
}

static size_t mnemonic_bytes(const char *text)
{
    return strcspn(text, " ");
}

static bool is_same(const struct form *a, const struct form *b)
{
    size_t bytes = mnemonic_bytes(a->text);

    return bytes == mnemonic_bytes(b->text) && !memcmp(a->text, b->text, bytes);
}

/* Prints the form without its operands, unless they decide. */
static void row_print(struct text *t, const bool *executed, unsigned n)
{
    size_t bytes = mnemonic_bytes(forms[n].text);

    for (unsigned k = 0; k < FORMS; k++) {
        if (!is_same(&forms[n], &forms[k]))
            continue;
        if (executed[k])
            bytes = strlen(forms[n].text);
        else if (k < n && bytes < strlen(forms[n].text))
            return; /* listed already */
    }
    text_print(t, "| `");
    for (size_t k = 0; k < bytes; k++) /* a bar would end the cell */
        text_print(t, "%s%c", forms[n].text[k] == '|' ? "\\" : "", forms[n].text[k]);
    text_print(t, "` | sm_%u |\n", forms[n].sm);
}

static char *table(void)
{
    bool *executed = must_calloc(FORMS, sizeof *executed);
    struct text t = {NULL, 0, 0};

    for (unsigned n = 0; n < FORMS; n++)
        executed[n] = is_executed(&forms[n]);
    text_print(&t, "| form | architecture |\n|---|---|\n");
    for (unsigned n = 0; n < FORMS; n++)
        if (!executed[n])
            row_print(&t, executed, n);
    free(executed);
    return t.data;
}

static void page_has_the_table(void **state)
{
    struct proact_error err = {""};
    char *page = NULL, *wanted = table();
    size_t bytes;

    (void)state;
    if (file_read(PAGE, &page, &bytes, &err))
        fail_msg("%s", err.text);
    char *from = strstr(page, BEGIN), *end = from ? strstr(from, END) : NULL;

    assert_non_null(end);
    from += strlen(BEGIN);
    *end = '\0';
    if (strcmp(from, wanted) != 0) {
        size_t same = 0;

        while (from[same] && from[same] == wanted[same])
            same++;
        while (same && from[same - 1] != '\n')
            same--;
        fail_msg(
            "docs/emulated-ptx.md has \"%.*s\", and the code gives \"%.*s\": replace the "
            "table by the output of execute_tests refused_forms print",
            (int)strcspn(from + same, "\n"), from + same, (int)strcspn(wanted + same, "\n"),
            wanted + same);
    }
    free(page);
    free(wanted);
}

/* Every opcode of the parser has a form, so that none is missing from the table. */
static void every_opcode_has_a_form(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < PTX_OPCODE_COUNT; opcode++) {
        const char *spelling = ptx_opcode_spelling((enum ptx_opcode)opcode);
        size_t bytes = strlen(spelling);
        bool found = false;

        for (unsigned n = 0; n < FORMS && !found; n++)
            found = strncmp(forms[n].text, spelling, bytes) == 0 &&
                    strchr(". ", forms[n].text[bytes]) != NULL;
        if (!found)
            fail_msg("opcode '%s' has no form in ptx_forms.def", spelling);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_opcode_has_a_form),
        cmocka_unit_test(page_has_the_table),
    };

    if (argc > 1 && strcmp(argv[1], "print") == 0) {
        char *text = table();

        fputs(text, stdout);
        free(text);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
