/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation in the background, on the fake driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/cuda/cuda_set.h"

#include "device/fake_cuda_session.h"

static const char right_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
static const char wrong_text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nrot;\n}\n";

static struct device_set *compile_open(const char *settings)
{
    struct device_set *set;
    struct proact_error err;

    fake_cuda_set_up(settings);
    if (device_cuda.open(&(struct device_options){.wait_limit_ms = 400}, &set, &err))
        fail_msg("%s", err.text);
    return set;
}

static void compile_close(struct device_set *set)
{
    device_cuda.close(set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static void compile_wait(struct device_set *set, const char *text)
{
    for (int i = 0; i < 20000 && !device_cuda.module_compile(set, text, strlen(text)); i++)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    assert_true(device_cuda.module_compile(set, text, strlen(text)));
    assert_false(device_cuda.is_compiling(set));
}

/* All devices load what was compiled once. */
static void a_text_is_compiled_once(void **state)
{
    struct device_set *set = compile_open("FAKE_CUDA_DEVICES=2");
    struct device_module *module[2];
    struct device_function *f;
    struct proact_error err;

    (void)state;
    assert_false(device_cuda.is_compiling(set));
    assert_false(device_cuda.module_compile(set, right_text, strlen(right_text)));
    compile_wait(set, right_text);
    for (unsigned d = 0; d < 2; d++)
        if (device_cuda.module_load(set, d, "k.ptx", right_text, strlen(right_text),
                                    &module[d], &err) ||
            device_cuda.function(module[d], "k", &f, &err))
            fail_msg("%s", err.text);
    assert_int_equal(fake_cuda_calls_of("cuLinkComplete"), 1);
    assert_int_equal(fake_cuda_calls_of("cuModuleLoadDataEx"), 2);
    /* The binary is freed. */
    assert_false(device_cuda.module_compile(set, right_text, strlen(right_text)));
    compile_close(set);
}

/* The load reports what the compiler does not accept. */
static void a_failure_is_left_to_the_load(void **state)
{
    struct device_set *set = compile_open("FAKE_CUDA_FAIL=cuLinkComplete:1:218");
    struct device_module *module;
    struct proact_error err;

    (void)state;
    compile_wait(set, right_text);
    if (device_cuda.module_load(set, 0, "k.ptx", right_text, strlen(right_text), &module,
                                &err))
        fail_msg("%s", err.text);
    compile_wait(set, wrong_text);
    assert_int_not_equal(device_cuda.module_load(set, 0, "k.ptx", wrong_text,
                                                 strlen(wrong_text), &module, &err),
                         PROACT_OK);
    assert_non_null(strstr(err.text, "k.ptx: device 0 does not accept the module"));
    compile_close(set);
}

/* Devices of several kinds need several binaries: each load compiles. */
static void mixed_devices_compile_at_the_load(void **state)
{
    struct device_set *set = compile_open("FAKE_CUDA_DEVICES=2");

    (void)state;
    set->devices[1].capability--;
    assert_true(device_cuda.module_compile(set, right_text, strlen(right_text)));
    assert_int_equal(fake_cuda_calls_of("cuLinkCreate_v2"), 0);
    compile_close(set);
}

static void a_set_closes_while_it_compiles(void **state)
{
    char text[sizeof right_text + 8];

    (void)state;
    for (unsigned n = 0; n < 20; n++) {
        struct device_set *set = compile_open("FAKE_CUDA_DEVICES=2");

        for (unsigned i = 0; i < 5; i++) {
            snprintf(text, sizeof text, "%s// %u\n", right_text, i);
            device_cuda.module_compile(set, text, strlen(text));
        }
        compile_close(set);
    }
}

static struct device_set *closed_at_exit;

static void compile_close_at_exit(void)
{
    device_cuda.close(closed_at_exit);
}

/* The exit handlers of the compiler's library run after the compilation, although the
   program closes its set later. `count` texts: the last one is compiled at the exit. */
static void compile_and_exit(unsigned count)
{
    char text[sizeof right_text + 8];
    struct proact_error err;

    if (device_cuda.open(&(struct device_options){.wait_limit_ms = 400}, &closed_at_exit,
                         &err) ||
        atexit(compile_close_at_exit))
        _exit(2);
    for (unsigned i = 0; i < count; i++) {
        while (device_cuda.is_compiling(closed_at_exit))
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        snprintf(text, sizeof text, "%s// %u\n", right_text, i);
        if (device_cuda.module_compile(closed_at_exit, text, strlen(text)))
            _exit(2);
    }
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    exit(0);
}

/* While the first text is compiled, and after the compiler has loaded more. */
static void a_program_exits_while_it_compiles(void **state)
{
    int status;

    (void)state;
    fake_cuda_set_up("FAKE_CUDA_LINK_MS=200");
    for (unsigned count = 1; count <= 2; count++) {
        const pid_t child = fork();

        assert_int_not_equal(child, -1);
        if (child == 0)
            compile_and_exit(count);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* A fork has no thread, and waits for none when it closes the set. */
static void a_fork_closes_its_set(void **state)
{
    struct device_set *set = compile_open("FAKE_CUDA_DEVICES=2");
    int status;

    (void)state;
    compile_wait(set, right_text);
    const pid_t child = fork();

    assert_int_not_equal(child, -1);
    if (child == 0) {
        alarm(5);
        device_cuda.close(set);
        _exit(0); /* the thread's data is not freed */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    compile_close(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_exits_while_it_compiles), /* no library is loaded yet */
        cmocka_unit_test(a_text_is_compiled_once),
        cmocka_unit_test(a_failure_is_left_to_the_load),
        cmocka_unit_test(mixed_devices_compile_at_the_load),
        cmocka_unit_test(a_set_closes_while_it_compiles),
        cmocka_unit_test(a_fork_closes_its_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
