/* SPDX-License-Identifier: Apache-2.0 */
/* Text form of plans: what is printed is read back, and wrong fields are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"

static void every_field_is_read_back(void **state)
{
    const struct plan plan = {.devices = 4,
                              .axis = 2,
                              .method = "copy-engine",
                              .tail = "fused",
                              .tail_bytes = 16777216,
                              .chunk_first = 65536,
                              .chunk_step = 4096,
                              .threads = 8192,
                              .interior = true,
                              .staging = true,
                              .needed_first = true};
    struct plan read = {0};
    char text[PLAN_TEXT_BYTES], again[PLAN_TEXT_BYTES];

    (void)state;
    plan_print(&plan, text);
    assert_string_equal(text, "devices=4 axis=2 method=copy-engine tail=fused "
                              "tail_bytes=16777216 chunk=65536 step=4096 threads=8192 "
                              "interior=1 staging=1 needed_first=1");
    assert_int_equal(plan_parse(text, &read, NULL), PROACT_OK);
    plan_print(&read, again);
    assert_string_equal(again, text);
    plan_print_methods(&plan, again);
    assert_string_equal(again, "copy-engine+fused:16777216");
    plan_print(&(struct plan){0}, text);
    assert_string_equal(text, "");
    assert_int_equal(plan_parse(text, &read, NULL), PROACT_OK);
    assert_int_equal(read.devices, 0);
}

static void wrong_fields_are_named(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"devices", "plan field 'devices' has no value; expected devices=..."},
        {"axis=4", "plan field axis: '4' is not a valid value"},
        {"chunk=-1", "plan field chunk: '-1' is not a valid value"},
        {"chunk=18446744073709551616",
         "plan field chunk: '18446744073709551616' is not a valid value"},
        {"method=FUSED", "plan field method: 'FUSED' is not a valid value"},
        {"size=3", "plan field 'size' is unknown; the fields are devices axis method tail "
                   "tail_bytes chunk step threads interior staging needed_first"},
    };
    struct plan read = {.devices = 7};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct proact_error err;

        assert_int_equal(plan_parse(wrong[i].text, &read, &err), PROACT_EINVAL);
        assert_string_equal(err.text, wrong[i].message);
        assert_int_equal(read.devices, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_read_back),
        cmocka_unit_test(wrong_fields_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
