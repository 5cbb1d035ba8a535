/* SPDX-License-Identifier: Apache-2.0 */
/* Every failure of a driver or its devices is reported as one message, and all objects are
   freed. The tests use the fake driver (fake_cuda.h). `none` and `old` run with an
   LD_LIBRARY_PATH that leads to a file that is no library, and to a driver without a
   required symbol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/fake_cuda_session.h"
#include "runtime/session/runtime_machine.h"

enum { MIB = 1 << 20 };

/* Settings of a session, and its expected result. */
static const struct failure {
    const char *settings;
    struct fake_cuda_plan plan;
    enum proact_status status;
    const char *sentence;
} failures[] = {
    {"FAKE_CUDA_DEVICES=0",
     {0},
     PROACT_ENODEV,
     "the CUDA driver finds no device: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is "
     "detected)"},
    {"FAKE_CUDA_FAIL=cuInit:1:802",
     {0},
     PROACT_ENODEV,
     "the CUDA driver does not start: CUDA_ERROR_SYSTEM_NOT_READY (system not yet "
     "initialized)"},
    {"FAKE_CUDA_FAIL=cuInit:1:12345",
     {0},
     PROACT_ENODEV,
     "the CUDA driver does not start: error 12345 without a description"},
    {"FAKE_CUDA_DEVICES=1",
     {.devices = 2},
     PROACT_EINVAL,
     "machine local has 1 devices, 2 requested"},
    {"FAKE_CUDA_FAIL=cuDevicePrimaryCtxRetain:2:46",
     {0},
     PROACT_ENODEV,
     "device 1: cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE (CUDA-capable "
     "device(s) is/are busy or unavailable)"},
    {"FAKE_CUDA_PEERS=none",
     {.method = "polling"},
     PROACT_EREFUSED,
     "method 'polling' needs a device that reaches a peer's memory, and none of the 2 "
     "devices does: 'bulk' does not need it"},
    {"FAKE_CUDA_PEERS=0>1",
     {.is_recorded = true},
     PROACT_EREFUSED,
     "copies between devices 1 and 0 go through the host, which cannot be recorded: device "
     "1 does not reach device 0"},
    {"FAKE_CUDA_FAIL=cuLaunchKernel:2:719",
     {0},
     PROACT_EFAULT,
     "device 1: a kernel failed: CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure); "
     "the last kernels queued there are 'fill'"},
    {"FAKE_CUDA_FAIL=cuMemcpyAsync:1:214",
     {0},
     PROACT_EDRIVER,
     "device 0: cuMemcpyAsync: CUDA_ERROR_ECC_UNCORRECTABLE (uncorrectable ECC error "
     "encountered)"},
    {"FAKE_CUDA_FAIL=cuModuleLoadDataEx:1:222",
     {0},
     PROACT_EREFUSED,
     "agent.cu: device 0 does not accept the module: CUDA_ERROR_UNSUPPORTED_PTX_VERSION "
     "(the provided PTX was compiled with an unsupported toolchain.)"},
    {"FAKE_CUDA_FAIL=cuLinkComplete:2:218",
     {.method = "dynamic"},
     PROACT_EREFUSED,
     "runtime_kernels.ptx: device 1 does not accept the "
     "module: CUDA_ERROR_INVALID_PTX (a PTX JIT compilation "
     "failed)"},
    {"", {0}, PROACT_OK, ""},
    {"", {.method = "dynamic"}, PROACT_OK, ""},
    {"FAKE_CUDA_DEVICES=3",
     {.method = "dynamic", .is_recorded = true},
     PROACT_EREFUSED,
     "this cannot be recorded on GPUs: kernel 'fill' launches kernels, and replays of such "
     "kernels have failed; launch it each time"},
    {"FAKE_CUDA_DEVICES=1", {0}, PROACT_OK, ""},
    {"FAKE_CUDA_DEVICES=4 FAKE_CUDA_PEERS=none", {0}, PROACT_OK, ""},
    {"FAKE_CUDA_DEVICES=3 FAKE_CUDA_PEERS=0>1,1>0", {0}, PROACT_OK, ""},
    {"FAKE_CUDA_DEVICES=3 FAKE_CUDA_PEERS=0>1,1>0", {.method = "inline"}, PROACT_OK, ""},
    {"FAKE_CUDA_PEERS=1>0", {.method = "polling"}, PROACT_OK, ""},
    {"FAKE_CUDA_PEERS=0>1", {.method = "dynamic"}, PROACT_OK, ""},
    {"FAKE_CUDA_DEVICES=3", {.method = "copy-engine", .is_recorded = true}, PROACT_OK, ""},
    {"FAKE_CUDA_DEVICES=3 CUDA_DEVICE_MAX_CONNECTIONS=2",
     {.method = "copy-engine", .is_recorded = true},
     PROACT_OK,
     ""},
    {"FAKE_CUDA_DEVICES=3 CUDA_DEVICE_MAX_CONNECTIONS=1",
     {.method = "copy-engine", .is_recorded = true},
     PROACT_OK,
     ""},
};

/* Returns whether this build supports kernels that launch kernels. */
static bool launches(void)
{
    return device_cuda.launches(NULL, NULL) == PROACT_OK;
}

/* A build without that support names the missing library. */
static void missing_build_features_are_reported(void **state)
{
    struct proact_error err = {""};
    const struct fake_cuda_plan plan = {.method = "dynamic"};

    (void)state;
    if (launches())
        skip();
    fake_cuda_set_up("");
    assert_int_equal(fake_cuda_session(&plan, &err), PROACT_EREFUSED);
    assert_non_null(strstr(err.text, "libcudadevrt.a"));
    assert_int_equal(fake_cuda_still_left(), 0);
}

static void each_failure_has_a_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        const struct failure *f = &failures[i];
        struct proact_error err = {""};

        if (f->plan.method && !strcmp(f->plan.method, "dynamic") && !launches())
            continue;
        fake_cuda_set_up(f->settings);
        enum proact_status status = fake_cuda_session(&f->plan, &err);

        if (status != f->status || strcmp(err.text, f->sentence) != 0)
            fail_msg("%s: status %d: %s", f->settings, (int)status, err.text);
        if (fake_cuda_still_left())
            fail_msg("%s: %u things are not given back", f->settings,
                     fake_cuda_still_left());
    }
}

/* The message names array, device and CTAs of the missing chunk. */
static void a_chunk_that_never_comes_is_named(void **state)
{
    struct proact_error err = {""};
    const struct fake_cuda_plan plan = {.method = "copy-engine", .forgets = true};

    (void)state;
    fake_cuda_set_up("");
    assert_int_equal(fake_cuda_session(&plan, &err), PROACT_ETIMEOUT);
    if (strcmp(err.text,
               "array 'cells': chunk 0 was not complete on device 0 within 100 ms: 8 of "
               "its writers did not finish, and its writers are CTA 0, 1, 2, 3, ... (8 "
               "in all)") != 0)
        fail_msg("%s", err.text);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static unsigned lines_of(const char *path, const char *line)
{
    char read[64];
    unsigned count = 0;
    FILE *f = fopen(path, "r");

    while (f && fgets(read, sizeof read, f))
        count += strcmp(read, line) == 0;
    if (f)
        fclose(f);
    return count;
}

/* Ranges of launches on two devices (one launch is recorded and replayed twice), and of
   later copies. Without a profiler there are none. */
static void a_profiler_receives_names(void **state)
{
    static const char log[] = "ranges.log";
    static const struct {
        const char *method, *carried; /* by device 1, which owns chunk 1 */
        unsigned carries;             /* total per launch */
    } cases[] = {{"bulk", "begin array 'cells' to device 0\n", 2},
                 {"copy-engine", "begin chunk 1 of array 'cells' to device 0\n", 2},
                 {"relay", "begin chunk 1 of array 'cells' to device 0\n", 2},
                 {"inline", NULL, 0}};
    struct proact_error err = {""};

    (void)state;
    setenv("FAKE_NVTX", log, 1);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const struct fake_cuda_plan plan = {
            .method = cases[i / 2].method, .chunk_bytes = 8192, .is_recorded = true};
        unsigned listens = i % 2, carries = listens * cases[i / 2].carries;

        remove(log);
        if (listens)
            setenv("NVTX_INJECTION64_PATH", "a profiler", 1);
        else
            unsetenv("NVTX_INJECTION64_PATH");
        fake_cuda_set_up("");
        if (fake_cuda_session(&plan, &err))
            fail_msg("%s", err.text);
        assert_int_equal(lines_of(log, "begin fill\n"), 4 * listens);
        assert_int_equal(lines_of(log, "begin replay\n"), 2 * listens);
        if (cases[i / 2].carried)
            assert_int_equal(lines_of(log, cases[i / 2].carried), 2 * listens);
        assert_int_equal(lines_of(log, "end\n"), 6 * listens + 2 * carries);
    }
    unsetenv("NVTX_INJECTION64_PATH");
    remove(log);
}

static struct device_set *open_devices(const char *settings)
{
    struct device_set *set = NULL;
    struct proact_error err = {""};

    fake_cuda_set_up(settings);
    if (device_cuda.open(&(struct device_options){.wait_limit_ms = 20}, &set, &err))
        fail_msg("%s", err.text);
    return set;
}

static void exhausted_memory_is_reported(void **state)
{
    struct device_set *set = open_devices("FAKE_CUDA_MEMORY=8388608");
    struct proact_error err = {""};
    device_addr first, second = 0;

    (void)state;
    assert_int_equal(device_cuda.alloc(set, 1, (size_t)6 * MIB, &first, &err), PROACT_OK);
    assert_int_equal(device_cuda.alloc(set, 1, (size_t)3 * MIB, &second, &err),
                     PROACT_ENOSPACE);
    assert_string_equal(err.text, "device 1: 3145728 bytes of memory requested, 2097152 "
                                  "of 8388608 are free");
    assert_int_equal(second, 0);
    /* A smaller allocation succeeds, also after a failure, and from the driver's own
       allocator. */
    assert_int_equal(device_cuda.alloc(set, 1, 2 * MIB, &second, &err), PROACT_OK);
    assert_int_equal(device_cuda.alloc(set, 1, 8, &second, &err), PROACT_ENOSPACE);
    assert_string_equal(err.text,
                        "device 1: 8 bytes of memory requested, 0 of 8388608 are free");
    device_cuda.close(set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

/* An allocation of distributed memory names the device without space, and frees all
   partitions. */
static void a_partition_that_does_not_fit_is_reported(void **state)
{
    struct device_set *set = open_devices("FAKE_CUDA_MEMORY=8388608 FAKE_CUDA_DEVICES=3");
    struct proact_error err = {""};
    device_addr first, parts = 0;
    size_t each = 0;

    (void)state;
    assert_int_equal(device_cuda.alloc(set, 1, (size_t)6 * MIB, &first, &err), PROACT_OK);
    assert_int_equal(device_cuda.alloc_parts(set, (size_t)12 * MIB, &parts, &each, &err),
                     PROACT_ENOSPACE);
    assert_string_equal(err.text, "device 1: 4194304 bytes of memory requested, 2097152 "
                                  "of 8388608 are free");
    assert_int_equal(parts, 0);
    assert_int_equal(device_cuda.alloc_parts(set, (size_t)6 * MIB, &parts, &each, &err),
                     PROACT_OK);
    assert_int_equal(each, 2 * MIB);
    device_cuda.close(set);
    assert_int_equal(fake_cuda_still_left(), 0);
    set = open_devices("FAKE_CUDA_PEERS=0>1");
    assert_int_equal(device_cuda.alloc_parts(set, MIB, &parts, &each, &err),
                     PROACT_EREFUSED);
    assert_string_equal(err.text,
                        "memory of all devices: device 1 does not reach device 0");
    device_cuda.close(set);
}

/* In a graph, device 1 waits for device 0, which is busy longer than the wait limit. */
static void a_timed_out_device_is_reported(void **state)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry busy()\n{\n"
                              " .reg .pred %p;\n .reg .b64 %rd<4>;\n"
                              " mov.u64 %rd1, %globaltimer;\n"
                              "AGAIN:\n mov.u64 %rd2, %globaltimer;\n"
                              " sub.u64 %rd3, %rd2, %rd1;\n"
                              " setp.lt.u64 %p, %rd3, 100000000;\n @%p bra AGAIN;\n"
                              " ret;\n}\n";
    const struct device_launch once = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct device_set *set = open_devices("");
    struct device_stream *stream[2];
    struct device_event *done;
    struct device_module *module;
    struct device_function *busy;
    struct device_graph *g;
    struct proact_error err = {""};

    (void)state;
    for (unsigned d = 0; d < 2; d++)
        assert_false(device_cuda.stream_create(set, d, &stream[d], &err));
    assert_false(device_cuda.event_create(set, 0, false, &done, &err));
    assert_false(
        device_cuda.module_load(set, 0, "busy.ptx", ptx, strlen(ptx), &module, &err));
    assert_false(device_cuda.function(module, "busy", &busy, &err));
    assert_false(device_cuda.capture_begin(set, &err));
    assert_false(device_cuda.launch(stream[0], busy, &once, &err));
    assert_false(device_cuda.record(stream[0], done, &err));
    assert_false(device_cuda.wait_event(stream[1], done, &err));
    assert_false(device_cuda.capture_end(set, &g, &err));
    assert_false(device_cuda.graph_launch(g, &err));
    assert_int_equal(device_cuda.synchronize(set, &err), PROACT_OK);
    assert_int_equal(device_cuda.check_timeouts(set, &err), PROACT_ETIMEOUT);
    assert_string_equal(err.text, "device 1 waited 40 ms in a recording for device 0, "
                                  "which did not arrive");
    device_cuda.graph_destroy(g);
    device_cuda.close(set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

/* Every call after the loss reports it, and none waits. */
static void a_lost_device_stays_lost(void **state)
{
    struct device_set *set = open_devices("FAKE_CUDA_FAIL=cuStreamQuery:1:700");
    struct proact_error err = {""};
    struct device_stream *s;
    device_addr word, more;
    uint32_t out;
    static const char sentence[] =
        "device 0: a kernel failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access "
        "was encountered); the last kernels queued there are none";

    (void)state;
    assert_int_equal(device_cuda.alloc(set, 0, 4, &word, &err), PROACT_OK);
    assert_int_equal(device_cuda.stream_create(set, 0, &s, &err), PROACT_OK);
    assert_int_equal(device_cuda.fill(s, word, 0, 4, &err), PROACT_OK);
    assert_int_equal(device_cuda.wait_value(s, word, 0, NULL, &err), PROACT_OK);
    assert_int_equal(device_cuda.synchronize(set, &err), PROACT_EFAULT);
    assert_string_equal(err.text, sentence);
    assert_int_equal(device_cuda.alloc(set, 1, 4, &more, &err), PROACT_EFAULT);
    assert_string_equal(err.text, sentence);
    assert_int_equal(device_cuda.read(s, &out, word, 4, &err), PROACT_EFAULT);
    assert_string_equal(err.text, sentence);
    device_cuda.stream_destroy(s);
    device_cuda.close(set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static void devices_of_other_kinds_are_excluded(void **state)
{
    struct topology found;
    struct proact_error err = {""};

    (void)state;
    fake_cuda_set_up("FAKE_CUDA_DEVICES=3 FAKE_CUDA_NAMES=A,A,B");
    assert_int_equal(device_cuda.find(&found, &err), PROACT_OK);
    assert_int_equal(found.device_count, 2);
    assert_string_equal(found.device.name, "A");
}

/* The driver states neither rates nor times of links. */
static void missing_keys_are_those_of_the_same_chip(void **state)
{
    const struct device_backend *backend;
    struct topology found, like;
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(topology_load("h200x2", &like, &err), PROACT_OK);
    fake_cuda_set_up("FAKE_CUDA_DEVICES=2 FAKE_CUDA_NAMES=NVIDIA_H200");
    assert_int_equal(runtime_machine(PROACT_MACHINE_LOCAL, &found, &backend, &err),
                     PROACT_OK);
    assert_true(found.fabric.egress_gbps == like.fabric.egress_gbps);
    assert_true(found.link_gbps[1][0] == like.link_gbps[1][0]);
    assert_true(found.device.launch_us == like.device.launch_us);
    assert_string_equal(found.device.name, "NVIDIA_H200");
    assert_int_equal(found.device.l2_bytes, 4 << 20); /* as the driver states */
    assert_true(found.device.l2_bytes != like.device.l2_bytes);
    fake_cuda_set_up("FAKE_CUDA_DEVICES=2 FAKE_CUDA_ATTRIBUTES=75=8"); /* sm_80 */
    assert_int_equal(runtime_machine(PROACT_MACHINE_LOCAL, &found, &backend, &err),
                     PROACT_OK);
    assert_true(found.fabric.egress_gbps == 0);
    assert_true(found.link_gbps[1][0] == 0);
}

static int without(const char *kind)
{
    const bool is_old = strcmp(kind, "old") == 0;
    struct proact_error err = {""};
    struct topology found;
    struct proact *p;
    int failed = 0;

    failed += device_cuda.find(&found, &err) != PROACT_ENODEV;
    failed += is_old ? strcmp(err.text,
                              "the CUDA driver has no cuStreamWaitValue32_v2: it is too "
                              "old, CUDA 11.7 or later is required") != 0
                     : strncmp(err.text, "no CUDA driver: ", 16) != 0;
    puts(err.text);
    failed += proact_open(&(struct proact_options){.machine = PROACT_MACHINE_LOCAL}, &p,
                          &err) != PROACT_ENODEV;
    /* Without an explicit request for hardware, the devices are then emulated. */
    if (proact_open(NULL, &p, &err))
        return failed + 1;
    failed += !proact_is_emulated(p);
    proact_close(p);
    return failed;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failure_has_a_message),
        cmocka_unit_test(missing_build_features_are_reported),
        cmocka_unit_test(a_chunk_that_never_comes_is_named),
        cmocka_unit_test(a_profiler_receives_names),
        cmocka_unit_test(exhausted_memory_is_reported),
        cmocka_unit_test(a_partition_that_does_not_fit_is_reported),
        cmocka_unit_test(a_timed_out_device_is_reported),
        cmocka_unit_test(a_lost_device_stays_lost),
        cmocka_unit_test(devices_of_other_kinds_are_excluded),
        cmocka_unit_test(missing_keys_are_those_of_the_same_chip),
    };

    return argc > 1 ? without(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
