/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose step is clamped to the end, so that the counter cannot wrap: each form, in
   each integer type, in both directions. The accesses have forms, and the write set by
   forms equals that of the slice, next to the limits of the type as well. */
#include "access/access.h"
#include "write_set_testing.h"

enum { STEP = 4, ROOM = 16 };

/* Letters: I counter, E end, S step, N next counter, X the last counter before the end, R a
   further register; T type, U its bits; mT minimum; + the step's direction, < what it
   approaches; { is ge, } le, ? ne. Downwards, all are reversed. */
static const struct clamped {
    const char *loop;
    bool has_form;
} cases[] = {
    {"-U X, E, S; +U N, I, S; setp<T %p2, I, X; selpB I, N, E, %p2;"
     "setp<T %p3, I, E; @%p3 bra L;",
     true},
    {"-U X, E, S; +U N, I, S; setp{T %p2, I, X; selpB I, E, N, %p2;"
     "setp{T %p3, I, E; @!%p3 bra L;",
     true},
    {"-U X, E, S; +U N, I, S; setp>T %p2, X, I; selpB I, N, E, %p2;"
     "setp>T %p3, E, I; @%p3 bra L;",
     true},
    {"+U N, I, S; mT I, N, E; setp<T %p3, I, E; @%p3 bra L;", true},
    {"+U N, I, S; mT I, E, N; setp?T %p3, I, E; @%p3 bra L;", true},
    {"+U N, I, S; mT I, N, E; setp<T %p3, N, E; @%p3 bra L;", true},
    {"+U N, I, S; mT I, N, E; setp{T %p3, N, E; @%p3 bra END; bra L;", true},
    {"+U N, I, S; mT R, N, E; movB I, R; setp<T %p3, R, E; @%p3 bra L;", true},
    {"+U N, I, S; mT I, N, E; setp{T %p3, I, E; setp.gt.u32 %p4, %r2, 99;"
     "or.pred %p3, %p3, %p4; @%p3 bra END; bra L;",
     true},
    {"+U N, I, S; mT I, N, E; setp{T %p3, I, E; @%p3 bra END;"
     "setp.gt.u32 %p4, %r2, 99; @!%p4 bra L;",
     true},
    {"-U X, E, S; setp<T %p2, I, X; @%p2 bra ON; movB I, E; bra NEXT; ON: +U I, I, S;"
     "NEXT: setp<T %p3, I, E; @%p3 bra L;",
     true},
    {"-U X, E, S; -U R, E, 1; setp<T %p2, I, X; +U N, I, S; selpB I, N, E, %p2;"
     "setp}T %p3, I, R; @%p3 bra L;",
     true},
    {"-U X, E, S; mT I, I, X; +U I, I, S; setp?T %p3, I, E; @%p3 bra L;", true},
    {"+U N, I, S; setp}T %p2, N, E; selpB I, N, E, %p2; setp?T %p3, I, E; @%p3 bra L;",
     true},
    /* the counter may be the end, and go on */
    {"-U X, E, S; +U N, I, S; setp<T %p2, I, X; selpB I, N, E, %p2;"
     "setp}T %p3, N, E; @%p3 bra L;",
     false},
    {"+U N, I, S; mT I, N, E; +U R, E, 2; setp<T %p3, I, R; @!%p3 bra END;"
     "setp?T %p4, I, N; @%p4 bra END; bra L;",
     false},
    {"-U X, E, S; +U N, I, S; +U R, E, 2; setp<T %p2, I, X; selpB I, N, E, %p2;"
     "setp<T %p3, I, R; setp<T %p4, N, E; and.pred %p3, %p3, %p4; @%p3 bra L;",
     false},
};

static const struct type {
    const char *name, *unit, *bits, *reg;
} types[] = {{".s32", ".s32", ".b32", "%r"},
             {".u32", ".s32", ".b32", "%r"},
             {".s64", ".s64", ".b64", "%rd"},
             {".u64", ".s64", ".b64", "%rd"}};

static void print_word(struct text *into, const char **at, const struct type *t, bool down)
{
    static const struct {
        char letter;
        const char *up, *down;
    } words[] = {{'<', ".lt", ".gt"}, {'>', ".gt", ".lt"}, {'{', ".ge", ".le"},
                 {'}', ".le", ".ge"}, {'?', ".ne", ".ne"}, {'+', "add", "sub"},
                 {'-', "sub", "add"}, {'m', "min", "max"}};
    static const char registers[] = "IESNXR";
    const char c = **at, *is = strchr(registers, c);

    if (c == 'T' || c == 'U' || c == 'B')
        text_print(into, "%s", c == 'T' ? t->name : c == 'U' ? t->unit : t->bits);
    else if (is)
        text_print(into, "%s%d", t->reg, (int)(is - registers) + 20);
    else {
        for (size_t n = 0; n < sizeof words / sizeof *words; n++)
            if (c == words[n].letter && (c != 'm' || (*at)[1] == 'T')) {
                text_print(into, "%s", down ? words[n].down : words[n].up);
                return;
            }
        text_print(into, "%c", c);
    }
}

static void print_words(struct text *into, const char *words, const struct type *t,
                        bool down)
{
    for (const char *at = words; *at; at++) {
        const bool is_label =
            !strncmp(at, "END", 3) || !strncmp(at, "NEXT", 4) || !strncmp(at, "ON", 2);

        if (!is_label) {
            print_word(into, &at, t, down);
            continue;
        }
        while (*at >= 'A' && *at <= 'Z')
            text_print(into, "%c", *at++);
        at--;
    }
}

/* The counter starts ROOM before the end, plus the thread. Its distance from there is the
   word that the thread writes. */
static char *kernel_text(const char *loop, const struct type *t, bool down, bool is_near)
{
    const bool wide = t->reg[2] == 'd';
    struct text body = {0};

    text_print(&body, "mov.u32 %%r10, %%r1;\n");
    if (wide)
        text_print(&body, "cvt.s64.s32 %%rd21, %%r1;%s\n",
                   is_near ? "shl.b64 %rd21, %rd21, 32; or.b64 %rd21, %rd21, 0xffffffff;"
                           : "");
    else
        text_print(&body, "mov.u32 %%r21, %%r1;\n");
    text_print(&body, wide ? "cvt.s64.s32 %%rd10, %%r2;\n" : "mov.u32 %%r10, %%r2;\n");
    text_print(&body, "mov%s %s22, %d;\n", t->bits, t->reg, STEP);
    print_words(&body, down ? "addU I, E, 16;" : "subU I, E, 16;", t, false);
    text_print(&body, "%s%s %s20, %s20, %s10;\n", down ? "sub" : "add", t->unit, t->reg,
               t->reg, t->reg);
    print_words(&body, "setp{T %p1, I, E; @%p1 bra END; L:\n", t, down);
    print_words(&body,
                down ? "subU R, E, I; addU R, R, 16;" : "subU R, I, E; addU R, R, 16;", t,
                false);
    if (wide)
        text_print(&body, "shl.b64 %%rd14, %%rd25, 2;\n");
    else
        text_print(&body, "mul.wide.s32 %%rd14, %%r25, 4;\n");
    text_print(&body, "add.s64 %%rd14, %%rd1, %%rd14; st.global.u32 [%%rd14], 1;\n");
    print_words(&body, loop, t, down);
    text_print(&body, "\nEND:\n");
    return body.data;
}

static bool has_form(const char *body)
{
    struct text all = {0};
    struct ptx_module *m = NULL;
    struct proact_error err;
    bool is;

    text_print(&all, ".version 8.0\n.target sm_80\n.address_size 64\n%s%s\nret;\n}\n",
               K_START, body);
    if (ptx_parse("t.ptx", all.data, all.length, &m, &err))
        fail_msg("%s\n%s", err.text, body);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));

    assert_int_equal(a->record_count, 1);
    is = a->records[0].state == ACCESS_CLOSED;
    access_destroy(a);
    ptx_destroy(m);
    text_clear(&all);
    return is;
}

static void run_launches(const char *body)
{
    static const uint32_t ends[] = {
        ROOM,       100,        1000,       0x7ffffff0, 0x7fffffff, 0x80000000, 0x80000010,
        0x80000011, 0xffffffef, 0xfffffff0, 0xffffffff, 0,          1};
    struct cut c = cut_text("", body, NULL);

    if (!c.slice)
        fail_msg("%s: %s", body, c.err.text);
    for (size_t n = 0; n < sizeof ends / sizeof *ends; n++) {
        struct write_set_launch l = {.limit = 100000};
        struct write_set *forms = NULL, *slice = NULL;
        struct proact_error err;
        const struct shape at = {2, 8, ends[n]};
        const enum proact_status status = run_shape_as(&c, at, l, &forms, &err);

        l.is_sliced = true;
        if (run_shape_as(&c, at, l, &slice, &err) != status ||
            (forms && forms->digest != slice->digest))
            fail_msg("n %u: the forms say something else:\n%s", at.n, body);
        write_set_destroy(forms);
        write_set_destroy(slice);
    }
    write_set_slice_destroy(c.slice);
}

static void clamped_steps_have_forms(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            for (unsigned way = 0; way < 4; way++) {
                char *body = kernel_text(cases[n].loop, &types[k], way & 1, way & 2);

                if (has_form(body) != cases[n].has_form)
                    fail_msg("%s form:\n%s", cases[n].has_form ? "no" : "a", body);
                run_launches(body);
                free(body);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamped_steps_have_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
