/* SPDX-License-Identifier: Apache-2.0 */
/* Module variables of more than 4 GB. Only the pages that a kernel writes use memory. */
#include "module_testing.h"

static uint32_t far_word(uint32_t i)
{
    return i + 17;
}

static const struct module_case cases[] = {
    {"five gigabytes",
     ".global .align 8 .b8 g[5000000000]; .global .u32 after = 17;\n" MODULE_KERNEL
     ".reg .b64 a, b; .reg .b32 c0; mov.u64 a, g; mul.wide.u32 b, i, 4; add.u64 a, a, b;\n"
     "st.global.u32 [a+4999990000], i; ld.global.u32 c0, [after];\n"
     "ld.global.u32 i, [a+4999990000]; add.u32 i, i, c0; st.global.u32 [p], i; ret; }\n",
     far_word, false},
    {"two dimensions",
     ".global .b32 g[40000][40000];\n" MODULE_KERNEL
     ".reg .b64 a, b; mov.u64 a, g+6399990000; mul.wide.u32 b, i, 4; add.u64 a, a, b;\n"
     "st.global.u32 [a], i; ld.global.u32 i, [a]; add.u32 i, i, 17;\n"
     "st.global.u32 [p], i; ret; }\n",
     far_word, false},
};

static void large_variables_work(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct text text = {NULL, 0, 0};

        text_print(&text, "%s%s", MODULE_HEAD, cases[n].text);
        module_returns(&cases[n], text.data);
        module_run(&cases[n], text.data, 1);
        module_run(&cases[n], text.data, 4);
        text_clear(&text);
    }
}

static void what_does_not_fit_has_both_sizes(void **state)
{
    static const char text[] =
        MODULE_HEAD ".global .b8 small[8];\n"
                    ".global .b8 huge[1000000000000];\n" MODULE_KERNEL
                    "st.global.u8 [huge], i; ret; }\n";
    struct proact_error err = {""};
    struct proact *p = NULL;
    struct proact_kernel *kernel = NULL;

    (void)state;
    module_must(proact_open(&(struct proact_options){.machine = "v100x4"}, &p, &err),
                "open", &err);
    assert_int_equal(
        proact_kernel_load(p, &(struct proact_image){.text = text}, "k", &kernel, &err),
        PROACT_ENOSPACE);
    if (!strstr(err.text,
                "variable 'huge' of 1000000000000 bytes does not fit: device 0: ") ||
        !strstr(err.text, " left"))
        fail_msg("%s", err.text);
    proact_close(p);
}

/* Sizes of the other spaces stay below 4 GB; a size of 2^64 and more is no size. */
static void sizes_have_limits(void **state)
{
    static const char *const wrong[] = {
        ".shared .b8 g[5000000000];\n",
        ".const .b8 g[5000000000];\n",
        ".global .b64 g[4294967296][4294967296];\n",
        ".func f() { .local .b8 g[5000000000]; ret; }\n",
    };

    (void)state;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        struct proact_error err = {""};
        struct ptx_module *m = NULL;

        if (ptx_parse("wrong.ptx", wrong[n], strlen(wrong[n]), &m, &err) != PROACT_EINVAL)
            fail_msg("accepted: %s", wrong[n]);
        assert_non_null(strstr(err.text, "'g' has more than "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_variables_work),
        cmocka_unit_test(what_does_not_fit_has_both_sizes),
        cmocka_unit_test(sizes_have_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
