/* SPDX-License-Identifier: Apache-2.0 */
/* Ratings: planted ones, the CSV reader, and the division into training and validation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "als/als_setup.h"
#include "als/ratings_read.h"

static struct ratings parse(const char *text)
{
    struct ratings r = {0};
    struct proact_error err = {""};

    if (ratings_csv_parse("r.csv", text, strlen(text), &r, &err))
        fail_msg("%s", err.text);
    return r;
}

static void refused(const char *text, const char *message)
{
    struct ratings r = {0};
    struct proact_error err = {""};

    assert_int_equal(ratings_csv_parse("r.csv", text, strlen(text), &r, &err),
                     PROACT_EINVAL);
    assert_string_equal(err.text, message);
    assert_null(r.entry);
}

static void csv_ids_become_numbers(void **state)
{
    (void)state;
    struct ratings r = parse("userId,movieId,rating,timestamp\r\n"
                             "7,99999999999,4.5,1234\r\n"
                             "\n"
                             " 900 , 3 , 1\n"
                             "7,3,-2e0");

    assert_int_equal(r.user_count, 2);
    assert_int_equal(r.item_count, 2);
    assert_int_equal(r.count, 3);
    assert_int_equal(r.entry[0].user, 0);
    assert_int_equal(r.entry[0].item, 1);
    assert_true(r.entry[0].value == 4.5);
    assert_int_equal(r.entry[1].user, 1);
    assert_int_equal(r.entry[1].item, 0);
    assert_true(r.entry[1].value == 1 && r.entry[2].value == -2);
    assert_int_equal(ratings_user_id(&r, 1), 900);
    assert_true(ratings_item_id(&r, 1) == 99999999999u);
    ratings_clear(&r);
}

static void csv_separators(void **state)
{
    (void)state;
    static const char *const texts[] = {"1\t2\t3\t881250949\n", "1;2;3\n", "1 , 2,3\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ratings r = parse(texts[i]);

        assert_int_equal(r.count, 1);
        assert_true(r.entry[0].value == 3);
        ratings_clear(&r);
    }
}

static void csv_faults_name_the_line(void **state)
{
    (void)state;
    refused("", "r.csv: the file has no ratings");
    refused("user,item,rating\n", "r.csv: the file has no ratings");
    refused("1,2,3\n1,x,3\n",
            "r.csv:2: expected user,item,rating with numbers for user and item, found "
            "'1,x,3'");
    refused("1,2,nan\n",
            "r.csv:1: expected user,item,rating with a finite number as rating, found "
            "'1,2,nan'");
    refused("h\n1,2\n",
            "r.csv:2: expected user,item,rating with numbers for user and item, found "
            "'1,2'");
    refused("1,2,3stars\n",
            "r.csv:1: expected user,item,rating with a finite number as rating, found "
            "'1,2,3stars'");
    refused("1,2,3\n4;5;6\n",
            "r.csv:2: expected user,item,rating with numbers for user and item, found "
            "'4;5;6'");
    refused("1,2,1e999\n",
            "r.csv:1: expected user,item,rating with a finite number as rating, found "
            "'1,2,1e999'");
}

/* A byte order mark before a heading and before ratings. */
static void csv_byte_order_mark(void **state)
{
    (void)state;
    static const char *const texts[] = {"\xef\xbb\xbf"
                                        "1,2,3\n4,5,6\n",
                                        "\xef\xbb\xbfuser,item,rating\n1,2,3\n4,5,6\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ratings r = parse(texts[i]);

        assert_int_equal(r.count, 2);
        assert_int_equal(ratings_user_id(&r, 0), 1);
        ratings_clear(&r);
    }
    refused("\xef\xbb\xbf", "r.csv: the file has no ratings");
}

/* Kernels count ratings and users in 32 bits, in steps that must not wrap around. */
static void too_many_entries_are_refused(void **state)
{
    (void)state;
    const struct ratings many[] = {
        {.count = UINT32_MAX}, {.user_count = UINT32_MAX}, {.item_count = UINT32_MAX}};
    static const char *const texts[] = {
        "m.csv: 4294967295 ratings, 0 users and 0 items, expected at most 4294901759 of "
        "each",
        "m.csv: 0 ratings, 4294967295 users and 0 items, expected at most 4294901759 of "
        "each",
        "m.csv: 0 ratings, 0 users and 4294967295 items, expected at most 4294901759 of "
        "each"};

    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        struct proact_error err = {""};
        struct rating_set set = {0};

        assert_int_equal(rating_set_create("m.csv", &many[i], &set, &err), PROACT_EINVAL);
        assert_string_equal(err.text, texts[i]);
    }
}

static void two_ratings_of_one_item_are_refused(void **state)
{
    (void)state;
    struct ratings r = parse("8,70,3\n9,70,1\n8,70,4\n");
    struct rating_set set = {0};
    struct proact_error err = {""};

    assert_int_equal(rating_set_create("r.csv", &r, &set, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "r.csv: user 8 has two ratings of item 70: 3 and 4");
    assert_null(set.training);
    ratings_clear(&r);
}

static void ratings_must_be_finite(void **state)
{
    (void)state;
    struct rating entry = {0, 0, NAN};
    struct ratings r = {.user_count = 1, .item_count = 1, .count = 1, .entry = &entry};
    struct rating_set set = {0};
    struct proact_error err = {""};

    assert_int_equal(rating_set_create("r", &r, &set, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "r: the rating of item 1 by user 1 is "));
    assert_non_null(strstr(err.text, "nan, expected a finite number"));
}

/* The data of the reference program: `als planted:300,100,5000 ...`. */
static void planted_ratings_are_those_of_the_reference(void **state)
{
    (void)state;
    const struct ratings_plan plan = {300, 100, 5000, 0};
    struct ratings r;
    struct rating_set set = {0};
    struct proact_error err = {""};

    ratings_plant(&plan, &r);
    assert_int_equal(rating_set_create("planted", &r, &set, &err), PROACT_OK);
    assert_int_equal(set.training_count, 4117);
    assert_int_equal(set.validation_count, 476);
    assert_true(fabs(set.mean - 3.017037314) < 1e-9);
    assert_true(fabs(set.validation_deviation - 1.050657) < 1e-6);
    assert_int_equal(rating_rows_degree_max(&set.by_user), 26);
    assert_int_equal(rating_rows_degree_max(&set.by_item), 56);
    rating_set_clear(&set);
    ratings_clear(&r);
}

static void both_sides_have_all_training_ratings(void **state)
{
    (void)state;
    const struct ratings_plan plan = {40, 30, 500, 5};
    struct ratings r;
    struct rating_set set = {0};
    size_t at = 0, found = 0;

    ratings_plant(&plan, &r);
    assert_int_equal(rating_set_create("planted", &r, &set, NULL), PROACT_OK);
    assert_int_equal(set.training_count + set.validation_count, r.count);
    for (uint32_t user = 0; user < 40; user++)
        for (uint32_t i = set.by_user.first[user]; i < set.by_user.first[user + 1];
             i++, at++) {
            assert_int_equal(set.training[at].user, user);
            assert_int_equal(set.training[at].item, set.by_user.index[i]);
            assert_true(set.training[at].value == set.by_user.value[i]);
        }
    for (uint32_t item = 0; item < 30; item++)
        for (uint32_t i = set.by_item.first[item]; i < set.by_item.first[item + 1]; i++) {
            assert_true(i == set.by_item.first[item] ||
                        set.by_item.index[i] > set.by_item.index[i - 1]);
            for (size_t k = 0; k < set.training_count; k++)
                found += set.training[k].item == item &&
                         set.training[k].user == set.by_item.index[i] &&
                         set.training[k].value == set.by_item.value[i];
        }
    assert_int_equal(at, set.training_count);
    assert_int_equal(found, set.training_count);
    rating_set_clear(&set);
    ratings_clear(&r);
}

/* User 1 has only validation ratings. All users rate all items but that. */
static void users_without_training_are_counted(void **state)
{
    (void)state;
    struct rating entry[400], validation[400];
    struct ratings r = {.user_count = 20, .item_count = 20, .entry = entry};
    struct rating_set set = {0};
    struct als_options options = {.update = ALS_SOLVE, .rank = 4, .sweeps_max = 3};
    struct als_result result;
    size_t of_user = 0;

    for (uint32_t i = 0; i < 400; i++)
        entry[i] = (struct rating){i / 20, i % 20, 1 + i % 5};
    r.count = 400;
    assert_int_equal(rating_set_create("all", &r, &set, NULL), PROACT_OK);
    assert_int_equal(set.unknown_users, 0);
    for (size_t i = 0; i < set.validation_count; i++)
        if (set.validation[i].user == 1)
            validation[of_user++] = set.validation[i];
    assert_in_range(of_user, 1, 19);
    rating_set_clear(&set);
    memmove(&entry[20 + of_user], &entry[40], 360 * sizeof *entry);
    for (size_t i = 0; i < of_user; i++)
        entry[20 + i] = (struct rating){1, validation[i].item, 3};
    r.count = 380 + of_user;
    assert_int_equal(rating_set_create("some", &r, &set, NULL), PROACT_OK);
    assert_int_equal(set.unknown_users, 1);
    assert_int_equal(set.unknown_ratings, of_user);
    assert_int_equal(als_reference(&set, &options, &result, NULL), PROACT_OK);
    assert_true(isfinite(result.errors[2].validation));
    for (unsigned k = 0; k < 4; k++)
        assert_true(((double *)result.users)[4 + k] == 0);
    als_clear(&result);
    rating_set_clear(&set);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct als_options options;
        const char *message;
    } cases[] = {
        {{.rank = 0}, "als: rank 0 is not from 1 to 256"},
        {{.rank = 257}, "als: rank 257 is not from 1 to 256"},
        {{.rank = 4, .lambda = -1}, "als: lambda -1 is not a number above 0"},
        {{.rank = 4, .gamma = -1}, "als: gamma -1 is not a number above 0"},
        {{.rank = 4, .update = ALS_STRATA, .blocks = 9},
         "als: 9 blocks for 20 users and 8 items"},
        {{.rank = 4, .is_paper_kernel = true},
         "als: only the update by gradient has the paper's kernel"},
    };
    const struct ratings_plan plan = {20, 8, 100, 0};
    struct ratings r;
    struct rating_set set = {0};

    ratings_plant(&plan, &r);
    assert_int_equal(rating_set_create("planted", &r, &set, NULL), PROACT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct als_result result;
        struct proact_error err = {""};

        assert_int_equal(als_reference(&set, &cases[i].options, &result, &err),
                         PROACT_EINVAL);
        assert_string_equal(err.text, cases[i].message);
    }
    rating_set_clear(&set);
    ratings_clear(&r);
}

static void one_training_rating_is_needed(void **state)
{
    (void)state;
    struct ratings r = {.user_count = 3, .item_count = 3};
    struct rating_set set = {0};
    struct proact_error err = {""};

    assert_int_equal(rating_set_create("empty", &r, &set, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "empty: none of the 0 ratings is left to train with");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_ids_become_numbers),
        cmocka_unit_test(csv_separators),
        cmocka_unit_test(csv_faults_name_the_line),
        cmocka_unit_test(csv_byte_order_mark),
        cmocka_unit_test(too_many_entries_are_refused),
        cmocka_unit_test(two_ratings_of_one_item_are_refused),
        cmocka_unit_test(ratings_must_be_finite),
        cmocka_unit_test(planted_ratings_are_those_of_the_reference),
        cmocka_unit_test(both_sides_have_all_training_ratings),
        cmocka_unit_test(users_without_training_are_counted),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(one_training_rating_is_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
