/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix factorisation gives the same bits on 1, 2, 4 and 16 emulated devices by every
   method, with the checker of the emulator. With an argument, by two seeds each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "apps/als_testing.h"

static bool every_seed;

static void same_bits(const struct als_result *r, const struct als_result *want)
{
    assert_int_equal(r->error_count, want->error_count);
    assert_memory_equal(r->errors, want->errors, r->error_count * sizeof *r->errors);
    assert_memory_equal(r->users, want->users,
                        (size_t)r->user_count * r->rank * r->element_bytes);
    assert_memory_equal(r->items, want->items,
                        (size_t)r->item_count * r->rank * r->element_bytes);
}

static void equal_everywhere(const struct als_options *options)
{
    static const unsigned devices[] = {2, 4, 16};
    struct rating_set set = als_planted(60, 40, 700);
    struct als_place place = {
        .machine = "v100x16", .method = "bulk", .devices = 1, .check = true};
    struct als_result one = als_run_on(&place, &set, options);

    for (const char *const *method = proact_method_names(); *method; method++)
        for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
            for (uint64_t seed = 1; seed <= 2; seed++) {
                if (!every_seed && seed != 1 + i % 2)
                    continue;
                place.method = *method;
                place.devices = devices[i];
                place.seed = seed;
                struct als_result r = als_run_on(&place, &set, options);

                same_bits(&r, &one);
                assert_true(r.is_split && r.statistics.bytes > 0);
                als_clear(&r);
            }
    als_clear(&one);
    rating_set_clear(&set);
}

static void solve_is_the_same_everywhere(void **state)
{
    (void)state;
    equal_everywhere(
        &(struct als_options){.update = ALS_SOLVE, .rank = 16, .sweeps_max = 2});
}

static void gradient_is_the_same_everywhere(void **state)
{
    (void)state;
    equal_everywhere(&(struct als_options){
        .update = ALS_GRADIENT, .rank = 32, .sweeps_max = 2, .is_single = true});
}

static void paper_kernel_is_the_same_everywhere(void **state)
{
    (void)state;
    equal_everywhere(&(struct als_options){
        .update = ALS_GRADIENT, .rank = 16, .sweeps_max = 2, .is_paper_kernel = true});
}

static void strata_are_the_same_everywhere(void **state)
{
    (void)state;
    equal_everywhere(
        &(struct als_options){.update = ALS_STRATA, .rank = 16, .sweeps_max = 2});
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solve_is_the_same_everywhere),
        cmocka_unit_test(gradient_is_the_same_everywhere),
        cmocka_unit_test(paper_kernel_is_the_same_everywhere),
        cmocka_unit_test(strata_are_the_same_everywhere),
    };

    (void)argv;
    every_seed = argc > 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
