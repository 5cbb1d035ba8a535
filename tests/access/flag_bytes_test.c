/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of idempotent stores in a launch, and the reasons against them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/shared_writes/flag_bytes.h"

enum { CTAS = 3, ARRAYS = 3 };

/* Two pointers to two arrays and a variable after them. Stores of kind 0 use the first
   pointer, stores of kind 1 the second. */
static const struct write_set_pointer pointers[] = {{0, 0, 0}, {8, 1, 0}};
static struct access_flag sites[] = {
    {.parameter = 0, .kind = 0}, {.instruction = 2, .parameter = 8, .kind = 1, .way = 1}};
static bool decide[16];
static const struct access_flags flags = {sites, 2, 2, decide};

/* A write set in which every CTA writes the bytes `first` to `end` of one array. */
struct written {
    struct write_set set;
    struct write_set_ranges arrays[ARRAYS];
    struct cta_run run;
    struct rows row;
};

static const struct write_set *writes(struct written *w, uint32_t array, uint64_t first,
                                      uint64_t end)
{
    *w = (struct written){.set = {.cta_count = CTAS, .array_count = ARRAYS}};
    w->set.arrays = w->arrays;
    w->run = (struct cta_run){.count = CTAS, .rows = 1};
    w->row = rows_one(first, end - first);
    w->arrays[array].runs =
        (struct cta_runs){.run = &w->run, .rows = &w->row, .count = 1, .row_count = 1};
    w->arrays[2].is_variable = true;
    return &w->set;
}

static const char *add(struct flag_bytes *b, uint32_t kind, uint32_t array, uint64_t first,
                       uint64_t end)
{
    struct written w;

    return flag_bytes_add(b, &flags, kind, writes(&w, array, first, end), pointers, 2);
}

static void bytes_are_added_once_and_for_one_kind(void **state)
{
    struct flag_bytes b = {0};
    struct written w;

    (void)state;
    assert_null(add(&b, 0, 0, 8, 12));
    assert_int_equal(b.count, 1);
    assert_null(add(&b, 1, 1, 8, 12));
    assert_true(flag_bytes_meet(&b, 0, 11, 12) && !flag_bytes_meet(&b, 0, 12, 16));
    assert_true(flag_bytes_meet(&b, 1, 0, 9) && !flag_bytes_meet(&b, 2, 0, 100));
    assert_non_null(strstr(add(&b, 0, 0, 10, 14), "the same bytes with two values"));
    assert_null(flag_bytes_written(&b, writes(&w, 0, 0, 8)));
    assert_non_null(
        strstr(flag_bytes_written(&b, writes(&w, 0, 0, 9)), "write the same bytes"));
    flag_bytes_clear(&b);
}

static void bytes_belong_to_the_array_of_their_pointer(void **state)
{
    struct flag_bytes b = {0};

    (void)state;
    assert_non_null(strstr(add(&b, 0, 1, 8, 12), "another array's pointer"));
    assert_non_null(strstr(add(&b, 0, 2, 8, 12), "in a variable"));
    assert_int_equal(b.count, 0);
    for (uint64_t n = 0; n < 64; n++)
        assert_null(add(&b, 0, 0, 8 * n, 8 * n + 4));
    assert_non_null(strstr(add(&b, 0, 0, 1024, 1028), "too many"));
    flag_bytes_clear(&b);
}

/* Kinds that are shared and of one operation may write the same bytes; each byte counts
   once. */
static void shared_kinds_may_overlap(void **state)
{
    struct access_flag joint[] = {{.joint = true},
                                  {.kind = 1, .joint = true},
                                  {.kind = 2},
                                  {.kind = 3, .way = 3, .joint = true}};
    const struct access_flags of = {joint, 4, 4, decide};
    struct flag_bytes b = {0};
    struct written w;

    (void)state;
    assert_null(flag_bytes_add(&b, &of, 0, writes(&w, 0, 8, 12), pointers, 2));
    assert_null(flag_bytes_add(&b, &of, 0, writes(&w, 0, 20, 24), pointers, 2));
    assert_null(flag_bytes_add(&b, &of, 1, writes(&w, 0, 8, 12), pointers, 2));
    assert_int_equal(b.count, 2);
    assert_null(flag_bytes_add(&b, &of, 1, writes(&w, 0, 4, 28), pointers, 2));
    assert_int_equal(b.count, 5);
    for (size_t n = 0; n < b.count; n++)
        for (size_t k = 0; k < n; k++)
            assert_true(b.range[n].end <= b.range[k].first ||
                        b.range[k].end <= b.range[n].first);
    assert_true(flag_bytes_meet(&b, 0, 4, 5) && flag_bytes_meet(&b, 0, 27, 28) &&
                flag_bytes_meet(&b, 0, 12, 13) && !flag_bytes_meet(&b, 0, 28, 64));
    for (uint32_t kind = 2; kind < 4; kind++)
        assert_non_null(
            strstr(flag_bytes_add(&b, &of, kind, writes(&w, 0, 12, 16), pointers, 2),
                   "the same bytes with two values"));
    flag_bytes_clear(&b);
}

static void addresses_are_not_idempotent_values(void **state)
{
    (void)state;
    assert_null(flag_bytes_hang(&flags, pointers, 2));
    decide[15] = true;
    assert_null(flag_bytes_hang(&flags, pointers, 1));
    assert_non_null(strstr(flag_bytes_hang(&flags, pointers, 2), "a pointer"));
    decide[15] = false;
}

static void slices_exclude_idempotent_stores(void **state)
{
    const struct ptx_function f = {.instruction_count = 3};
    bool *all = flag_bytes_all(&flags, &f), *others = flag_bytes_others(&flags, &f, 1);

    (void)state;
    assert_true(all[0] && !all[1] && all[2]);
    assert_true(others[0] && others[1] && !others[2]);
    free(all);
    free(others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_added_once_and_for_one_kind),
        cmocka_unit_test(bytes_belong_to_the_array_of_their_pointer),
        cmocka_unit_test(shared_kinds_may_overlap),
        cmocka_unit_test(addresses_are_not_idempotent_values),
        cmocka_unit_test(slices_exclude_idempotent_stores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
