/* SPDX-License-Identifier: Apache-2.0 */
/* Failure sweep: each driver call fails at its first time, its second and so on, with three
   results. The session reports a message or continues, never crashes, never hangs, and
   frees all objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/fake_cuda_session.h"

static const char *const calls[] = {
#define DRIVER(name, symbol, parameters) #symbol,
#define OPTIONAL DRIVER
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
};

static const int results[] = {2, 214, 719};

/* Returns whether the session succeeded despite the failure. */
static bool fails_well(const char *call, unsigned nth, int result,
                       const struct fake_cuda_plan *plan)
{
    struct proact_error err = {""};
    char settings[128];

    snprintf(settings, sizeof settings, "FAKE_CUDA_FAIL=%s:%u:%d", call, nth, result);
    fake_cuda_set_up(settings);
    enum proact_status status = fake_cuda_session(plan, &err);

    if (status && (!err.text[0] || strchr(err.text, '\n')))
        fail_msg("%s: status %d, and no sentence: '%s'", settings, (int)status, err.text);
    if (fake_cuda_still_left())
        fail_msg("%s: %u things are not given back: %s", settings, fake_cuda_still_left(),
                 err.text);
    return !status;
}

/* Sweeps the calls whose names begin with `beginning`. */
static unsigned sweep_of(const struct fake_cuda_plan *plan, const char *beginning)
{
    unsigned failed = 0, passed = 0;

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        for (size_t r = 0; r < sizeof results / sizeof results[0] &&
                           strncmp(calls[i], beginning, strlen(beginning)) == 0;
             r++)
            for (unsigned nth = 1, fine = 0; nth < 200 && fine < 2; nth += 1 + nth / 2) {
                if (fails_well(calls[i], nth, results[r], plan)) {
                    fine++;
                    passed++;
                } else {
                    failed++;
                }
            }
    printf("%u sessions failed as they should, %u were not touched\n", failed, passed);
    return failed;
}

static void sweep(const struct fake_cuda_plan *plan)
{
    assert_true(sweep_of(plan, "") > 300);
}

static void each_call_fails_once(void **state)
{
    (void)state;
    sweep(&(struct fake_cuda_plan){.method = "copy-engine", .wait_limit_ms = 5});
}

static void each_call_fails_once_with_a_graph(void **state)
{
    (void)state;
    sweep(&(struct fake_cuda_plan){
        .method = "polling", .is_recorded = true, .wait_limit_ms = 5});
}

static void each_call_fails_once_with_a_trace(void **state)
{
    (void)state;
    sweep(&(struct fake_cuda_plan){
        .method = "bulk", .is_observed = true, .wait_limit_ms = 5});
}

static void each_call_fails_once_with_lazy_devices(void **state)
{
    (void)state;
    sweep(&(struct fake_cuda_plan){.method = "bulk", .is_lazy = true, .wait_limit_ms = 5});
}

static void each_call_fails_once_with_a_worker(void **state)
{
    (void)state;
    sweep(&(struct fake_cuda_plan){.method = "inline", .threads = 2, .wait_limit_ms = 5});
}

/* Copies and word waits, which are deferred until a worker thread queues them. */
static void each_copy_fails_once_with_a_worker(void **state)
{
    const struct fake_cuda_plan plan = {
        .method = "copy-engine", .threads = 2, .wait_limit_ms = 5};

    (void)state;
    assert_true(sweep_of(&plan, "cuMemcpy") + sweep_of(&plan, "cuStream") +
                    sweep_of(&plan, "cuEvent") >
                100);
}

/* Each time in turn: the first driver call of a worker thread, during launches. */
static void each_context_push_fails_with_a_worker(void **state)
{
    static const char *const methods[] = {"inline", "copy-engine"};

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        const struct fake_cuda_plan plan = {
            .method = methods[m], .threads = 2, .wait_limit_ms = 5};

        for (unsigned nth = 1, fine = 0; nth < 600 && fine < 4; nth++)
            fine += fails_well("cuCtxPushCurrent_v2", nth, 2, &plan);
    }
}

static void each_linker_call_fails_once(void **state)
{
    (void)state;
    if (device_cuda.launches(NULL, NULL))
        skip();
    const struct fake_cuda_plan plan = {.method = "dynamic", .wait_limit_ms = 5};

    assert_true(sweep_of(&plan, "cuLink") > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_fails_once),
        cmocka_unit_test(each_call_fails_once_with_a_graph),
        cmocka_unit_test(each_call_fails_once_with_a_trace),
        cmocka_unit_test(each_call_fails_once_with_lazy_devices),
        cmocka_unit_test(each_call_fails_once_with_a_worker),
        cmocka_unit_test(each_copy_fails_once_with_a_worker),
        cmocka_unit_test(each_context_push_fails_with_a_worker),
        cmocka_unit_test(each_linker_call_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
