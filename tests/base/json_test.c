/* SPDX-License-Identifier: Apache-2.0 */
/* JSON input: the values read, and the message for each possible error. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/json/json.h"

static const char text[] =
    "{\n"
    "  \"name\": \"a \\\"}\\\" b\", \"count\": 3,\n"
    "  \"list\": [1, [2, 3],\n"
    "    {\"x\": \"]\"}, 4.5\n"
    "  ],\n"
    "  \"in\": {\n"
    "    \"a\\u0062c\": \"1e400000\",\n"
    "    \"flag\": true,\n"
    "    \"rate\": -2.5, \"huge\": 9007199254740993, \"none\": null\n"
    "  }\n"
    "}\n";

static struct json_file *parsed(const char *from)
{
    struct json_file *file = NULL;
    struct proact_error err = {""};

    if (json_parse("f", from, strlen(from), &file, &err))
        fail_msg("%s", err.text);
    return file;
}

static void values_are_read(void **state)
{
    struct json_file *file =
        parsed("{\"s\": \"x\", \"n\": 3, \"r\": 2.5, \"e\": 16e9, \"t\": true,"
               " \"o\": {\"a\": [1, 2.5]}}");
    struct json_at root = json_root(file), o, a, last;
    struct json_range any = {.low = 0, .high = 1e15};
    char into[4];
    uint64_t n = 0;
    double r = 0;
    bool t = false;

    (void)state;
    assert_int_equal(json_get_text(&root, "s", into, sizeof into, NULL), 0);
    assert_string_equal(into, "x");
    assert_int_equal(json_get_whole(&root, "n", any, &n, NULL), 0);
    assert_int_equal(n, 3);
    n = 0; /* both bounds belong to the range */
    assert_int_equal(json_get_whole(&root, "n", (struct json_range){3, 3, true}, &n, NULL),
                     0);
    assert_int_equal(n, 3);
    assert_int_equal(json_get_whole(&root, "e", any, &n, NULL), 0);
    assert_int_equal(n, 16000000000);
    assert_int_equal(json_get_real(&root, "r", any, &r, NULL), 0);
    assert_true(r == 2.5);
    assert_int_equal(json_get_flag(&root, "t", &t, NULL), 0);
    assert_true(t);
    assert_int_equal(json_get_object(&root, "o", &o, NULL), 0);
    assert_int_equal(json_get_array(&o, "a", &a, NULL), 0);
    assert_int_equal(json_count(&a), 2);
    last = json_element(&a, 1);
    assert_string_equal(last.path, "o.a[1]");
    assert_int_equal(json_element_real(&last, any, &r, NULL), 0);
    assert_true(json_has(&root, "o") && !json_has(&root, "p"));
    assert_string_equal(json_key(&root, 5), "o");
    assert_null(json_key(&root, 6));
    json_destroy(file);
    json_destroy(NULL);
}

/* Each getter on each wrong value, with its message. */
static void wrong_values_are_named(void **state)
{
    struct json_file *file = parsed(text);
    struct json_at root = json_root(file), list, in;
    struct json_range positive = {.high = 100, .above = true},
                      from2 = {.low = 2, .high = 9};
    struct proact_error err = {""};
    char into[4];
    uint64_t n = 77;
    double r = 77;
    bool t = false;

    (void)state;
#define REFUSED(call, sentence)                                                            \
    assert_int_equal(call, PROACT_EINVAL);                                                 \
    assert_string_equal(err.text, sentence)
    REFUSED(json_get_text(&root, "name", into, sizeof into, &err),
            "f:2: key 'name': expected a text of 1 to 3 bytes, found \"a \\\"}\\\" b\"");
    REFUSED(json_get_real(&root, "name", positive, &r, &err),
            "f:2: key 'name': expected a positive number, found \"a \\\"}\\\" b\"");
    REFUSED(json_get_real(&root, "absent", positive, &r, &err),
            "f:1: key 'absent': expected a positive number, found nothing");
    REFUSED(json_get_object(&root, "list", &in, &err),
            "f:3: key 'list': expected an object in braces, found a list of 4");
    assert_int_equal(json_get_array(&root, "list", &list, &err), 0);
    assert_int_equal(json_get_object(&root, "in", &in, &err), 0);
    struct json_at third = json_element(&list, 2), inner, fourth = json_element(&list, 3);

    REFUSED(json_get_whole(&third, "x", positive, &n, &err),
            "f:4: key 'list[2].x': expected a positive whole number, found \"]\"");
    REFUSED(json_element_real(&fourth, (struct json_range){.high = 4}, &r, &err),
            "f:4: key 'list[3]': expected a number from 0 to 4, found 4.5");
    REFUSED(json_get_array(&root, "in", &inner, &err),
            "f:6: key 'in': expected a list in brackets, found an object");
    REFUSED(json_get_flag(&in, "rate", &t, &err),
            "f:9: key 'in.rate': expected true or false, found -2.5");
    REFUSED(json_get_real(&in, "rate", positive, &r, &err),
            "f:9: key 'in.rate': expected a positive number, found -2.5");
    REFUSED(json_get_real(&in, "flag", from2, &r, &err),
            "f:8: key 'in.flag': expected a number from 2 to 9, found true");
    REFUSED(json_get_whole(&in, "huge", positive, &n, &err),
            "f:9: key 'in.huge': expected a positive whole number of at most "
            "100, found 9007199254740993");
    REFUSED(json_get_flag(&in, "none", &t, &err),
            "f:9: key 'in.none': expected true or false, found null");
    REFUSED(json_get_real(&in, "abc", positive, &r, &err),
            "f:7: key 'in.abc': expected a positive number, found \"1e400000\"");
    assert_true(n == 77 && r == 77);
    json_destroy(file);
}

static void unknown_keys_name_the_nearest(void **state)
{
    static const char *const keys[] = {"latency_ns", "egress_gbps", "name", NULL};
    struct json_file *file = parsed("{\"name\": 1,\n\"latncy_ns\": 2}");
    struct json_at root = json_root(file);
    struct proact_error err = {""};

    (void)state;
    REFUSED(json_known(&root, keys, &err),
            "f:2: key 'latncy_ns': unknown key, expected one such as 'latency_ns'");
    json_destroy(file);
    file = parsed("{\"\\n\": 1}");
    root = json_root(file);
    REFUSED(json_known(&root, keys, &err),
            "f:1: key '?': unknown key, expected one such as 'name'");
    json_destroy(file);
    file = parsed("{\"name\": 1, \"egress_gbps\": 2}");
    root = json_root(file);
    assert_int_equal(json_known(&root, keys, &err), 0);
    json_destroy(file);
}

static void other_text_than_json_is_refused(void **state)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        /* jansson's text follows the position */
        {"", "f:1:0: "},
        {"{\"a\": 1,}", "f:1:9: "},
        {"{\"a\": 1\n \"b\"", "f:2:4: "},
        {"{\"a\": 1,\n\"a\": 2}", "f:2:3: duplicate object key near '\"a\"'"},
        {"[1]", "f:1: expected an object in braces, found a list of 1"},
        {"{} x", "f:1:4: "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_file *file = NULL;
        struct proact_error err = {""};

        assert_int_equal(json_parse("f", rows[i].text, strlen(rows[i].text), &file, &err),
                         PROACT_EINVAL);
        if (strncmp(err.text, rows[i].sentence, strlen(rows[i].sentence)) != 0)
            fail_msg("expected %s, got %s", rows[i].sentence, err.text);
        assert_null(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(wrong_values_are_named),
        cmocka_unit_test(unknown_keys_name_the_nearest),
        cmocka_unit_test(other_text_than_json_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
