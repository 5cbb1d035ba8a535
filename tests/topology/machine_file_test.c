/* SPDX-License-Identifier: Apache-2.0 */
/* Machine files: the shipped ones, the documented ones, and the message of each possible
   error. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "topology/machine_file.h"
#include "topology/topology.h"

/* JSON block number `index` of docs/machines.md; the caller frees it. */
static char *documented(unsigned index)
{
    char *page = NULL, *from;
    size_t bytes = 0;

    assert_int_equal(file_read(PROACT_SOURCE "/docs/machines.md", &page, &bytes, NULL), 0);
    from = page;
    for (unsigned i = 0; i <= index; i++) {
        from = strstr(from, "```json\n");
        assert_non_null(from);
        from += 8;
    }
    char *block = strndup(from, (size_t)(strstr(from, "```") - from));

    free(page);
    return block;
}

static struct topology parsed(const char *text)
{
    struct topology t;
    struct proact_error err = {""};

    memset(&t, 0, sizeof t);
    if (machine_file_parse("box.json", text, strlen(text), &t, &err))
        fail_msg("%s", err.text);
    return t;
}

static void examples_of_the_page_are_read(void **state)
{
    char *whole = documented(0), *like = documented(1), *missing = documented(2),
         *grouped = documented(3);
    struct topology t = parsed(whole), l = parsed(like), m = parsed(missing),
                    g = parsed(grouped);

    (void)state;
    assert_string_equal(t.name, "box");
    assert_string_equal(t.device.name, "NVIDIA A100-SXM4-40GB");
    assert_int_equal(t.device_count, 2);
    assert_int_equal(t.device.memory_bytes, 42949672960);
    assert_true(t.fabric.ingress_gbps == 300); /* defaults */
    assert_true(t.fabric.copy_header_bytes == 16);
    assert_true(t.fabric.copy_payload_bytes == 256);
    assert_false(t.fabric.shared_bus);
    assert_int_equal(t.fabric.wire_count, 1);
    assert_true(t.fabric.wire[0].run_bytes == 16 && t.fabric.wire[0].wire_bytes == 48);
    assert_true(t.link_gbps[0][1] == 300 && t.link_gbps[1][0] == 300 &&
                t.link_gbps[0][0] == 0);

    assert_string_equal(l.device.name, "NVIDIA H200");
    assert_string_equal(l.source, "like h200x4");
    assert_true(l.link_gbps[0][1] == 412 && l.link_gbps[0][2] == 0);
    assert_true(m.link_gbps[1][3] == 0 && m.link_gbps[3][1] == 0 &&
                m.link_gbps[3][2] == 50);
    assert_true(g.link_gbps[0][2] == 8 && g.link_gbps[0][3] == 4 && g.groups.of[3] == 1);
    assert_true(topology_is_pcie(&g) && !topology_is_pcie(&l));
    free(grouped);
    free(missing);
    free(whole);
    free(like);
}

#define LINKS "\"links\": {\"all_pairs_gbps\": 300}"
/* Errors as changes of the first example of the page: `from` becomes `to`. */
static const struct {
    const char *from, *to, *sentence;
} wrong[] = {
    {"\"latency_ns\": 900", "\"latency_ns\": \"x\"",
     "box.json:31: key 'fabric.latency_ns': expected a positive number, found \"x\""},
    {"\"latency_ns\": 900", "\"latency_ns\": -1",
     "box.json:31: key 'fabric.latency_ns': expected a positive number, found -1"},
    {"\"latency_ns\": 900", "\"latency_ns\": 0",
     "box.json:31: key 'fabric.latency_ns': expected a positive number, found 0"},
    {"\"latency_ns\": 900,", "",
     "box.json:28: key 'fabric.latency_ns': expected a positive number, found nothing"},
    {"\"latency_ns\": 900", "\"latency\": 900",
     "box.json:31: key 'fabric.latency': unknown key, expected one such as 'latency_ns'"},
    {"\"egress_gbps\": 300", "\"egress_gbps\": 1e9",
     "box.json:30: key 'fabric.egress_gbps': expected a number from 1e-06 to 1000000, "
     "found "
     "1e9"},
    {"\"egress_gbps\": 300", "\"egress_gbps\": 9e-7", "from 1e-06 to 1000000, found 9e-7"},
    {"\"egress_gbps\": 300", "\"egress_gbps\": 1e-300",
     "from 1e-06 to 1000000, found 1e-300"},
    {"\"payload_bytes\": 128", "\"payload_bytes\": 0.5",
     "'fabric.payload_bytes': expected a number"},
    {"\"payload_bytes\": 128", "\"payload_bytes\": 8",
     "box.json:39: key 'fabric.wire[0].run_bytes': expected a whole number from 1 to 8, "
     "found 16"},
    {"{\"run_bytes\": 16, \"wire_bytes\": 48}", "{\"run_bytes\": 16, \"wire_bytes\": 15}",
     "box.json:39: key 'fabric.wire[0].wire_bytes': expected a number from 16 to 1000000, "
     "found 15"},
    {"{\"run_bytes\": 16, \"wire_bytes\": 48}", "{\"run_bytes\": 16}",
     "box.json:39: key 'fabric.wire[0]': expected an object of 'run_bytes' and "
     "'wire_bytes'"},
    {"{\"run_bytes\": 16, \"wire_bytes\": 48}", "[16, 48]",
     "expected an object of 'run_bytes' and 'wire_bytes', found a list of 2"},
    {"{\"run_bytes\": 16, \"wire_bytes\": 48}", "16", "expected an object of 'run_bytes'"},
    {"{\"run_bytes\": 16, \"wire_bytes\": 48}",
     "{\"run_bytes\": 16, \"wire_bytes\": 48}, {\"run_bytes\": 16, \"wire_bytes\": 48}",
     "'fabric.wire[1].run_bytes': expected a whole number from 17 to 128, found 16"},
    {"[\n      {\"run_bytes\": 16, \"wire_bytes\": 48}\n    ]",
     "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
     "box.json:38: key 'fabric.wire': expected at most 8 runs, found a list of 9"},
    {"\"sm_count\": 108", "\"sm_count\": 108.5",
     "box.json:8: key 'device.sm_count': expected a whole number from 1 to 4096, found "
     "108.5"},
    {"\"sm_count\": 108", "\"sm_count\": 0",
     "'device.sm_count': expected a whole number from 1"},
    {"\"sm_count\": 108", "\"sm_count\": null",
     "expected a whole number from 1 to 4096, found null"},
    {"\"sm_count\": 108", "\"sm_count\": 1, \"sm_count\": 2", "duplicate object key"},
    {"\"memory_bytes\": 42949672960", "\"memory_bytes\": 1e300",
     "'device.memory_bytes': expected"},
    {"\"threads_per_cta\": 1024", "\"threads_per_cta\": 2048",
     "from 32 to 1024, found 2048"},
    {"\"threads_per_sm\": 2048", "\"threads_per_sm\": 512",
     "box.json:5: key 'device': expected 'threads_per_cta' (1024) of at most "
     "'threads_per_sm' (512)"},
    {"\"launch_host_us\": 2.5", "\"launch_host_us\": 2.5, \"launch_turn_us\": 3",
     "box.json:5: key 'device': expected 'launch_turn_us' (3) of at most 'launch_host_us' "
     "(2.5)"},
    {"\"launch_host_us\": 2.5",
     "\"launch_host_us\": 2.5, \"copy_host_us\": 2, \"copy_lock_us\": 3",
     "box.json:5: key 'device': expected 'copy_lock_us' (3) of at most 'copy_host_us' (2)"},
    {"\"launch_host_us\": 2.5", "\"launch_host_us\": 2.5, \"child_priority\": 2",
     "'device.child_priority': expected a whole number from 0 to 1, found 2"},
    {"\"shared_bytes_per_cta\": 166912", "\"shared_bytes_per_cta\": 170000",
     "expected 'shared_bytes_per_cta' (170000) of at most 'shared_bytes_per_sm' (167936)"},
    {"\"NVIDIA A100-SXM4-40GB\"", "\"\"",
     "'device.name': expected a text of 1 to 63 bytes"},
    {"\"NVIDIA A100-SXM4-40GB\"", "\"a\\nb\"",
     "expected a text without control characters"},
    {"\"NVLink3\"", "\"0123456789012345678901234567890123456789\"",
     "'fabric.name': expected a text of 1 to 31 bytes, found \"0123"},
    {"\"2x A100, NVLink 3\"", "7",
     "box.json:2: key 'description': expected a text of 1 to 159"},
    {"\"device_count\": 2", "\"device_count\": 65",
     "box.json:4: key 'device_count': expected a whole number from 1 to 64, found 65"},
    {"\"device_count\": 2", "\"device_count\": 0",
     "'device_count': expected a whole number from 1"},
    {"\"device_count\": 2", "\"devices\": 2",
     "box.json:4: key 'devices': unknown key, expected one such as 'device'"},
    {"\"device\": {", "\"device\": [1], \"x\": {", "key 'x': unknown key"},
    {"\"wait_value_us\": 2.5\n  }", "\"wait_value_us\": 2.5}, \"device\": {}", "duplicate"},
    {"{\"all_pairs_gbps\": 300}", "300",
     "box.json:42: key 'links': expected an object in braces, found 300"},
    {"{\"all_pairs_gbps\": 300}", "{}",
     "key 'links': expected one of 'all_pairs_gbps', 'matrix_gbps' and 'groups', found an "
     "object"},
    {"{\"all_pairs_gbps\": 300}", "{\"all_pairs_gbps\": 3, \"matrix_gbps\": []}",
     "expected one of"},
    {"{\"all_pairs_gbps\": 300}", "{\"pairs_gbps\": 3}",
     "key 'links.pairs_gbps': unknown key, expected one such as 'all_pairs_gbps'"},
    {"{\"all_pairs_gbps\": 300}", "{\"all_pairs_gbps\": 301}",
     "'links.all_pairs_gbps': expected a number from 1e-06 to 300, found 301"},
    {"{\"all_pairs_gbps\": 300}", "{\"all_pairs_gbps\": 0}",
     "expected a positive number, found 0"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": 3}",
     "expected a list in brackets, found 3"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": [[0, 1]]}",
     "'links.matrix_gbps': expected a list of 2 rows, as 'device_count' says, found a list "
     "of 1"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": [[0, 1],\n[1, 0, 0]]}",
     "box.json:43: key 'links.matrix_gbps[1]': expected a list of 2, as 'device_count' "
     "says, found "
     "a list of 3"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": [[0, 1], {\"a\": 1, \"b\": 2}]}",
     "'links.matrix_gbps[1]': expected a list of 2, as 'device_count' says, found an "
     "object"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": [[0, 1],\n\n[2, 0]]}",
     "box.json:44: key 'links.matrix_gbps[1][0]': expected 1, as in [0][1], found 2"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": [[0, -1], [-1, 0]]}",
     "'links.matrix_gbps[0][1]': expected a non-negative number, found -1"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": [[0, 400], [400, 0]]}",
     "'links.matrix_gbps[0][1]': expected a number from 0 to 300, found 400"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": [[1, 1], [1, 0]]}",
     "'links.matrix_gbps[0][0]': expected 0, a device has no link to itself, found 1"},
    {"{\"all_pairs_gbps\": 300}", "{\"matrix_gbps\": [[0, \"1\"], [1, 0]]}",
     "'links.matrix_gbps[0][1]': expected a non-negative number, found \"1\""},
    {"\"host_gbps\": 25", "\"host_gbps\": true",
     "box.json:43: key 'host_gbps': expected a positive"},
    {"\"host_gbps\": 25", "\"like\": \"\"", "key 'like': expected a text of 1 to 63 bytes"},
    {"\"host_gbps\": 25", "\"like\": \"nope\"",
     "box.json:43: key 'like': expected one of h200x2, h200x4, h200x8, k40x4, p100x4, "
     "v100x4, "
     "v100x16, found \"nope\""},
    {"\"host_gbps\": 25", "\"like\": \"../machines/v100x4\"",
     "key 'like': expected one of"},
#define GROUPS(value) "\"links\": {\"groups\": " value ", \"group_gbps\": 8"
    {LINKS, GROUPS("[[0], [1]]") "}",
     "key 'links.bridge_gbps': expected a positive number, found nothing"},
    {LINKS, GROUPS("[[0]]") ", \"bridge_gbps\": 6}",
     "key 'links.groups': expected each device, device 1 is missing, found a list of 1"},
    {LINKS, GROUPS("[[0, 1], [1]]") ", \"bridge_gbps\": 6}",
     "key 'links.groups[1][0]': expected a device that is in no other group, found 1"},
    {LINKS, GROUPS("[[0, 0.5]]") ", \"bridge_gbps\": 6}",
     "key 'links.groups[0][1]': expected a device that is in no other group, found 0.5"},
    {LINKS, GROUPS("[[0, 2]]") ", \"bridge_gbps\": 6}",
     "key 'links.groups[0][1]': expected a number from 0 to 1, found 2"},
    {LINKS, GROUPS("[[0, 1], []]") ", \"bridge_gbps\": 6}",
     "key 'links.groups[1]': expected a list of devices, found a list of 0"},
    {LINKS, GROUPS("[[0], [1]]") ", \"bridge_gbps\": 6, \"all_pairs_gbps\": 8}",
     "key 'links.all_pairs_gbps': unknown key"},
    {"\"copy_payload_bytes\": 256", "\"shared_bus\": 1",
     "'fabric.shared_bus': expected true or false, found 1"},
};

static void each_mistake_is_named(void **state)
{
    char *example = documented(0);

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *at = strstr(example, wrong[i].from);
        struct text t = {0};
        struct topology out = {.device_count = 77};
        struct proact_error err = {""};

        if (!at)
            fail_msg("the example has no %s", wrong[i].from);
        text_add(&t, example, (size_t)(at - example));
        text_print(&t, "%s%s", wrong[i].to, at + strlen(wrong[i].from));
        if (!machine_file_parse("box.json", t.data, t.length, &out, &err))
            fail_msg("accepted %s", wrong[i].to);
        if (!strstr(err.text, wrong[i].sentence) || strncmp(err.text, "box.json:", 9) != 0)
            fail_msg("%s: expected %s, got %s", wrong[i].to, wrong[i].sentence, err.text);
        assert_int_equal(out.device_count, 77);
        text_clear(&t);
    }
    free(example);
}

/* A missing required key is named in the message. With `like` no key is required. */
static void each_required_key_is_missed(void **state)
{
    static const char *const optional[] = {"description", "source",    "copy_payload_bytes",
                                           "wire",        "run_bytes", "wire_bytes"};
    char *example = documented(0);
    unsigned missed = 0;

    (void)state;
    for (char *at = strchr(example, '"'); at; at = strstr(at + 1, " \"")) {
        char *key = strchr(at, '"') + 1, *end = strchr(key, '"');
        char name[64];
        bool required = end[1] == ':';

        snprintf(name, sizeof name, "%.*s", (int)(end - key), key);
        for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
            required &= strcmp(name, optional[i]) != 0;
        if (!required || strcmp(name, "all_pairs_gbps") == 0)
            continue;
        struct proact_error err = {""};
        struct topology out;
        char was = *key;

        *key = '-';
        assert_int_equal(machine_file_parse("b", example, strlen(example), &out, &err),
                         PROACT_EINVAL);
        if (!strstr(err.text, "unknown key") || !strstr(err.text, name + 1))
            fail_msg("%s: %s", name, err.text);
        *key = was;
        missed++;
    }
    assert_int_equal(missed, 5 + 21 + 8);
    free(example);
}

static void like_takes_the_rest_from_another(void **state)
{
    static const struct {
        const char *text, *sentence; /* NULL: accepted */
    } rows[] = {
        {"{\"like\": \"v100x4\"}", NULL},
        {"{\"like\": \"v100x4\", \"device_count\": 8}", NULL},
        {"{\"like\": \"p100x4\", \"device_count\": 2}", NULL},
        {"{\"like\": \"p100x4\", \"device_count\": 8}",
         "b:1: key 'links': expected the links of 8 devices, found nothing"},
        {"{\"like\": \"v100x4\", \"fabric\": {\"egress_gbps\": 20}}",
         "b:1: key 'links': expected links of at most 20 GB/s, which is "
         "'fabric.egress_gbps', found "
         "nothing"},
        {"{\"like\": \"v100x4\", \"fabric\": {\"payload_bytes\": 8}}",
         "b:1: key 'fabric': expected 'payload_bytes' (8) of at least the longest run of "
         "'wire' "
         "(16), found an object"},
        {"{\"like\": \"v100x4\", \"fabric\": {\"payload_bytes\": 8, \"wire\": []}}", NULL},
        {"{\"like\": \"v100x4\", \"fabric\": {\"latency\": 20}}", "unknown key"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topology t;
        struct proact_error err = {""};
        enum proact_status status =
            machine_file_parse("b", rows[i].text, strlen(rows[i].text), &t, &err);

        assert_int_equal(status, rows[i].sentence ? PROACT_EINVAL : PROACT_OK);
        if (rows[i].sentence && !strstr(err.text, rows[i].sentence))
            fail_msg("expected %s, got %s", rows[i].sentence, err.text);
    }
    struct topology eight = parsed(rows[1].text), two = parsed(rows[2].text);

    assert_true(eight.link_gbps[7][0] == 50 && eight.link_gbps[7][7] == 0);
    assert_true(eight.device.sm_count == 80 && eight.device_count == 8);
    assert_true(two.link_gbps[0][1] == 40 && two.link_gbps[0][2] == 0 &&
                two.link_gbps[3][2] == 0);
}

static void estimates_name_keys(void **state)
{
    const struct {
        const char *text, *sentence; /* NULL: it is read */
    } rows[] = {
        {"{\"like\": \"k40x4\", \"estimates\": [\"launch_us\", \"host_gbps\"]}", NULL},
        {"{\"like\": \"k40x4\", \"estimates\": [\"launch\"]}",
         "'estimates[0]': expected a key with a number that is no count, found \"launch\""},
        {"{\"like\": \"k40x4\", \"estimates\": [\"sm_count\"]}", "found \"sm_count\""},
        {"{\"like\": \"k40x4\", \"estimates\": [7]}", "'estimates[0]': expected a text"},
        {"{\"like\": \"k40x4\", \"estimates\": 7}", "'estimates': expected"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topology t;
        struct proact_error err = {""};
        enum proact_status status =
            machine_file_parse("b", rows[i].text, strlen(rows[i].text), &t, &err);

        assert_int_equal(status, rows[i].sentence ? PROACT_EINVAL : PROACT_OK);
        if (rows[i].sentence && !strstr(err.text, rows[i].sentence))
            fail_msg("expected %s, got %s", rows[i].sentence, err.text);
    }
    struct topology t = parsed(rows[0].text), k40 = parsed("{\"like\": \"k40x4\"}");

    assert_int_equal(t.estimate_count, 2);
    assert_string_equal(t.estimates[1], "host_gbps");
    assert_int_equal(k40.estimate_count, 15);
    topology_scale(&k40, "launch_us", 2);
    assert_true(k40.device.launch_us == 12);
    topology_scale(&k40, "bridge_gbps", 0.5); /* and the links that follow from it */
    assert_true(k40.groups.bridge_gbps == 3 && k40.link_gbps[0][2] == 3 &&
                k40.link_gbps[0][1] == 8);
}

static void print_reads_back(void **state)
{
    char **names = topology_names();

    (void)state;
    for (size_t i = 0; names[i]; i++) {
        struct topology t, back;

        memset(&t, 0, sizeof t);
        memset(&back, 0, sizeof back);
        assert_int_equal(topology_load(names[i], &t, NULL), 0);
        char *text = topology_print(&t);
        struct proact_error err = {""};

        if (machine_file_parse(names[i], text, strlen(text), &back, &err))
            fail_msg("%s", err.text);
        char *again = topology_print(&back);

        assert_string_equal(text, again);
        free(again);
        free(text);
        free(names[i]);
    }
    free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_page_are_read),
        cmocka_unit_test(each_mistake_is_named),
        cmocka_unit_test(each_required_key_is_missed),
        cmocka_unit_test(like_takes_the_rest_from_another),
        cmocka_unit_test(estimates_name_keys),
        cmocka_unit_test(print_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
