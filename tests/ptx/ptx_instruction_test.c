/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of an instruction and its operands, one statement at a time. */
#include "ptx_testing.h"

static struct ptx_module *module;

/* The first instruction of a kernel with that body. */
static const struct ptx_instruction *read_one(const char *text)
{
    ptx_destroy(module);
    module = must_parse_body(text);
    return ptx_function_find(module, "k")->instructions;
}

static const char *register_name(int32_t reg)
{
    return ptx_function_find(module, "k")->registers[reg].name;
}

static const char *symbol_name(int32_t symbol)
{
    return ptx_symbol(module, ptx_function_find(module, "k"), symbol)->name;
}

static int clear_module(void **state)
{
    (void)state;
    ptx_destroy(module);
    module = NULL;
    return 0;
}

static const struct {
    const char *text;
    enum ptx_opcode opcode;
    enum ptx_space space;
    enum ptx_part type, source_type;
    unsigned vector;
} fields[] = {
#define NONE PTX_PART_COUNT
#define GENERIC PTX_SPACE_GENERIC
    {"add.s32 %r1, %r2, %r3;", PTX_ADD, GENERIC, PTX_PART_S32, PTX_PART_S32, 1},
    {"ret;", PTX_RET, GENERIC, NONE, NONE, 1},
    {"ld.param.v2.u32 {%r1, %r2}, [p0];", PTX_LD, PTX_SPACE_PARAM, PTX_PART_U32,
     PTX_PART_U32, 2},
    {"ld.global.nc.L1::evict_last.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", PTX_LD,
     PTX_SPACE_GLOBAL, PTX_PART_F32, PTX_PART_F32, 4},
    {"ld.u8 %r1, [%rd1];", PTX_LD, GENERIC, PTX_PART_U8, PTX_PART_U8, 1},
    {"st.shared::cta.b64 [s], %rd1;", PTX_ST, PTX_SPACE_SHARED, PTX_PART_B64, PTX_PART_B64,
     1},
    {"st.volatile.local.u16 [%rd1], %h1;", PTX_ST, PTX_SPACE_LOCAL, PTX_PART_U16,
     PTX_PART_U16, 1},
    {"ld.const.f64 %fd1, [%rd1];", PTX_LD, PTX_SPACE_CONST, PTX_PART_F64, PTX_PART_F64, 1},
    {"atom.acq_rel.sys.global.add.u64 %rd1, [%rd2], 1;", PTX_ATOM, PTX_SPACE_GLOBAL,
     PTX_PART_U64, PTX_PART_U64, 1},
    {"red.shared.min.s32 [s], 1;", PTX_RED, PTX_SPACE_SHARED, PTX_PART_S32, PTX_PART_S32,
     1},
    {"cvta.to.global.u64 %rd1, %rd2;", PTX_CVTA, PTX_SPACE_GLOBAL, PTX_PART_U64,
     PTX_PART_U64, 1},
    {"cvt.rn.f32.s64 %f1, %rd2;", PTX_CVT, GENERIC, PTX_PART_F32, PTX_PART_S64, 1},
    {"cvt.u64.u32 %rd1, %r2;", PTX_CVT, GENERIC, PTX_PART_U64, PTX_PART_U32, 1},
    {"set.lt.u32.f32 %r1, %f1, %f2;", PTX_SET, GENERIC, PTX_PART_U32, PTX_PART_F32, 1},
    {"slct.f32.s32 %f1, %f2, %f3, %r1;", PTX_SLCT, GENERIC, PTX_PART_F32, PTX_PART_S32, 1},
    {"setp.ltu.f32 %p1, %f1, %f2;", PTX_SETP, GENERIC, PTX_PART_F32, PTX_PART_F32, 1},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
     PTX_MMA, GENERIC, PTX_PART_F32, PTX_PART_F16, 1},
    {"prefetch.global.L2 [%rd1];", PTX_PREFETCH, PTX_SPACE_GLOBAL, NONE, NONE, 1},
    {"frobnicate.global.u32.brandnew %r1, [%rd1];", PTX_OPCODE_COUNT, PTX_SPACE_GLOBAL,
     PTX_PART_U32, PTX_PART_U32, 1},
};

static void words_give_space_types_and_vector(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++) {
        const struct ptx_instruction *i = read_one(fields[n].text);

        assert_int_equal(i->opcode, fields[n].opcode);
        assert_int_equal(i->space, fields[n].space);
        assert_int_equal(i->type, fields[n].type);
        assert_int_equal(i->source_type, fields[n].source_type);
        assert_int_equal(i->vector, fields[n].vector);
        assert_int_equal(i->guard, -1);
    }
}

static void words_keep_their_order(void **state)
{
    const struct ptx_instruction *i = read_one("frob.sync.brandnew.down.b32 %r1;");
    const enum ptx_part want[] = {PTX_PART_SYNC, PTX_PART_COUNT, PTX_PART_DOWN,
                                  PTX_PART_B32};

    (void)state;
    assert_int_equal(i->part_count, 4);
    for (int n = 0; n < 4; n++)
        assert_int_equal(i->parts[n], want[n]);
    assert_true(ptx_has(i, PTX_PART_DOWN));
    assert_false(ptx_has(i, PTX_PART_UP));
}

static void guards_name_a_predicate(void **state)
{
    const struct ptx_instruction *i = read_one("\n  @!%p3 bra L; L: ret;");
    char text[64], cut[8];

    (void)state;
    assert_string_equal(register_name(i->guard), "%p3");
    assert_true(i->guard_negated);
    assert_int_equal(i->operands[0].kind, PTX_LABEL);
    ptx_instruction_text(module, i, text, sizeof text);
    assert_string_equal(text, "@!%p3 bra L;");
    ptx_instruction_text(module, i, cut, sizeof cut);
    assert_string_equal(cut, "@!%p3 b");
    assert_memory_equal(module->text + i->span.offset, text, i->span.bytes);
    i = read_one("@%p1 ret;");
    assert_false(i->guard_negated);
}

static void registers_carry_their_type(void **state)
{
    const struct ptx_instruction *i = read_one("mad.wide.s32 %rd1, %r2, %r3, %rd1;");
    const struct ptx_function *f = ptx_function_find(module, "k");

    (void)state;
    assert_int_equal(i->operand_count, 4);
    assert_int_equal(i->operands[0].reg, i->operands[3].reg);
    assert_int_equal(f->registers[i->operands[0].reg].bytes, 8);
    assert_int_equal(f->registers[i->operands[1].reg].type, PTX_PART_B32);
    assert_int_equal(f->register_count, 3); /* the named registers only, of a range of
                                               nine */
}

static const struct {
    const char *text;
    enum ptx_operand_kind kind;
    unsigned float_bytes;
    int64_t integer;
} literals[] = {
    {"0", PTX_INTEGER, 0, 0},
    {"-1", PTX_INTEGER, 0, -1},
    {"42U", PTX_INTEGER, 0, 42},
    {"0x1F", PTX_INTEGER, 0, 31},
    {"0xffffffffffffffffU", PTX_INTEGER, 0, -1},
    {"18446744073709551615", PTX_INTEGER, 0, -1},
    {"-9223372036854775808", PTX_INTEGER, 0, INT64_MIN},
    {"0b101", PTX_INTEGER, 0, 5},
    {"017", PTX_INTEGER, 0, 15},
    {"4+-1", PTX_INTEGER, 0, 3},
    {"0f3F800000", PTX_FLOAT, 4, 0x3f800000},
    {"-0f3F800000", PTX_FLOAT, 4, 0xbf800000},
    {"0d3FF0000000000000", PTX_FLOAT, 8, 0x3ff0000000000000},
    {"1.5", PTX_FLOAT, 8, 0x3ff8000000000000},
    {"-1.5e1", PTX_FLOAT, 8, (int64_t)0xc02e000000000000},
    {"25e-2", PTX_FLOAT, 8, 0x3fd0000000000000},
};

static void literals_have_their_value(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof literals / sizeof *literals; n++) {
        char text[80];

        snprintf(text, sizeof text, "mov.b64 %%rd1, %s;", literals[n].text);
        const struct ptx_operand *o = &read_one(text)->operands[1];

        assert_int_equal(o->kind, literals[n].kind);
        assert_int_equal(o->float_bytes, literals[n].float_bytes);
        assert_true(o->integer == literals[n].integer);
        assert_int_equal(o->span.bytes, strlen(literals[n].text));
    }
}

/* base: the name of a register or symbol, or "" */
static const struct {
    const char *text, *base;
    int64_t integer;
} addresses[] = {
    {"[%rd1]", "%rd1", 0},    {"[%rd1+8]", "%rd1", 8},     {"[%rd1+-4]", "%rd1", -4},
    {"[%rd1-4]", "%rd1", -4}, {"[ %rd1 + 4 ]", "%rd1", 4}, {"[g]", "g", 0},
    {"[g+12]", "g", 12},      {"[p1]", "p1", 0},           {"[s+0x10]", "s", 16},
    {"[16]", "", 16},         {"[16+-4]", "", 12},
};

static void addresses_have_base_and_offset(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof addresses / sizeof *addresses; n++) {
        char text[80];

        snprintf(text, sizeof text, "ld.u32 %%r1, %s;", addresses[n].text);
        const struct ptx_operand *o = &read_one(text)->operands[1];

        assert_int_equal(o->kind, PTX_MEMORY);
        assert_true(o->integer == addresses[n].integer);
        assert_string_equal(o->reg >= 0      ? register_name(o->reg)
                            : o->symbol >= 0 ? symbol_name(o->symbol)
                                             : "",
                            addresses[n].base);
    }
}

static void operands_of_every_other_kind(void **state)
{
    const struct ptx_operand *o = read_one("mov.u32 %r1, %tid.x;")->operands;

    (void)state;
    assert_int_equal(o[1].kind, PTX_SPECIAL);
    assert_int_equal(o[1].special, PTX_TID_X);
    o = read_one("mov.u32 %r1, WARP_SZ;")->operands;
    assert_int_equal(o[1].special, PTX_WARP_SZ);
    o = read_one("mov.u32 %r1, %clusterid.x;")->operands;
    assert_int_equal(o[1].special, PTX_CLUSTERID_X);
    o = read_one("mov.pred %p1, %is_explicit_cluster;")->operands;
    assert_int_equal(o[1].special, PTX_IS_EXPLICIT_CLUSTER);
    o = read_one("mov.u32 %r1, %envreg2;")->operands;
    assert_int_equal(o[1].special, PTX_ENVREG2);
    o = read_one("mov.u32 %r1, %envreg3;")->operands;
    assert_int_equal(o[1].special, PTX_SPECIAL_OTHER);
    assert_memory_equal(module->text + o[1].span.offset, "%envreg3", o[1].span.bytes);
    o = read_one("mov.u64 %rd1, g+4;")->operands;
    assert_int_equal(o[1].kind, PTX_SYMBOL);
    assert_string_equal(symbol_name(o[1].symbol), "g");
    assert_int_equal(o[1].integer, 4);
    o = read_one("vmad.s32.s32.u32 %r1, %r2.b0, %r3.h1, %r3;")->operands;
    assert_int_equal(o[1].kind, PTX_REGISTER);
    assert_true(o[1].is_part && o[2].is_part && !o[3].is_part);
    assert_string_equal(register_name(o[1].reg), "%r2");
    assert_memory_equal(module->text + o[2].span.offset, "%r3.h1", o[2].span.bytes);
    o = read_one("vabsdiff4.u32.u32.u32.add %r1.b3210, %r2, %r3, %r3;")->operands;
    assert_true(o[0].is_part);
    o = read_one("mov.b64 {%r1, _}, %rd1;")->operands;
    assert_int_equal(o[0].kind, PTX_VECTOR);
    assert_int_equal(o[0].count, 2);
    assert_int_equal(o[0].list[1].kind, PTX_SINK);
    o = read_one("shfl.sync.down.b32 %r1|%p2, %r2, 1, 31, -1;")->operands;
    assert_int_equal(o[0].kind, PTX_PAIR);
    assert_string_equal(register_name(o[0].list[1].reg), "%p2");
    o = read_one("selp.b32 %r1, 1, 2, !%p1;")->operands;
    assert_true(o[3].negated);
    o = read_one("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [g, {%f5, %f6}];")->operands;
    assert_int_equal(o[1].kind, PTX_MEMORY);
    assert_int_equal(o[1].list[0].count, 2);
    o = read_one("brx.idx %r1, T; T: .branchtargets A, B; A: ret; B: ret;")->operands;
    const struct ptx_function *f = ptx_function_find(module, "k");

    assert_int_equal(f->targets[0].label, o[1].label);
    assert_string_equal(f->labels[f->targets[0].labels[1]].name, "B");
    assert_int_equal(f->labels[f->targets[0].labels[1]].instruction, 2);
}

static void calls_have_lists_around_their_function(void **state)
{
    const struct ptx_instruction *i = read_one(
        "{ .param .b32 a; .param .b32 r;\n call.uni (r),\n callee,\n (\n a\n );\n }");
    const struct ptx_operand *o = i->operands;
    char text[64];

    (void)state;
    assert_int_equal(i->operand_count, 3);
    assert_int_equal(o[0].kind, PTX_LIST);
    assert_int_equal(o[1].kind, PTX_SYMBOL);
    assert_true(ptx_symbol(module, NULL, o[1].symbol)->is_function);
    assert_string_equal(symbol_name(o[2].list[0].symbol), "a");
    ptx_instruction_text(module, i, text, sizeof text);
    assert_string_equal(text, "call.uni (r), callee, ( a );");
    i = read_one(
        "P : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);"
        "call %rd1, (), P;");
    assert_int_equal(i->operands[0].kind, PTX_REGISTER);
    assert_int_equal(i->operands[1].count, 0);
    assert_int_equal(i->operands[2].kind, PTX_LABEL);
    i = read_one("call callee;");
    assert_int_equal(i->operands[0].kind, PTX_SYMBOL);
}

static void lines_are_counted(void **state)
{
    const struct ptx_instruction *i = read_one(
        "ret; // ret;\n/* two\n lines */\n.loc 1 2 3, function_name $x, in 4\nexit;");
    uint32_t line = i[0].line;

    (void)state;
    assert_int_equal(ptx_function_find(module, "k")->instruction_count, 2);
    assert_int_equal(i[1].line, line + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_give_space_types_and_vector),
        cmocka_unit_test(words_keep_their_order),
        cmocka_unit_test(guards_name_a_predicate),
        cmocka_unit_test(registers_carry_their_type),
        cmocka_unit_test(literals_have_their_value),
        cmocka_unit_test(addresses_have_base_and_offset),
        cmocka_unit_test(operands_of_every_other_kind),
        cmocka_unit_test(calls_have_lists_around_their_function),
        cmocka_unit_test(lines_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, clear_module);
}
