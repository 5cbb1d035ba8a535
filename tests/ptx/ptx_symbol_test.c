/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations: parameters, variables and their initial values, scopes, functions. */
#include "ptx_testing.h"

static const struct ptx_symbol *symbol_of(const struct ptx_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->symbol_count; i++)
        if (!strcmp(m->symbols[i].name, name))
            return &m->symbols[i];
    fail_msg("no symbol '%s'", name);
    return NULL;
}

static void the_head_is_read(void **state)
{
    struct ptx_module *m =
        must_parse("// made by hand\n.version 8.4\n.target sm_90a, debug\n"
                   ".address_size 64\n.file 1 \"a b.cu\"\n");

    (void)state;
    assert_int_equal(m->version_major, 8);
    assert_int_equal(m->version_minor, 4);
    assert_int_equal(m->target_sm, 90);
    assert_int_equal(m->address_bits, 64);
    ptx_destroy(m);
}

static void parameters_are_aligned(void **state)
{
    struct ptx_module *m = must_parse(
        PTX_HEAD
        ".visible .entry k(.param .u8 a, .param .u16 b, .param .align 8 .b8 c[12],\n"
        ".param .u8 d, .param .v4 .f32 e, .param .u64 .ptr .global .align 4 f,\n"
        ".param .align 16 .b8 g[1])\n"
        ".maxntid 32, 4, 2 .reqntid 64 .minnctapersm 2 .maxnreg 40 { ret; }\n");
    const struct ptx_function *f = &m->functions[0];
    const uint32_t offsets[] = {0, 2, 8, 20, 32, 48, 64};

    (void)state;
    assert_int_equal(f->parameter_count, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(f->symbols[i].offset, offsets[i]);
    assert_int_equal(f->parameter_bytes, 65);
    assert_int_equal(f->symbols[2].bytes, 12);
    assert_int_equal(f->symbols[2].align, 8);
    assert_int_equal(f->symbols[4].bytes, 16);
    assert_int_equal(f->symbols[5].align, 8);
    assert_int_equal(f->symbols[5].type, PTX_PART_U64);
    assert_string_equal(f->symbols[6].name, "g");
    assert_int_equal(f->max_threads, 256);
    assert_int_equal(f->reqntid[0], 64);
    assert_int_equal(f->reqntid[2], 1);
    ptx_destroy(m);
}

static void clusters_follow_the_parameters(void **state)
{
    struct ptx_module *m =
        must_parse(PTX_HEAD ".visible .entry pair() .explicitcluster\n"
                            ".reqnctapercluster 2, 3 .maxntid 64 { ret; }\n"
                            ".visible .entry most() .maxclusterrank 4 { ret; }\n");
    const struct ptx_function *pair = &m->functions[0], *most = &m->functions[1];

    (void)state;
    assert_true(pair->must_cluster);
    assert_int_equal(pair->cluster[0], 2);
    assert_int_equal(pair->cluster[1], 3);
    assert_int_equal(pair->cluster[2], 1);
    assert_int_equal(pair->max_threads, 64);
    assert_int_equal(pair->max_cluster, 0);
    assert_false(most->must_cluster);
    assert_int_equal(most->cluster[0], 0);
    assert_int_equal(most->max_cluster, 4);
    ptx_destroy(m);
}

static void return_values_follow_the_parameters(void **state)
{
    struct ptx_module *m = must_parse(
        PTX_HEAD ".extern .func (.param .b32 r) far (.param .b32 a) .noreturn;\n"
                 ".func (.param .b64 r) near (.param .b32 a, .param .b32 b);\n"
                 ".weak .func (.param .b64 r) near (.param .b32 a, .param .b32 b)\n"
                 "{ .local .align 4 .b8 depot[28]; call near; ret; }\n"
                 ".entry k { .shared .align 8 .b8 mine[64]; call far; }\n");
    const struct ptx_function *f = ptx_function_find(m, "near");

    (void)state;
    assert_int_equal(m->function_count, 2);
    assert_false(f->is_entry);
    assert_int_equal(f->parameter_count, 2);
    assert_int_equal(f->return_count, 1);
    assert_string_equal(f->symbols[2].name, "r");
    assert_string_equal(f->symbols[3].name, "depot");
    assert_int_equal(f->symbols[3].space, PTX_SPACE_LOCAL);
    assert_int_equal(f->symbols[3].bytes, 28);
    assert_int_equal(symbol_of(m, "near")->function, 0);
    assert_int_equal(symbol_of(m, "far")->function, -1);
    assert_true(symbol_of(m, "far")->is_extern);
    assert_ptr_equal(ptx_symbol(m, f, f->instructions[0].operands[0].symbol),
                     symbol_of(m, "near"));
    f = ptx_function_find(m, "k");
    assert_int_equal(f->symbols[0].space, PTX_SPACE_SHARED);
    assert_null(ptx_function_find(m, "far"));
    ptx_destroy(m);
}

/* As ptxas accepts them: a declaration ends where the next statement starts. */
static void declarations_may_have_no_semicolon(void **state)
{
    static const char *const nexts[] = {
        "",
        ".visible",
        ".weak",
    };

    (void)state;
    for (size_t k = 0; k < sizeof nexts / sizeof *nexts; k++) {
        char text[512];

        snprintf(text, sizeof text,
                 PTX_HEAD ".extern .func other (.param .b32 a)\n"
                          ".func (.param .b32 r) twice (.param .b32 a)\n"
                          ".global .u32 v;\n"
                          ".func (.param .b32 r) twice (.param .b32 a) .noreturn\n"
                          "%s .func (.param .b32 r) twice (.param .b32 a)\n{ ret; }\n"
                          ".entry k { call twice; }\n",
                 nexts[k]);
        struct ptx_module *m = must_parse(text);

        assert_int_equal(m->function_count, 2);
        assert_int_equal(symbol_of(m, "twice")->function, 0);
        assert_int_equal(symbol_of(m, "other")->function, -1);
        assert_int_equal(symbol_of(m, "v")->bytes, 4);
        assert_int_equal(m->items[m->item_count - 2].linkage, k == 0   ? PTX_FILE_LOCAL
                                                              : k == 1 ? PTX_VISIBLE
                                                                       : PTX_WEAK);
        ptx_destroy(m);
    }
}

static const struct {
    const char *declaration;
    uint32_t bytes;
    const char *hex; /* of the initial value */
} initials[] = {
    {".global .u32 v;", 4, NULL},
    {".global .align 8 .b8 v[3];", 3, NULL},
    {".extern .shared .b8 v[];", 0, NULL},
    {".global .u32 v = 258;", 4, "02010000"},
    {".const .s16 v[3] = {1, -2};", 6, "0100feff0000"},
    {".global .b8 v[] = {1, 2, 255};", 3, "0102ff"},
    {".global .u8 v[2][3] = {{1}, {2, 3}};", 6, "010000020300"},
    {".global .u8 v[2][3] = {1, 2, 3, 4};", 6, "010203040000"},
    {".global .u8 v[][2] = {1, 2, 3};", 4, "01020300"},
    {".global .v2 .u16 v[2] = {{1, 2}, {3, 4}};", 8, "0100020003000400"},
    {".global .f32 v[3] = {0f3F800000, 1.5, 2};", 12, "0000803f0000c03f00000040"},
    {".global .f64 v[2] = {0d3FF0000000000000, -0.5};", 16,
     "000000000000f03f000000000000e0bf"},
    {".global .f32 v = -0f7FC00001;", 4, "0100c0ff"},
    {".global .b32 v = 0f3F800000;", 4, "0000803f"},
    {".global .b64 v = 0xFFFFFFFF00000000;", 8, "00000000ffffffff"},
    {".global .b8 v[] = \"a\\n\\\"b\";", 5, "610a226200"},
    {".global .texref v;", 8, NULL},
    {".global .u32 u = 7, v = 9, w;", 4, "09000000"},
};

static void variables_hold_their_initial_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof initials / sizeof *initials; i++) {
        struct text t = {0}, hex = {0};

        text_print(&t, PTX_HEAD "%s\n", initials[i].declaration);
        struct ptx_module *m = must_parse(t.data);
        const struct ptx_symbol *s = symbol_of(m, "v");

        assert_int_equal(s->bytes, initials[i].bytes);
        if (!initials[i].hex)
            assert_null(s->initial);
        for (uint32_t k = 0; initials[i].hex && k < s->bytes; k++)
            text_print(&hex, "%02x", s->initial[k]);
        if (initials[i].hex)
            assert_string_equal(hex.data, initials[i].hex);
        ptx_destroy(m);
        text_clear(&t);
        text_clear(&hex);
    }
}

static void addresses_are_relocations(void **state)
{
    struct ptx_module *m = must_parse(
        PTX_HEAD
        ".global .u32 t[4]; .func f();\n"
        ".global .u64 v[4] = {1, generic(t)+8, t, f};\n"
        ".global .b8 w[12] = {7, 0xFF(generic(t)+4), 0xFF00(generic(t)+4), "
        "0xFF0000(generic(t)+4), 0xFF000000(generic(t)+4), 0xFF00000000(generic(t)+4),"
        "0xFF0000000000(generic(t)+4), 0xFF000000000000(generic(t)+4), "
        "0xFF00000000000000(generic(t)+4), 9};\n");
    const struct ptx_symbol *v = symbol_of(m, "v"), *w = symbol_of(m, "w");
    struct proact_error err;
    struct ptx_module *none = NULL;

    (void)state;
    assert_int_equal(v->relocation_count, 3);
    assert_int_equal(v->relocations[0].at, 8);
    assert_int_equal(v->relocations[0].addend, 8);
    assert_ptr_equal(ptx_symbol(m, NULL, v->relocations[1].symbol), symbol_of(m, "t"));
    assert_ptr_equal(ptx_symbol(m, NULL, v->relocations[2].symbol), symbol_of(m, "f"));
    assert_int_equal(w->relocation_count, 1);
    assert_int_equal(w->relocations[0].at, 1);
    assert_int_equal(w->relocations[0].addend, 4);
    assert_int_equal(w->initial[9], 9);
    ptx_destroy(m);
    const char *gap = PTX_HEAD ".global .u32 t; .global .b8 w[9] = {0xFF(t), 0xFF0000(t)};";

    assert_int_equal(ptx_parse("x", gap, strlen(gap), &none, &err), PROACT_EINVAL);
}

static void scopes_hide_and_end(void **state)
{
    struct ptx_module *m = must_parse_body(
        ".reg .b32 x; mov.b32 x, 0;\n"
        "{ .reg .b64 x; .reg .b64 %r<4>; mov.b64 x, 1; mov.b64 %r1, 1; bra END; END: }\n"
        "{ .param .b32 x; st.param.b32 [x], %r1; bra END; }\n"
        "{ .param .b64 x; st.param.b64 [x], %rd1; END: bra END; }\n"
        "mov.b32 x, %r1; END: ret;");
    const struct ptx_function *f = ptx_function_find(m, "k");
    const struct ptx_instruction *i = f->instructions;

    (void)state;
    assert_int_equal(f->registers[i[0].operands[0].reg].bytes, 4);
    assert_int_equal(f->registers[i[1].operands[0].reg].bytes, 8);
    assert_int_equal(f->registers[i[2].operands[0].reg].bytes, 8);  /* the inner %r1 */
    assert_int_equal(f->registers[i[4].operands[1].reg].bytes, 4);  /* the outer one */
    assert_int_equal(f->symbols[i[4].operands[0].symbol].bytes, 4); /* the first x */
    assert_int_equal(f->symbols[i[6].operands[0].symbol].bytes, 8);
    assert_int_equal(i[8].operands[0].reg, i[0].operands[0].reg);
    assert_int_equal(f->labels[i[3].operands[0].label].instruction, 4); /* its own END */
    assert_int_equal(f->labels[i[5].operands[0].label].instruction, 9); /* the outer END */
    assert_int_equal(f->labels[i[7].operands[0].label].instruction, 7);
    ptx_destroy(m);
}

/* The label of the enclosing scope hides the earlier one, although it follows the
   branch. */
static void a_nearer_label_hides_an_earlier_one(void **state)
{
    struct ptx_module *m = must_parse_body("L: ret; { { bra L; } L: ret; }");
    const struct ptx_function *f = ptx_function_find(m, "k");

    (void)state;
    assert_int_equal(f->labels[f->instructions[1].operands[0].label].instruction, 2);
    ptx_destroy(m);
}

static void debug_sections_pass_through(void **state)
{
    static const char text[] = PTX_HEAD
        ".visible .entry k()\n{\n\t.loc 1 2 3\n$L__tmp0:\n\tret; ;\n}\n"
        "\t.file\t1 \"/a/b.cu\", 17, 20\n"
        "\t.section .debug_abbrev\n\t{\n$L__x:\n.b8 1\n.b8 17\n.b64 $L__tmp0\n\t}\n"
        ".alias a, b;\n";
    struct ptx_module *m = must_parse(text);
    size_t bytes;
    char *printed = ptx_print(m, &bytes);

    (void)state;
    assert_int_equal(bytes, sizeof text - 1);
    assert_memory_equal(printed, text, bytes);
    assert_int_equal(m->functions[0].instruction_count, 1);
    free(printed);
    ptx_destroy(m);
}

static void items_tile_the_outermost_level(void **state)
{
    struct ptx_module *m = must_parse(
        PTX_HEAD ".extern .func far(.param .b32 a);\n.visible .func near() { ret; }\n"
                 ".weak .global .u32 x[2] = {1, 2}; // said\n.const .u32 a, b;\n"
                 ".visible .func other();\n.alias other, near;\n.file 1 \"a.cu\"\n"
                 ".extern .shared .b8 s[];\n.entry k() { call near; call other; ret; }\n");
    static const struct {
        enum ptx_item_kind kind;
        enum ptx_linkage linkage;
        bool defines;
        const char *head;
    } wanted[] = {
        {PTX_ITEM_VERSION, PTX_FILE_LOCAL, false, ""},
        {PTX_ITEM_TARGET, PTX_FILE_LOCAL, false, ""},
        {PTX_ITEM_VERSION, PTX_FILE_LOCAL, false, ""},
        {PTX_ITEM_FUNCTION, PTX_EXTERN, false, ".extern .func far(.param .b32 a)"},
        {PTX_ITEM_FUNCTION, PTX_VISIBLE, true, ".visible .func near() "},
        {PTX_ITEM_VARIABLE, PTX_WEAK, true, ".weak .global .u32 x[2] "},
        {PTX_ITEM_VARIABLE, PTX_FILE_LOCAL, true, ".const .u32 a"},
        {PTX_ITEM_FUNCTION, PTX_VISIBLE, false, ".visible .func other()"},
        {PTX_ITEM_ALIAS, PTX_FILE_LOCAL, false, ""},
        {PTX_ITEM_DEBUG, PTX_FILE_LOCAL, false, ""},
        {PTX_ITEM_VARIABLE, PTX_EXTERN, false, ".extern .shared .b8 s[]"},
        {PTX_ITEM_FUNCTION, PTX_FILE_LOCAL, true, ".entry k() "},
    };
    uint32_t at = 0;

    (void)state;
    assert_int_equal(m->item_count, sizeof wanted / sizeof *wanted);
    for (uint32_t i = 0; i < m->item_count; at += m->items[i++].span.bytes) {
        const struct ptx_item *item = &m->items[i];

        assert_int_equal(item->kind, wanted[i].kind);
        assert_int_equal(item->linkage, wanted[i].linkage);
        assert_int_equal(item->defines, wanted[i].defines);
        assert_int_equal(item->head.bytes, strlen(wanted[i].head));
        assert_memory_equal(m->text + item->head.offset, wanted[i].head, item->head.bytes);
        assert_int_equal(item->span.offset, at);
    }
    assert_int_equal(at, m->bytes);
    assert_int_equal(m->items[6].name_count, 2);
    /* a call of an alias calls its target */
    assert_int_equal(m->symbols[m->items[8].symbol].function, 0);
    assert_int_equal(symbol_of(m, "other")->function, 0);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_is_read),
        cmocka_unit_test(parameters_are_aligned),
        cmocka_unit_test(clusters_follow_the_parameters),
        cmocka_unit_test(return_values_follow_the_parameters),
        cmocka_unit_test(declarations_may_have_no_semicolon),
        cmocka_unit_test(variables_hold_their_initial_values),
        cmocka_unit_test(addresses_are_relocations),
        cmocka_unit_test(scopes_hide_and_end),
        cmocka_unit_test(a_nearer_label_hides_an_earlier_one),
        cmocka_unit_test(debug_sections_pass_through),
        cmocka_unit_test(items_tile_the_outermost_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
