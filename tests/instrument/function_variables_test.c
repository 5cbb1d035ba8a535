/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that functions declare, in every state space: .global and .const variables have
   one instance, .shared one for each CTA, .local one for each thread. */
#include "module_testing.h"

static uint32_t sum(uint32_t i)
{
    return i + 7 + 11;
}

static uint32_t rows(uint32_t i)
{
    return i + 30 + 5;
}

static uint32_t text(uint32_t i)
{
    return i + ';' + '"';
}

static uint32_t ordinal(uint32_t i)
{
    return i % MODULE_THREADS;
}

static uint32_t both(uint32_t i)
{
    return i + 1 + 2 + 3;
}

static uint32_t local(uint32_t i)
{
    return 3 * i;
}

#define STORE "st.global.u32 [p], i; ret; }\n"

static const struct module_case cases[] = {
    {"global and const",
     MODULE_KERNEL ".global .u32 g = 7; .const .align 4 .u32 k[2] = {3, 11}; .reg .b32 a;\n"
                   "ld.global.u32 a, [g]; add.u32 i, i, a; ld.const.u32 a, [k+4];\n"
                   "add.u32 i, i, a;\n" STORE,
     sum, false},
    {"rows, addresses and comments",
     MODULE_KERNEL
     ".global .u32 other // g = other;\n = 5, g[2][2] = {{10, 20}, /* ; */ {30}};"
     " .global .u64 h = other;\n"
     ".reg .b64 a; .reg .b32 b; mov.u64 a, g; ld.global.u32 b, [a+8];\n"
     "add.u32 i, i, b; ld.global.u64 a, [h]; cvta.to.global.u64 a, a;\n"
     "ld.global.u32 b, [a]; add.u32 i, i, b;\n" STORE,
     rows, false},
    {"text",
     MODULE_KERNEL ".global .b8 g[3] = {59, 34, 0}; .reg .b32 a;\n"
                   "ld.global.u8 a, [g]; add.u32 i, i, a; ld.global.u8 a, [g+1];\n"
                   "add.u32 i, i, a;\n" STORE,
     text, false},
    {"one name in three scopes",
     ".global .u32 g = 1;\n" MODULE_KERNEL
     ".reg .b32 a; ld.global.u32 a, [g]; add.u32 i, i, a;\n"
     "{ .global .u32 g = 2; ld.global.u32 a, [g]; add.u32 i, i, a;\n"
     "{ .global .u32 g = 3; ld.global.u32 a, [g]; add.u32 i, i, a; } }\n" STORE,
     both, false},
    {"a function",
     ".func (.reg .b32 r) f(.reg .b32 x) { .global .u32 g = 7; .const .u32 k = 11;\n"
     ".reg .b32 a; ld.global.u32 a, [g]; add.u32 r, x, a; ld.const.u32 a, [k];\n"
     "add.u32 r, r, a; ret; }\n" MODULE_KERNEL "call (i), f, (i);\n" STORE,
     sum, false},
    {"shared",
     MODULE_KERNEL ".shared .u32 s[64]; .reg .b32 a; .reg .b64 b; mov.u64 b, s;\n"
                   "mul.wide.u32 q, t, 4; add.u64 b, b, q; st.shared.u32 [b], t;\n"
                   "bar.sync 0; { .shared .u32 u[64]; st.shared.u32 [u], 0; bar.sync 0;\n"
                   "ld.shared.u32 i, [b]; }\n" STORE,
     ordinal, false},
    {"local",
     MODULE_KERNEL
     ".local .u32 l[2]; st.local.u32 [l+4], i; { .local .u32 l; .reg .b32 b;\n"
     "shl.b32 b, i, 1; st.local.u32 [l], b; ld.local.u32 c, [l]; }\n"
     "ld.local.u32 i, [l+4]; add.u32 i, i, c;\n" STORE,
     local, false},
};

static void every_space_has_its_instances(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        module_check(&cases[n]);
}

/* The counter of a function keeps its value between launches: all versions share it. */
static void a_counter_counts_all_launches(void **state)
{
    static const char text_of[] = MODULE_HEAD MODULE_KERNEL
        ".global .u32 g; .reg .b32 a; .reg .pred z; setp.ne.u32 z, i, 0;\n"
        "@z bra DONE; ld.global.u32 a, [g]; add.u32 a, a, 1; st.global.u32 [g], a;\n"
        "mov.b32 i, a; DONE:\n" STORE;

    (void)state;
    for (unsigned devices = 1; devices <= 4; devices += 3) {
        struct proact_error err = {""};
        struct proact *p = NULL;
        struct proact_array *out = NULL;
        struct proact_kernel *kernel = NULL;
        uint32_t words[MODULE_WORDS] = {0};
        const struct proact_grid grid = {.ctas = {MODULE_CTAS},
                                         .threads = {MODULE_THREADS}};

        module_must(proact_open(&(struct proact_options){.machine = "v100x4",
                                                         .device_count = devices},
                                &p, &err),
                    "counter", &err);
        module_must(proact_array_create(p, &(struct proact_shape){"out", MODULE_WORDS, 4},
                                        &out, &err),
                    "counter", &err);
        module_must(proact_kernel_load(p, &(struct proact_image){.text = text_of}, "k",
                                       &kernel, &err),
                    "counter", &err);
        for (unsigned n = 0; n < 5; n++)
            module_must(proact_launch(kernel, &grid,
                                      (struct proact_arg[]){PROACT_ARRAY(out)}, 1, &err),
                        "counter", &err);
        module_must(proact_array_read(out, 0, words, MODULE_WORDS, &err), "counter", &err);
        assert_int_equal(words[0], 5);
        assert_int_equal(words[MODULE_WORDS - 1], MODULE_WORDS - 1);
        proact_kernel_destroy(kernel);
        proact_array_destroy(out);
        proact_close(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_space_has_its_instances),
        cmocka_unit_test(a_counter_counts_all_launches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
