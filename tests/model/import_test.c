/* SPDX-License-Identifier: Apache-2.0 */
/* Machine files from the output of other tools. tests/model/import has a small file of each
   format and version. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/import/import.h"
#include "model/model.h"
#include "topology/machine_file.h"

#define FOLDER PROACT_SOURCE "/tests/model/import/"

static void import_near(double is, double expected, double relative)
{
    if (!(fabs(is - expected) <= relative * fabs(expected)))
        fail_msg("%g is not within %g %% of %g", is, 100 * relative, expected);
}

static char *sample(const char *name, size_t *bytes)
{
    char path[512], *text = NULL;
    struct proact_error err = {""};

    snprintf(path, sizeof path, "%s%s", FOLDER, name);
    if (file_read(path, &text, bytes, &err))
        fail_msg("%s", err.text);
    return text;
}

/* The machine that the printed file gives must be that of the import. */
static struct machine_import import_sample(const char *name, const char *like)
{
    static struct machine_import i;
    static struct topology t;
    char path[512];
    struct proact_error err = {""};

    snprintf(path, sizeof path, "%s%s", FOLDER, name);
    if (machine_import(path, like, &i, &err))
        fail_msg("%s", err.text);
    char *text = machine_import_print(&i);

    if (machine_file_parse("printed.json", text, strlen(text), &t, &err))
        fail_msg("%s: %s", err.text, text);
    assert_int_equal(t.device_count, i.machine.device_count);
    assert_memory_equal(t.link_gbps, i.machine.link_gbps, sizeof t.link_gbps);
    import_near(t.fabric.egress_gbps, i.machine.fabric.egress_gbps, 1e-9);
    import_near(t.fabric.ingress_gbps, i.machine.fabric.ingress_gbps, 1e-9);
    import_near(t.fabric.header_bytes, i.machine.fabric.header_bytes, 1e-9);
    import_near(t.fabric.copy_first_us, i.machine.fabric.copy_first_us, 1e-9);
    import_near(t.fabric.copy_start_us, i.machine.fabric.copy_start_us, 1e-9);
    import_near(t.host_gbps, i.machine.host_gbps, 1e-9);
    import_near(t.device.memory_gbps, i.machine.device.memory_gbps, 1e-9);
    assert_string_equal(t.device.name, i.machine.device.name);
    assert_int_equal(t.estimate_count, i.machine.estimate_count);
    free(text);
    return i;
}

/* Goodput of long copies of the imported machine; 1 GB has no start. */
static double copies_gbps(const struct topology *t, unsigned from, unsigned to)
{
    const double bytes = 1 << 30;

    return bytes /
           (model_copy_ns(t, from, to, (uint64_t)bytes) - 1000 * t->fabric.copy_start_us);
}

static void nvbandwidth_rates_become_raw_rates(void **state)
{
    const struct machine_import i = import_sample("nvbandwidth_0.8.json", NULL);
    const struct topology *t = &i.machine;

    (void)state;
    assert_string_equal(i.like, "h200x4");
    assert_string_equal(i.version, "v0.8");
    assert_string_equal(t->device.name, "NVIDIA H200");
    assert_int_equal(t->device_count, 4);
    import_near(t->link_gbps[0][1], 391 * 268 / 256., 0.001); /* the slower direction */
    import_near(t->link_gbps[3][1], 390.25 * 268 / 256., 0.001);
    import_near(t->fabric.ingress_gbps, 389.75 * 268 / 256, 0.001);
    import_near(model_goodput_gbps(&t->fabric, MODEL_SM, 1 << 20), 361.25, 0.005);
    import_near(t->host_gbps, 54.25, 0.001); /* the faster direction */
    import_near(t->device.memory_gbps, 4100, 0.001);
    assert_int_equal(t->device.sm_count, 132);
}

/* Without a switch the links of a device add up, and pairs may have none. */
static void nvbandwidth_pairs_are_wired(void **state)
{
    const struct machine_import i = import_sample("nvbandwidth_0.5.json", NULL);
    const struct topology *t = &i.machine;

    (void)state;
    assert_string_equal(i.like, "p100x4");
    import_near(copies_gbps(t, 0, 1), 47.25, 0.003);
    assert_true(t->link_gbps[0][3] == 0);
    import_near(t->fabric.egress_gbps, t->link_gbps[3][1] + t->link_gbps[3][2], 1e-3);
}

static bool has_estimate(const struct topology *t, const char *name)
{
    for (unsigned e = 0; e < t->estimate_count; e++)
        if (strcmp(t->estimates[e], name) == 0)
            return true;
    return false;
}

/* Keys that were measured on the same GPUs are no estimates. */
static void estimates_of_the_same_chip_remain(void **state)
{
    const struct machine_import i = import_sample("nvbandwidth_0.8.json", NULL);

    (void)state;
    assert_true(i.is_same_chip);
    assert_true(has_estimate(&i.machine, "l2_gbps"));
    assert_false(has_estimate(&i.machine, "latency_ns"));
    assert_false(has_estimate(&i.machine, "memory_gbps"));
}

static void other_keys_are_those_of_like(void **state)
{
    const struct machine_import i = import_sample("nvbandwidth_0.5.json", "v100x4");
    struct topology like;
    char *origins = machine_import_origins(&i);

    (void)state;
    assert_int_equal(topology_load("v100x4", &like, NULL), PROACT_OK);
    assert_string_equal(i.like, "v100x4");
    assert_int_equal(i.machine.device.sm_count, like.device.sm_count);
    import_near(i.machine.fabric.latency_ns, like.fabric.latency_ns, 0);
    assert_non_null(
        strstr(origins, "  links                  device_to_device_memcpy_write_ce"));
    assert_non_null(strstr(origins, "Estimates, which are the values of v100x4"));
    assert_non_null(strstr(origins, " latency_ns "));
    assert_non_null(strstr(origins, "\n  host_gbps\n"));
    assert_null(strstr(origins, " egress_gbps "));
    free(origins);
    assert_true(has_estimate(&i.machine, "latency_ns"));
    assert_true(has_estimate(&i.machine, "host_gbps"));
    assert_false(has_estimate(&i.machine, "egress_gbps"));
}

static void osu_tables_give_rates_and_starts(void **state)
{
    const struct machine_import i = import_sample("osu_7.txt", NULL);
    const struct topology *t = &i.machine;

    (void)state;
    assert_string_equal(i.version, "v7.4");
    assert_int_equal(t->device_count, 2);
    import_near(copies_gbps(t, 0, 1), 279.5, 0.01);
    import_near(t->fabric.copy_start_us, 2.9, 0.15);
    import_near(t->fabric.copy_first_us, 8 - t->fabric.latency_ns / 1000, 0.1);
}

/* Tables of host memory do not count. */
static void osu_buffers_must_be_on_devices(void **state)
{
    const struct machine_import i = import_sample("osu_5.txt", NULL);

    (void)state;
    assert_string_equal(i.version, "v5.6.3");
    import_near(copies_gbps(&i.machine, 0, 1), 47.1, 0.003);
}

static void nvlinks_have_the_rates_of_like(void **state)
{
    const struct machine_import s = import_sample("smi_switch.txt", NULL);
    const struct machine_import w = import_sample("smi_wired.txt", NULL);

    (void)state;
    assert_string_equal(s.like, "h200x4"); /* 412 GB/s by 18 NVLinks */
    import_near(s.machine.link_gbps[2][3], 12 / 18. * 412, 1e-3);
    import_near(s.machine.fabric.egress_gbps, 12 / 18. * 412, 1e-3);
    assert_string_equal(w.like, "v100x4");
    assert_string_equal(w.gpu, "Tesla V100-SXM2-16GB");
    import_near(w.machine.link_gbps[0][2], 50, 1e-9);
    import_near(w.machine.link_gbps[0][1], 25, 1e-9);
    assert_true(w.machine.link_gbps[0][3] == 0);
    import_near(w.machine.fabric.egress_gbps, 75, 1e-9);
}

static void pcie_switches_become_groups(void **state)
{
    const struct machine_import i = import_sample("smi_pcie.txt", NULL);

    (void)state;
    assert_string_equal(i.like, "k40x4");
    assert_true(i.has_groups);
    import_near(i.machine.link_gbps[0][1], 8, 1e-9);
    import_near(i.machine.link_gbps[1][2], 6, 1e-9);
    import_near(i.machine.link_gbps[3][2], 8, 1e-9);
}

static void hwloc_keys_are_the_files(void **state)
{
    static struct machine_import i;
    struct proact_error err = {""};

    (void)state;
    if (machine_import(PROACT_SOURCE "/data/power8_4xP100_nvlink.hwloc.xml", NULL, &i,
                       &err))
        fail_msg("%s", err.text);
    assert_string_equal(i.like, "p100x4");
    assert_int_equal(i.machine.device.sm_count, 56);
    import_near(i.machine.link_gbps[0][1], 40, 1e-9);
    import_near(i.machine.fabric.egress_gbps, 40, 1e-9);
}

/* One refusal for each row: the text and a part of the sentence. */
static void files_without_links_are_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "x: unknown format: expected JSON of nvbandwidth"},
        {"{\"like\": \"v100x4\"}", "unknown format"},
        {"{\"nvbandwidth\": {}}", "testcases"},
        {"{\"nvbandwidth\": {\"testcases\": []}}", "no results of device_to_device"},
        {"{\"nvbandwidth\": {\"testcases\": [{\"name\": "
         "\"device_to_device_memcpy_write_ce\", "
         "\"bandwidth_matrix\": [[\"N/A\"]]}]}}",
         "no results of device_to_device"},
        {"{\"nvbandwidth\": {\"testcases\": [{\"name\": "
         "\"device_to_device_memcpy_write_ce\", "
         "\"bandwidth_matrix\": [[\"N/A\", \"fast\"], [\"1\", \"N/A\"]]}]}}",
         "expected a rate or \"N/A\", found \"fast\""},
        {"{\"nvbandwidth\": {\"testcases\": [{\"name\": "
         "\"device_to_device_memcpy_write_ce\", "
         "\"bandwidth_matrix\": [[\"N/A\", \"1\"], [\"1\"]]}]}}",
         "rows of equal length"},
        {"# OSU MPI Bandwidth Test v7.5\n# Size Bandwidth (MB/s)\n4194304 12000\n",
         "the buffers are in host memory"},
        {"# OSU MPI-CUDA Bi-Directional Bandwidth Test v7.5\n4194304 12000\n",
         "expected a table of osu_bw or osu_latency"},
        {"# OSU MPI-CUDA Bandwidth Test v7.5\n1024 300.0\n",
         "messages of at least 1048576 bytes"},
        {"# OSU MPI-CUDA Bandwidth Test v7.5\n4194304 2000",
         "x:2: the last line has no end"},
        {"# OSU MPI-CUDA Bandwidth Test v7.5\n4194304 -\n",
         "x:2: expected a size and a value in this table, found '4194304 -'"},
        {"\tGPU0\tCPU Affinity\nGPU0\t X \t0-7\n", "expected at least 2 GPUs, found 1"},
        {"\tGPU0\tGPU1\nGPU0\t X \tNV4\n", "the row of GPU1 is missing"},
        {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV2\t X \n",
         "GPU1 to GPU0 has 2 NVLinks, back 4"},
        {"\tGPU0\tGPU1\nGPU0\t X \tFAST\nGPU1\tNV2\t X \n",
         "x:2: GPU0 to GPU1: expected NV and a number, SYS, NODE, PHB, PXB or PIX, found "
         "'FAST'"},
        {"\tGPU0\tGPU1\nGPU0\t X \nGPU1\tNV2\t X \n",
         "x:2: GPU0: expected 2 columns, found 1"},
        {"\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X ", "x:3: the last line has no end"},
        {"\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU0\t X \tNV2\n",
         "found GPU0 again or a later one"},
    };
    static struct machine_import i;

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct proact_error err = {""};

        assert_int_equal(
            machine_import_text("x", rows[r].text, strlen(rows[r].text), NULL, &i, &err),
            PROACT_EINVAL);
        if (!strstr(err.text, rows[r].why))
            fail_msg("row %zu: '%s' lacks '%s'", r, err.text, rows[r].why);
    }
}

/* NVLinks of a machine whose fabric has none. */
static void like_must_have_nvlinks(void **state)
{
    static struct machine_import i;
    struct proact_error err = {""};
    size_t bytes;
    char *text = sample("smi_switch.txt", &bytes);

    (void)state;
    assert_int_equal(machine_import_text("x", text, bytes, "k40x4", &i, &err),
                     PROACT_EINVAL);
    assert_non_null(strstr(err.text, "machine k40x4 has 'PCIe3'"));
    assert_int_equal(machine_import_text("x", text, bytes, "no-such", &i, &err),
                     PROACT_EINVAL);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvbandwidth_rates_become_raw_rates),
        cmocka_unit_test(nvbandwidth_pairs_are_wired),
        cmocka_unit_test(estimates_of_the_same_chip_remain),
        cmocka_unit_test(other_keys_are_those_of_like),
        cmocka_unit_test(osu_tables_give_rates_and_starts),
        cmocka_unit_test(osu_buffers_must_be_on_devices),
        cmocka_unit_test(nvlinks_have_the_rates_of_like),
        cmocka_unit_test(pcie_switches_become_groups),
        cmocka_unit_test(hwloc_keys_are_the_files),
        cmocka_unit_test(files_without_links_are_refused),
        cmocka_unit_test(like_must_have_nvlinks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
