/* SPDX-License-Identifier: Apache-2.0 */
/* JSON output: its text, and a reader gets the written values back. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/json/json.h"
#include "base/json/json_write.h"

static void put_sample(struct json_writer *w)
{
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "machine", "v100x4");
    json_begin(w, "rows", JSON_ARRAY);
    for (uint64_t i = 0; i < 2; i++) {
        json_begin(w, NULL, JSON_OBJECT);
        json_put_whole(w, "n", i);
        json_put_real(w, "x", 0.1 * (double)(i + 1));
        json_end(w);
    }
    json_end(w);
    json_begin(w, "none", JSON_ARRAY);
    json_end(w);
    json_put_flag(w, "ok", true);
    json_end(w);
}

static void lines_where_requested(void **state)
{
    struct json_writer flat = {0}, tall = {.lines = 2};

    (void)state;
    put_sample(&flat);
    assert_string_equal(flat.text.data,
                        "{\"machine\": \"v100x4\", \"rows\": [{\"n\": 0, \"x\": 0.1}, "
                        "{\"n\": 1, \"x\": 0.2}], \"none\": [], \"ok\": true}\n");
    put_sample(&tall);
    assert_string_equal(tall.text.data, "{\n"
                                        "  \"machine\": \"v100x4\",\n"
                                        "  \"rows\": [\n"
                                        "    {\"n\": 0, \"x\": 0.1},\n"
                                        "    {\"n\": 1, \"x\": 0.2}\n"
                                        "  ],\n"
                                        "  \"none\": [],\n"
                                        "  \"ok\": true\n"
                                        "}\n");
    text_clear(&flat.text);
    text_clear(&tall.text);
}

static void strings_are_escaped(void **state)
{
    static const struct {
        const char *value, *written;
    } rows[] = {
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\n\t\r\x01\x7f", "\"\\n\\t\\u000d\\u0001\\u007f\""},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
         "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff", "\"\\ufffd\""},                                  /* never in UTF-8 */
        {"\xc0\x80", "\"\\ufffd\\ufffd\""},                       /* overlong */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* past U+10FFFF */
        {"\xe2\x82", "\"\\ufffd\\ufffd\""},                       /* truncated */
        {NULL, "null"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_writer w = {0};

        json_put_text(&w, NULL, rows[i].value);
        assert_string_equal(w.text.data, rows[i].written);
        text_clear(&w.text);
    }
}

static void numbers_read_back(void **state)
{
    static const double values[] = {0,
                                    1,
                                    150,
                                    -2.5,
                                    0.1,
                                    1.0 / 3,
                                    1e300,
                                    1e15,
                                    1e-9,
                                    415.25,
                                    143.7 / 1.1,
                                    5e-324,
                                    123456789012345678.0};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct json_writer w = {0};
        struct json_file *file = NULL;
        double back = 1;

        json_begin(&w, NULL, JSON_OBJECT);
        json_put_real(&w, "x", values[i]);
        json_end(&w);
        assert_int_equal(json_parse("w", w.text.data, w.text.length, &file, NULL), 0);
        struct json_at root = json_root(file);

        assert_int_equal(json_get_real(&root, "x",
                                       (struct json_range){.low = -1e308, .high = 1e308},
                                       &back, NULL),
                         0);
        assert_true(back == values[i]);
        json_destroy(file);
        text_clear(&w.text);
    }
    struct json_writer w = {0};

    json_begin(&w, NULL, JSON_ARRAY);
    json_put_real(&w, NULL, INFINITY);
    json_put_real(&w, NULL, NAN);
    json_put_real(&w, NULL, 150);
    json_put_whole(&w, NULL, UINT64_MAX);
    json_end(&w);
    assert_string_equal(w.text.data, "[null, null, 150, 18446744073709551615]\n");
    text_clear(&w.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_where_requested),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(numbers_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
