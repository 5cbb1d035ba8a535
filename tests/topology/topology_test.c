/* SPDX-License-Identifier: Apache-2.0 */
/* Machines by name and by path, machines with fewer devices, and files of hwloc. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "topology/hwloc_file.h"
#include "topology/topology.h"

#define MINSKY PROACT_SOURCE "/data/power8_4xP100_nvlink.hwloc.xml"

static void names_are_the_ones_we_ship(void **state)
{
    static const char *const expected[] = {"h200x2", "h200x4", "h200x8", "k40x4",
                                           "p100x4", "v100x4", "v100x16"};
    char **names = topology_names();
    size_t count = 0;

    (void)state;
    for (; names[count]; count++) {
        struct topology t;
        struct proact_error err = {""};

        assert_true(count < sizeof expected / sizeof expected[0]);
        assert_string_equal(names[count], expected[count]);
        if (topology_load(names[count], &t, &err))
            fail_msg("%s", err.text);
        assert_string_equal(t.name, names[count]);
        assert_null(strstr(t.description, "not described"));
        assert_null(strstr(t.source, "not stated"));
        free(names[count]);
    }
    assert_int_equal(count, sizeof expected / sizeof expected[0]);
    free(names);
}

/* PROACT Table I: SMs, memory, and half of the bidirectional bandwidth. */
static void machines_are_the_papers(void **state)
{
    static const struct {
        const char *name;
        unsigned devices, sms, gib;
        double gbps, slack;
    } rows[] = {
        {"k40x4", 4, 15, 12, 8, 0},
        {"p100x4", 4, 56, 16, 75, 5}, /* four links of 20: the paper rounds */
        {"v100x4", 4, 80, 16, 150, 0},
        {"v100x16", 16, 80, 32, 150, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topology t;

        assert_int_equal(topology_load(rows[i].name, &t, NULL), 0);
        assert_int_equal(t.device_count, rows[i].devices);
        assert_int_equal(t.device.sm_count, rows[i].sms);
        assert_int_equal(t.device.memory_bytes >> 30, rows[i].gib);
        assert_true(t.fabric.egress_gbps >= rows[i].gbps &&
                    t.fabric.egress_gbps <= rows[i].gbps + rows[i].slack);
        assert_false(t.fabric.shared_bus);
        assert_int_equal(topology_is_pcie(&t), strcmp(rows[i].name, "k40x4") == 0);
        for (unsigned a = 0; a < t.device_count; a++) {
            for (unsigned b = 0; b < t.device_count; b++)
                assert_true((t.link_gbps[a][b] > 0) == (a != b));
        }
    }
}

static void paths_and_unknown_names(void **state)
{
    struct topology t = {.device_count = 77};
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(topology_load("nope", &t, &err), PROACT_EINVAL);
    assert_string_equal(err.text,
                        "no machine 'nope': there are h200x2, h200x4, h200x8, k40x4, "
                        "p100x4, v100x4, v100x16, or give the path of a machine file");
    assert_int_equal(topology_load("", &t, &err), PROACT_EINVAL);
    assert_int_equal(topology_load("nope.json", &t, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "nope.json: No such file or directory");
    assert_int_equal(topology_load("/nowhere/x", &t, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "/nowhere/x: No such file or directory");
    assert_int_equal(topology_load("nope.xml", &t, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "nope.xml: No such file or directory");
    assert_int_equal(t.device_count, 77);
    assert_int_equal(topology_load(PROACT_SOURCE "/machines/v100x4.json", &t, &err), 0);
    assert_string_equal(t.name, "v100x4");
    assert_int_equal(t.device_count, 4);
}

static void restrict_keeps_the_first(void **state)
{
    struct topology t;
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(topology_load("p100x4", &t, NULL), 0);
    assert_int_equal(topology_restrict(&t, 5, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "machine p100x4 has 4 devices, 5 requested");
    assert_int_equal(t.device_count, 4);
    assert_int_equal(topology_restrict(&t, 0, &err), 0);
    assert_int_equal(t.device_count, 4);
    assert_int_equal(topology_restrict(&t, 3, &err), 0);
    assert_int_equal(t.device_count, 3);
    assert_true(t.link_gbps[0][1] == 40 && t.link_gbps[2][1] == 20);
    assert_true(t.link_gbps[3][2] == 0 && t.link_gbps[2][3] == 0);
    assert_int_equal(topology_restrict(&t, 1, &err), 0);
    assert_int_equal(t.device_count, 1);
}

static void hwloc_links_are_read(void **state)
{
    static const double expected[4][4] = {
        {0, 40, 0, 0}, {40, 0, 0, 0}, {0, 0, 0, 40}, {0, 0, 40, 0}};
    struct topology t;
    struct proact_error err = {""};

    (void)state;
    if (topology_load(MINSKY, &t, &err))
        fail_msg("%s", err.text);
    assert_int_equal(t.device_count, 4);
    assert_string_equal(t.device.name, "Tesla P100-SXM2-16GB");
    assert_string_equal(t.description, "4x Tesla P100-SXM2-16GB; other figures as p100x4");
    assert_int_equal(t.device.sm_count, 56);
    assert_true(t.device.memory_bytes == (uint64_t)16671616 * 1024); /* from CUDA */
    assert_int_equal(t.device.capability, 60);
    assert_true(t.fabric.egress_gbps == 40 && t.host_gbps == 40);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < 4; j++)
            assert_true(t.link_gbps[i][j] == expected[i][j]);
    }
}

/* Loads Minsky's file with every `from` replaced by `to`. */
static enum proact_status load_changed(const char *from, const char *to, struct topology *t,
                                       struct proact_error *err)
{
    char *xml = NULL;
    size_t bytes = 0;
    struct text changed = {0};

    assert_int_equal(file_read(MINSKY, &xml, &bytes, NULL), 0);
    const char *at = xml, *next;

    for (; (next = strstr(at, from)); at = next + strlen(from)) {
        text_add(&changed, at, (size_t)(next - at));
        text_add(&changed, to, strlen(to));
    }
    assert_true(changed.length > 0);
    text_add(&changed, at, strlen(at));
    assert_int_equal(file_write("changed.xml", changed.data, changed.length, NULL), 0);
    enum proact_status status = topology_load("changed.xml", t, err);

    assert_int_equal(remove("changed.xml"), 0);
    text_clear(&changed);
    free(xml);
    return status;
}

static void refused_xml(const char *from, const char *to, const char *sentence)
{
    struct topology t;
    struct proact_error err = {""};

    assert_int_equal(load_changed(from, to, &t, &err), PROACT_EINVAL);
    assert_string_equal(err.text, sentence);
}

/* The library of hwloc 2 refuses the number 3, though it can read what matters here. */
static void hwloc_3_is_read(void **state)
{
    static const char *const tags[] = {"<topology version=\"3.0\">",
                                       "<topology version=\"3.1\">"};
    struct topology t;
    struct proact_error err = {""};

    (void)state;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (load_changed("<topology version=\"2.0\">", tags[i], &t, &err))
            fail_msg("%s: %s", tags[i], err.text);
        assert_true(t.device_count == 4 && t.link_gbps[0][1] == 40);
    }
    /* Sizes have a unit, and attributes of the topology follow its matrices. */
    assert_int_equal(load_changed("\"16671616\"", "\"16671616KiB\"", &t, &err), 0);
    assert_true(t.device.memory_bytes == (uint64_t)16671616 * 1024);
    assert_int_equal(load_changed("</topology>",
                                  "<info name=\"OSName\" value=\"x\"/></topology>", &t,
                                  &err),
                     0);
    refused_xml("<topology version=\"2.0\">", "<topology version=\"4.0\">",
                "changed.xml: expected XML of hwloc 2 or 3, found version 4");
}

/* The chip has priority over the links: 40 GB/s would be nearest to the P100's. */
static void hwloc_figures_are_the_chips(void **state)
{
    struct topology t;
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(load_changed("Tesla P100-", "Tesla V100-", &t, &err), 0);
    assert_string_equal(t.name, "changed");
    assert_string_equal(t.description, "4x Tesla V100-SXM2-16GB; other figures as v100x4");
    assert_int_equal(t.device.capability, 70);
    assert_int_equal(load_changed("Tesla P100-", "Tesla Z9-", &t, &err), 0);
    assert_string_equal(t.description, "4x Tesla Z9-SXM2-16GB; other figures as p100x4");
}

static void wrong_hwloc_files_are_refused(void **state)
{
    struct topology t;
    struct proact_error err = {""};

    (void)state;
    refused_xml("NVLinkBandwidth", "Gossip",
                "changed.xml: expected a distance matrix 'NVLinkBandwidth', found none");
    refused_xml("GPUModel", "Model",
                "changed.xml: expected 1 to 64 GPUs in 'NVLinkBandwidth', found 0");
    refused_xml("<topology", "<typology",
                "changed.xml: hwloc cannot read it: expected XML by lstopo");
    refused_xml(
        " 40000 ", " 00000 ",
        "changed.xml: no two of its 4 GPUs are linked directly in 'NVLinkBandwidth'");
    assert_int_equal(hwloc_file_load(MINSKY, "libnope.so.1", &t, &err), PROACT_EINVAL);
    assert_string_equal(err.text,
                        MINSKY ": reading hwloc files takes libnope.so.1 (Debian: apt "
                               "install libhwloc15)");
    assert_int_equal(hwloc_file_load(MINSKY, "libz.so.1", &t, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "libz.so.1 has no hwloc_topology_init"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_the_ones_we_ship),
        cmocka_unit_test(machines_are_the_papers),
        cmocka_unit_test(paths_and_unknown_names),
        cmocka_unit_test(restrict_keeps_the_first),
        cmocka_unit_test(hwloc_links_are_read),
        cmocka_unit_test(hwloc_3_is_read),
        cmocka_unit_test(hwloc_figures_are_the_chips),
        cmocka_unit_test(wrong_hwloc_files_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
