/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that the ranges of a kernel's loads depend on, for the kernels of the corpus.
   A change of any other parameter leaves the ranges the same. A small kernel shows that the
   set is not simply all parameters. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/depends.h"
#include "base/memory.h"
#include "base/text.h"

enum { BLOCK = 4096, TRIES = 12 };

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static bool is_load(const struct access_record *r)
{
    return r->kind == ACCESS_READ;
}

static struct access_depends of_loads(const struct access_analysis *a)
{
    struct access_depends d = access_depends_on_nothing(a);

    for (uint32_t n = 0; n < a->record_count; n++)
        if (is_load(&a->records[n]))
            access_depends_add(&d, &a->records[n]);
    return d;
}

enum { PARAMETERS = 32 };

/* Finds which parameters of the first kernel its loads depend on, by first byte. */
static void find_counts(const char *text, size_t bytes, bool counts[PARAMETERS])
{
    struct ptx_module *m;

    assert_int_equal(ptx_parse("small", text, bytes, &m, NULL), PROACT_OK);
    struct access_analysis *a = access_analyze(m, &m->functions[0]);
    struct access_depends d = of_loads(a);

    for (uint32_t n = 0; n < a->symbol_count; n++)
        if (a->symbols[n].kind == ACCESS_PARAMETER && a->symbols[n].offset < PARAMETERS)
            counts[a->symbols[n].offset] |= d.symbol[n];
    access_depends_clear(&d);
    access_destroy(a);
    ptx_destroy(m);
}

/* Most pointers of one record. */
enum { WAYS_MAX = 8 };
struct extents {
    bool known;
    uint32_t count;
    struct access_span spans[WAYS_MAX * ACCESS_SPANS_MAX];
};

static bool find_record(const struct access_analysis *a, const struct access_record *r,
                        const struct access_launch *l, const int64_t *trips,
                        struct extents *out)
{
    uint32_t ways;
    const struct access_record *each = access_either(r, &ways);

    assert_true(ways <= WAYS_MAX);
    for (uint32_t n = 0; n < ways; n++) {
        struct access_span spans[ACCESS_SPANS_MAX] = {{0}};
        uint32_t count;

        if (!access_extent(a, &each[n], l, trips, spans, &count))
            return false;
        memcpy(out->spans + out->count, spans, count * sizeof *spans);
        out->count += count;
    }
    return true;
}

static void find(const struct access_analysis *a, const unsigned char *block,
                 struct extents *out)
{
    const struct access_launch l = {.ntid = {32, 2, 1},
                                    .nctaid = {5, 3, 1},
                                    .parameters = block,
                                    .parameter_bytes = BLOCK};
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);

    access_trips(a, &l, trips);
    for (uint32_t n = 0; n < a->record_count; n++, out++) {
        memset(out, 0, sizeof *out);
        if (is_load(&a->records[n]))
            out->known = find_record(a, &a->records[n], &l, trips, out);
        if (!out->known) /* ranges found before the failure do not count */
            memset(out, 0, sizeof *out);
    }
    free(trips);
}

/* Small numbers, so that many ranges are known; some are so large that their sums wrap. */
static void fill(unsigned char *block, uint32_t *seed)
{
    for (size_t i = 0; i < BLOCK; i += 4) {
        uint32_t value = next(seed) % 200, kind = next(seed) % 64;

        if (kind < 3)
            value = kind == 0 ? value << 24 : kind == 1 ? -value : 0;

        memcpy(block + i, &value, sizeof value);
    }
}

/* Copies the bytes that the loads depend on from `other` to `block`. */
static void keep(const struct access_depends *d, unsigned char *block,
                 const unsigned char *other)
{
    for (uint32_t n = 0; n < d->analysis->symbol_count; n++) {
        const struct access_symbol *y = &d->analysis->symbols[n];

        if (d->symbol[n] && y->kind == ACCESS_PARAMETER && y->offset + y->bytes <= BLOCK)
            memcpy(block + y->offset, other + y->offset, y->bytes);
    }
}

/* Returns the number of loads with a known range that stayed the same. */
static unsigned compare(const char *title, const struct access_analysis *a)
{
    struct access_depends d = of_loads(a);
    struct extents *one = must_calloc(a->record_count + 1u, sizeof *one);
    struct extents *two = must_calloc(a->record_count + 1u, sizeof *two);
    unsigned char block[BLOCK], other[BLOCK];
    uint32_t seed = 1;
    unsigned known = 0;

    for (int t = 0; t < TRIES; t++) {
        fill(block, &seed);
        fill(other, &seed);
        keep(&d, other, block);
        find(a, block, one);
        find(a, other, two);
        for (uint32_t n = 0; n < a->record_count; n++) {
            known += one[n].known;
            if (memcmp(&one[n], &two[n], sizeof *one) != 0)
                fail_msg("%s: the extent of line %u hangs on more", title,
                         a->records[n].line);
        }
    }
    access_depends_clear(&d);
    free(one);
    free(two);
    return known;
}

static unsigned compare_all(const char *path)
{
    struct proact_error err = {""};
    struct ptx_module *m;
    unsigned known = 0;
    size_t bytes;
    char *text;

    assert_int_equal(file_read(path, &text, &bytes, &err), PROACT_OK);
    assert_int_equal(ptx_parse(path, text, bytes, &m, &err), PROACT_OK);
    for (uint32_t f = 0; f < m->function_count; f++) {
        struct access_analysis *a;

        if (!m->functions[f].is_entry)
            continue;
        a = access_analyze(m, &m->functions[f]);
        known += compare(m->functions[f].name, a);
        access_destroy(a);
    }
    ptx_destroy(m);
    free(text);
    return known;
}

static void ranges_of_loads_depend_on_the_listed_parameters_only(void **state)
{
    unsigned known = 0;
    glob_t files;

    (void)state;
    assert_int_equal(glob(PROACT_SOURCE "/tests/ptx/corpus/*.ptx", 0, NULL, &files), 0);
    glob(PROACT_BINARY "/tests/kernels/*.ptx", GLOB_APPEND, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++)
        known += compare_all(files.gl_pathv[i]);
    globfree(&files);
    assert_true(known > 10000);
}

/* A load bounded by n and m. Only the stored value and the store address depend on `salt`
   and `at`. */
static void store_operands_are_not_dependencies(void **state)
{
    static const char text[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m, .param .u32 salt, "
        ".param .u32 at)\n{\n"
        ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];\n"
        "ld.param.u32 %r3, [salt]; ld.param.u32 %r4, [at]; mov.u32 %r5, 0;\n"
        "L: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; mul.wide.u32 %rd4, %r5, "
        "4;\n"
        "add.s64 %rd2, %rd2, %rd4; ld.global.u32 %r6, [%rd2]; add.u32 %r6, %r6, %r3;\n"
        "add.s32 %r7, %r4, %r3; mul.wide.u32 %rd3, %r7, 4; add.s64 %rd3, %rd1, %rd3;\n"
        "st.global.u32 [%rd3], %r6; add.s32 %r5, %r5, 1; setp.lt.s32 %p1, %r5, %r2;\n"
        "@%p1 bra L; ret;\n}\n";
    bool counts[PARAMETERS] = {false};

    (void)state;
    find_counts(text, sizeof text - 1, counts);
    assert_true(counts[0] && counts[8] && counts[12]);
    assert_false(counts[16] || counts[20]);
}

/* A load of the thread's word or of a later one; `which` selects it. */
static void a_selecting_parameter_is_a_dependency(void **state)
{
    static const char text[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u32 which, .param .u32 other)\n{\n"
        ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [which]; ld.param.u32 %r2, [other];\n"
        "mov.u32 %r3, %tid.x; add.s32 %r4, %r3, 64; setp.eq.s32 %p1, %r1, 0;\n"
        "selp.b32 %r5, %r3, %r4, %p1; mul.wide.u32 %rd2, %r5, 4;\n"
        "add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r6, [%rd2]; ret;\n}\n";
    bool counts[PARAMETERS] = {false};

    (void)state;
    find_counts(text, sizeof text - 1, counts);
    assert_true(counts[0] && counts[8]);
    assert_false(counts[12]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_loads_depend_on_the_listed_parameters_only),
        cmocka_unit_test(store_operands_are_not_dependencies),
        cmocka_unit_test(a_selecting_parameter_is_a_dependency),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
