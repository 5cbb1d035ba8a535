/* SPDX-License-Identifier: Apache-2.0 */
/* Current context of the calling thread, on the fake driver: calls restore it, and do not
   change it if it is right already. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "device/cuda/cuda_set.h"
#include "device/fake_cuda_session.h"

struct stage {
    const struct device_backend *b;
    struct driver driver;
    struct device_set *set;
    struct device_stream *stream[2]; /* one per device */
    device_addr memory[2];
    struct proact_error err;
};

static void must(const struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s", s->err.text);
}

static void come(struct stage *s)
{
    *s = (struct stage){.b = &device_cuda};
    fake_cuda_set_up("DEVICES=2");
    must(s, driver_open(&s->driver, &s->err));
    must(s, s->b->open(&(struct device_options){.wait_limit_ms = 400}, &s->set, &s->err));
    for (unsigned d = 0; d < 2; d++) {
        must(s, s->b->stream_create(s->set, d, &s->stream[d], &s->err));
        must(s, s->b->alloc(s->set, d, 64, &s->memory[d], &s->err));
    }
}

static void go(struct stage *s)
{
    s->b->close(s->set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static cu_context current(const struct stage *s)
{
    cu_context context = NULL;

    assert_int_equal(s->driver.context_current(&context), 0);
    return context;
}

/* Number of context changes for an operation on the device. */
static unsigned changes_for(struct stage *s, unsigned device)
{
    const unsigned pushed = fake_cuda_calls_of("cuCtxPushCurrent_v2"),
                   popped = fake_cuda_calls_of("cuCtxPopCurrent_v2");

    must(s, s->b->fill(s->stream[device], s->memory[device], 7, 64, &s->err));
    must(s, s->b->synchronize(s->set, &s->err));
    const unsigned changes = fake_cuda_calls_of("cuCtxPushCurrent_v2") - pushed;

    assert_int_equal(fake_cuda_calls_of("cuCtxPopCurrent_v2") - popped, changes);
    return changes;
}

static void a_thread_without_a_context_stays_without(void **state)
{
    struct stage s;

    (void)state;
    come(&s);
    assert_null(current(&s));
    assert_true(changes_for(&s, 0) > 0);
    assert_null(current(&s));
    go(&s);
}

static void an_interop_thread_keeps_the_context_of_device_0(void **state)
{
    struct stage s;

    (void)state;
    come(&s);
    s.b->interop_attach_thread(s.set, 0);
    cu_context first = current(&s);

    assert_non_null(first);
    assert_int_equal(changes_for(&s, 0), 0);
    assert_true(changes_for(&s, 1) > 0);
    assert_ptr_equal(current(&s), first);
    assert_int_equal(changes_for(&s, 0), 0);
    assert_int_equal(s.driver.context_set(NULL), 0);
    go(&s);
}

static void another_context_is_restored(void **state)
{
    struct stage s;
    cu_context second;

    (void)state;
    come(&s);
    s.b->interop_attach_thread(s.set, 1);
    second = current(&s);
    s.b->interop_attach_thread(s.set, 0);
    assert_ptr_equal(current(&s), second);
    assert_true(changes_for(&s, 0) > 0);
    assert_ptr_equal(current(&s), second);
    assert_int_equal(s.driver.context_set(NULL), 0);
    go(&s);
}

static void a_failure_restores_the_context(void **state)
{
    struct stage s;
    cu_context second;
    char which[64];

    (void)state;
    come(&s);
    s.b->interop_attach_thread(s.set, 1);
    second = current(&s);
    snprintf(which, sizeof which, "cuCtxPushCurrent_v2:%u:1",
             fake_cuda_calls_of("cuCtxPushCurrent_v2") + 1);
    setenv("FAKE_CUDA_FAIL", which, 1);
    assert_int_not_equal(s.b->fill(s.stream[0], s.memory[0], 7, 64, &s.err), PROACT_OK);
    assert_ptr_equal(current(&s), second);
    unsetenv("FAKE_CUDA_FAIL");
    must(&s, s.b->synchronize(s.set, &s.err));
    assert_ptr_equal(current(&s), second);
    assert_int_equal(s.driver.context_set(NULL), 0);
    go(&s);
}

/* Nested scopes: the context is changed once, not again inside, and a third one fails. */
static void context_scopes_nest(void **state)
{
    struct stage s;
    char which[64];

    (void)state;
    come(&s);
    const cu_context context = s.set->devices[0].context;

    assert_int_equal(cuda_context_push(&s.driver, context), 0);
    assert_int_equal(changes_for(&s, 0), 0);
    snprintf(which, sizeof which, "cuCtxPushCurrent_v2:%u:1",
             fake_cuda_calls_of("cuCtxPushCurrent_v2") + 1);
    setenv("FAKE_CUDA_FAIL", which, 1);
    assert_int_not_equal(s.b->fill(s.stream[1], s.memory[1], 7, 64, &s.err), PROACT_OK);
    unsetenv("FAKE_CUDA_FAIL");
    assert_ptr_equal(current(&s), context);
    cuda_context_pop(&s.driver);
    assert_null(current(&s));
    go(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_without_a_context_stays_without),
        cmocka_unit_test(an_interop_thread_keeps_the_context_of_device_0),
        cmocka_unit_test(another_context_is_restored),
        cmocka_unit_test(a_failure_restores_the_context),
        cmocka_unit_test(context_scopes_nest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
