/* SPDX-License-Identifier: Apache-2.0 */
/* Number of accesses of the samples that have a closed form, by compiler. misses.txt lists
   each access without one with its reason. `access_counts_test print` prints that list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/text.h"
#include "samples/samples_ptx.h"

struct counts {
    unsigned total[ACCESS_OTHER + 1], closed[ACCESS_OTHER + 1], based[ACCESS_OTHER + 1];
    unsigned open; /* neither closed nor dependent on memory */
};

static const char *const kinds[] = {"read", "write", "atomic", "reduce", "other"};

static void count(const struct access_analysis *a, const char *title, struct counts *c,
                  struct text *misses)
{
    for (uint32_t i = 0; i < a->record_count; i++) {
        const struct access_record *r = &a->records[i];

        c->total[r->kind]++;
        c->closed[r->kind] += r->state == ACCESS_CLOSED;
        c->based[r->kind] += r->base != ACCESS_BASE_UNKNOWN;
        c->open += r->state == ACCESS_OPEN;
        if (r->state != ACCESS_CLOSED)
            text_print(misses, "%s line %u, %s: %s\n", title, r->line, kinds[r->kind],
                       r->reason);
    }
}

static void analyze(const struct sample *s, const char *compiler, struct counts *c,
                    struct text *misses)
{
    struct proact_error err = {""};
    struct ptx_module *m;
    struct access_analysis *a;
    char title[96];
    size_t bytes;
    char *text = samples_ptx(s, compiler, SAMPLES_PLAIN, &bytes);

    assert_non_null(text);
    assert_int_equal(ptx_parse(s->file, text, bytes, &m, &err), PROACT_OK);
    snprintf(title, sizeof title, "%s %s", compiler, s->name);
    a = access_analyze(m, ptx_function_find(m, s->name));
    count(a, title, c, misses);
    access_destroy(a);
    ptx_destroy(m);
    free(text);
}

static struct counts count_all(const char *compiler, struct text *misses)
{
    struct counts c = {.open = 0};

    for (int i = 0; i < SAMPLES_COUNT; i++)
        analyze(&samples[i], compiler, &c, misses);
    return c;
}

static void samples_are_closed(void **state)
{
    static const struct {
        const char *compiler;
        unsigned writes, reads, reads_closed, atomics;
    } rows[] = {
        {"sm_75", 58, 176, 145, 7},
        {"sm_90", 58, 176, 145, 7},
        {"sm_100", 62, 366, 233, 35},
        {"clang", 50, 137, 94, 11},
    };
    struct text misses = {0};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct counts c = count_all(rows[i].compiler, &misses);

        assert_int_equal(c.total[ACCESS_WRITE], rows[i].writes);
        assert_int_equal(c.closed[ACCESS_WRITE], rows[i].writes);
        assert_int_equal(c.total[ACCESS_READ], rows[i].reads);
        assert_int_equal(c.closed[ACCESS_READ], rows[i].reads_closed);
        assert_int_equal(c.based[ACCESS_READ], rows[i].reads);
        assert_int_equal(c.total[ACCESS_ATOMIC], rows[i].atomics);
        assert_int_equal(c.based[ACCESS_ATOMIC], rows[i].atomics);
        assert_int_equal(c.open, 0); /* all others depend on memory */
    }
    text_clear(&misses);
}

static void misses_are_listed(void **state)
{
    struct text misses = {0};
    char *wanted;
    size_t bytes;

    (void)state;
    for (int i = 0; samples_compilers[i]; i++)
        count_all(samples_compilers[i], &misses);
    assert_int_equal(
        file_read(PROACT_SOURCE "/tests/access/misses.txt", &wanted, &bytes, NULL),
        PROACT_OK);
    assert_string_equal(misses.data, wanted);
    free(wanted);
    text_clear(&misses);
}

static int print_misses(void)
{
    struct text misses = {0};

    for (int i = 0; samples_compilers[i]; i++)
        count_all(samples_compilers[i], &misses);
    fputs(misses.data, stdout);
    text_clear(&misses);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_closed),
        cmocka_unit_test(misses_are_listed),
    };

    if (argc > 1 && !strcmp(argv[1], "print"))
        return print_misses();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
