/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms against slices of the corpus. For every kernel with a slice, in random
   launches with random parameters, the closed forms equal the slice or are absent. Closed
   forms of a perturbed text are caught. Usage: closed_corpus_test [PATTERN] */
#include <glob.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "access/closed/closed_map.h"
#include "access/slice/write_set_slice.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

static const struct write_set_options known = {.constants_known = true};

enum {
    LAUNCHES = 24,
    BLOCK_MAX = 4096,
    POINTERS_MAX = 32,
    MUTANTS_PER_KERNEL = 8,
    CONSTANTS_MAX = 16
};

/* A launch of a kernel. The test knows only which parameters are pointers and which
   variables are constants. */
struct trial {
    struct write_set_constant constants[CONSTANTS_MAX];
    uint32_t content[CONSTANTS_MAX][BLOCK_MAX / 4], constant_count;
    uint32_t pointers[POINTERS_MAX], pointer_count, bytes;
    unsigned char block[BLOCK_MAX];
    struct write_set_array arrays[POINTERS_MAX];
    struct write_set_pointer places[POINTERS_MAX];
    struct write_set_launch launch;
};

static void find_pointers(struct trial *t, const struct ptx_module *m,
                          const struct ptx_function *f)
{
    struct access_analysis *a = access_analyze(m, f);

    t->bytes = f->parameter_bytes;
    for (uint32_t n = 0; n < a->record_count; n++) {
        uint32_t offset, k = 0;

        if (a->records[n].base != ACCESS_BASE_PARAMETER)
            continue;
        offset = a->symbols[a->records[n].base_symbol].offset;
        while (k < t->pointer_count && t->pointers[k] != offset)
            k++;
        if (k == t->pointer_count && k < POINTERS_MAX)
            t->pointers[t->pointer_count++] = offset;
    }
    access_destroy(a);
}

static void find_constants(struct trial *t, const struct ptx_module *m)
{
    for (uint32_t n = 0; n < m->symbol_count && t->constant_count < CONSTANTS_MAX; n++)
        if (m->symbols[n].space == PTX_SPACE_CONST && m->symbols[n].bytes <= BLOCK_MAX)
            t->constants[t->constant_count++] = (struct write_set_constant){
                .name = m->symbols[n].name, .bytes = m->symbols[n].bytes};
}

static uint32_t any_number(uint64_t *chance)
{
    switch (random_below(chance, 12)) {
    case 0:
        return (uint32_t)random_below(chance, 1ull << 32); /* large enough to wrap */
    case 1:
        return (uint32_t)-1 - (uint32_t)random_below(chance, 4);
    case 2:
    case 3:
        return (uint32_t)random_below(chance, 3000);
    default:
        return (uint32_t)random_below(chance, 80);
    }
}

static void draw(struct trial *t, uint64_t *chance)
{
    static const uint32_t blocks[][3] = {{32, 1, 1}, {64, 1, 1}, {16, 4, 1}, {8, 8, 1},
                                         {7, 3, 2},  {48, 2, 1}, {1, 1, 1},  {256, 1, 1}};
    uint32_t which = (uint32_t)random_below(chance, 8);

    for (uint32_t at = 0; at + 4 <= t->bytes; at += 4) {
        uint32_t number = any_number(chance);

        if (at % 8 && random_below(chance, 2))
            number = 0; /* the upper half of a 64-bit number */
        memcpy(t->block + at, &number, 4);
    }
    t->launch = (struct write_set_launch){.grid = {1 + (uint32_t)random_below(chance, 6),
                                                   1 + (uint32_t)random_below(chance, 3),
                                                   1 + (uint32_t)random_below(chance, 2)},
                                          .parameters = t->block,
                                          .parameter_bytes = t->bytes,
                                          .arrays = t->arrays,
                                          .array_count = t->pointer_count,
                                          .pointers = t->places,
                                          .pointer_count = t->pointer_count,
                                          .constants = t->constants,
                                          .constant_count = t->constant_count,
                                          .limit = 20000};
    for (uint32_t n = 0; n < t->constant_count; n++) {
        for (uint32_t at = 0; at < t->constants[n].bytes / 4; at++)
            t->content[n][at] = any_number(chance);
        t->constants[n].content = t->content[n];
    }
    memcpy(t->launch.block, blocks[which], sizeof blocks[which]);
    for (uint32_t n = 0; n < t->pointer_count; n++) {
        t->arrays[n] = (struct write_set_array){"array", 0,
                                                (uint64_t)4096 << random_below(chance, 20)};
        t->places[n] = (struct write_set_pointer){t->pointers[n], n, 0};
    }
}

struct tally {
    const char *why; /* reason for the last launch without closed form */
    uint32_t kernels, got, same, closed, silent, mutants, caught, missed;
};

static bool has_ranges(const struct write_set *w)
{
    bool has = false;

    for (uint32_t n = 0; n < w->array_count; n++)
        has |= w->arrays[n].runs.count > 0;
    return has;
}

static void compare(const struct write_set_slice *s, struct trial *t, struct tally *tally)
{
    struct write_set *forms = NULL, *slice = NULL;
    struct proact_error err = {""}, silent = {""};

    t->launch.is_sliced = true;
    enum proact_status status = write_set_run(s, &t->launch, &slice, &err);

    t->launch.is_sliced = false;
    if (write_set_run(s, &t->launch, &forms, &silent) != status &&
        !strstr(err.text, "is not known after"))
        fail_msg("%s: %s, but forms say %s", s->kernel, err.text, silent.text);
    tally->closed += forms && !forms->ctas_run;
    tally->silent += forms && forms->ctas_run;
    tally->why = forms && forms->ctas_run ? forms->why_sliced : tally->why;
    for (uint32_t at = 0; forms && slice && forms->digest != slice->digest && at < t->bytes;
         at += 4)
        print_message("%s[%u] %02x%02x%02x%02x", at ? ", " : "parameters: ", at,
                      t->block[at + 3], t->block[at + 2], t->block[at + 1], t->block[at]);
    if (forms && slice && forms->digest != slice->digest)
        fail_msg("%s, grid (%u,%u,%u) of (%u,%u,%u): forms say other bytes than\n%s",
                 s->kernel, t->launch.grid[0], t->launch.grid[1], t->launch.grid[2],
                 t->launch.block[0], t->launch.block[1], t->launch.block[2], s->cut.text);
    for (uint32_t n = 0; slice && forms && n < slice->array_count; n++)
        if (slice->arrays[n].is_atomic != forms->arrays[n].is_atomic)
            fail_msg("%s: atomic or not", s->kernel);
    tally->same += forms && slice && !forms->ctas_run && has_ranges(forms);
    write_set_destroy(forms);
    write_set_destroy(slice);
}

/* Text of the slice with 1 added to its literal number `which`, counted from 0. Zeros of
   `mov.b64 %z0, 0` do not count: the slice stores them. Returns NULL if there are fewer
   literals. */
static char *with_another_number(const char *text, uint32_t which)
{
    struct text out = {0};
    const char *at = strchr(strstr(text, ".entry"), '{'), *line = at;

    for (; at && *at; at++) {
        bool starts = *at >= '0' && *at <= '9' && at[-1] == ' ';

        line = at[-1] == '\n' ? at : line;
        starts &= !!strncmp(line, "mov.b", 5);

        if (!starts || which--)
            continue;
        char *end;
        long long number = strtoll(at, &end, 10);

        if (*end != ';' && *end != ',')
            break;
        text_add(&out, text, (size_t)(at - text));
        text_print(&out, "%lld%s", number + 1, end);
        return out.data;
    }
    return NULL;
}

/* Result for the closed forms of the perturbed text: whether they exist in some launch,
   whether they differ from the slice, and whether they agree although the perturbed text
   writes other bytes. */
struct verdict {
    bool got, caught, missed;
};

static bool differ(const struct write_set *a, const struct write_set *b)
{
    return !a != !b || (a && a->digest != b->digest);
}

static struct verdict try_other(struct write_set_slice *s, const struct trial *of,
                                const char *text)
{
    struct closed_map *kept = s->closed;
    struct write_set_slice *other = NULL;
    struct verdict v = {false, false, false};
    struct trial t = *of;
    struct ptx_module *m;
    struct proact_error err;
    uint64_t chance = 7;

    if (ptx_parse("mutant", text, strlen(text), &m, &err))
        fail_msg("%s\n%s", err.text, text);
    if (write_set_slice_create(m, s->name, &known, &other, &err))
        fail_msg("%s\n%s", err.text, text);
    s->closed = closed_map_create(m, ptx_function_find(m, s->name));
    for (uint32_t n = 0; n < 8 * LAUNCHES && !v.caught; n++) {
        struct write_set *forms = NULL, *slice = NULL, *ran = NULL;

        draw(&t, &chance);
        (void)write_set_run(s, &t.launch, &forms, &err);
        v.got |= forms && !forms->ctas_run;
        t.launch.is_sliced = true;
        (void)write_set_run(s, &t.launch, &slice, &err);
        (void)write_set_run(other, &t.launch, &ran, &err);
        v.caught = differ(forms, slice);
        v.missed |= forms && !forms->ctas_run && !v.caught && differ(ran, slice);
        write_set_destroy(forms);
        write_set_destroy(slice);
        write_set_destroy(ran);
    }
    closed_map_destroy(s->closed);
    s->closed = kept;
    write_set_slice_destroy(other);
    ptx_destroy(m);
    return v;
}

static void perturb(struct write_set_slice *s, const struct trial *t, struct tally *tally)
{
    for (uint32_t n = 0; n < MUTANTS_PER_KERNEL; n++) {
        char *text = with_another_number(s->cut.text, n);
        struct verdict v = {false, false, false};

        if (text)
            v = try_other(s, t, text);
        tally->mutants += v.got;
        tally->caught += v.got && v.caught;
        tally->missed += v.missed;
        if (v.missed)
            print_message("%s: missed\n%s\n", s->kernel, text);
        free(text);
    }
}

static void try_kernel(const struct ptx_module *m, const struct ptx_function *f,
                       struct tally *tally)
{
    struct write_set_slice *s = NULL;
    struct trial t = {0};
    struct proact_error err;
    uint64_t chance = 1;
    uint32_t before = tally->same;

    tally->why = "fails in each launch";
    if (!f->is_entry || f->parameter_bytes > BLOCK_MAX ||
        write_set_slice_create(m, f->name, &known, &s, &err))
        return;
    find_pointers(&t, m, f);
    find_constants(&t, m);
    for (uint32_t n = 0; n < LAUNCHES; n++) {
        draw(&t, &chance);
        compare(s, &t, tally);
    }
    tally->kernels++;
    tally->got += tally->same > before;
    if (tally->same > before)
        perturb(s, &t, tally);
    else
        print_message("%s, %s: %s\n", m->name, f->name, tally->why);
    write_set_slice_destroy(s);
}

static void corpus_forms_equal_slices(void **state)
{
    struct tally tally = {0};
    glob_t found;

    assert_int_equal(glob(*state, 0, NULL, &found), 0);
    for (size_t n = 0; n < found.gl_pathc; n++) {
        struct proact_error err;
        struct ptx_module *m = NULL;
        size_t bytes;
        char *text;

        if (file_read(found.gl_pathv[n], &text, &bytes, &err) ||
            ptx_parse(strrchr(found.gl_pathv[n], '/') + 1, text, bytes, &m, &err))
            fail_msg("%s", err.text);
        free(text);
        for (uint32_t k = 0; k < m->function_count; k++)
            try_kernel(m, &m->functions[k], &tally);
        ptx_destroy(m);
    }
    globfree(&found);
    print_message("%u kernels, %u told by forms; %u launches by forms, %u by slices; %u of "
                  "%u perturbed forms caught\n",
                  tally.kernels, tally.got, tally.closed, tally.silent, tally.caught,
                  tally.mutants);
    assert_true(tally.got * 10 > tally.kernels * 8);
    /* The mutants that are not caught write the same bytes for the numbers that occur, for
       example a changed sign of a value that is never negative. */
    assert_int_equal(tally.missed, 0);
    assert_true(tally.caught * 100 > tally.mutants * 85);
}

int main(int argc, char **argv)
{
    char *pattern = argc > 1 ? argv[1] : PROACT_SOURCE "/tests/ptx/corpus/*.ptx";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(corpus_forms_equal_slices, pattern)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
