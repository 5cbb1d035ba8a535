/* SPDX-License-Identifier: Apache-2.0 */
/* Resources that a driver creates or loads only on an idle device are prepared before any
   stream waits. The fake driver detects the deadlock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/fake_cuda_session.h"

/* Writes 1, with an assertion that never fires. */
static const char tell[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func __assertfail (.param .b64 what, .param .b64 file, .param .b32 line,\n"
    " .param .b64 where, .param .b64 bytes);\n"
    ".visible .entry tell(.param .u64 word)\n{\n"
    " .reg .pred %p;\n .reg .b32 %r;\n .reg .b64 %rd;\n"
    " ld.param.u64 %rd, [word];\n mov.u32 %r, 1;\n"
    " setp.ne.u64 %p, %rd, 0;\n @%p bra FINE;\n"
    " { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
    "  st.param.b64 [a], %rd; st.param.b64 [b], %rd; st.param.b32 [c], %r;\n"
    "  st.param.b64 [d], %rd; st.param.b64 [e], %rd;\n"
    "  call.uni __assertfail, (a, b, c, d, e); }\n"
    "FINE:\n st.global.u32 [%rd], %r;\n ret;\n}\n";

struct stage {
    struct device_set *set;
    struct device_stream *waits, *tells;
    device_addr word;
    struct proact_error err;
};

static void must(struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s", s->err.text);
}

static struct stage raise_curtain(void)
{
    struct stage s = {0};

    fake_cuda_set_up("");
    must(&s,
         device_cuda.open(&(struct device_options){.wait_limit_ms = 400}, &s.set, &s.err));
    must(&s, device_cuda.stream_create(s.set, 0, &s.waits, &s.err));
    must(&s, device_cuda.stream_create(s.set, 0, &s.tells, &s.err));
    must(&s, device_cuda.alloc(s.set, 0, 4, &s.word, &s.err));
    must(&s, device_cuda.fill(s.tells, s.word, 0, 4, &s.err));
    must(&s, device_cuda.synchronize(s.set, &s.err));
    return s;
}

static void drop_curtain(struct stage *s)
{
    device_cuda.close(s->set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

static void load(struct stage *s, struct device_function **out)
{
    struct device_module *module;

    must(s, device_cuda.module_load(s->set, 0, "tell.ptx", tell, strlen(tell), &module,
                                    &s->err));
    must(s, device_cuda.function(module, "tell", out, &s->err));
}

static void launch(struct stage *s, struct device_function *f)
{
    const struct device_launch once = {.grid = {1, 1, 1},
                                       .block = {1, 1, 1},
                                       .parameters = &s->word,
                                       .parameter_bytes = sizeof s->word};

    must(s, device_cuda.launch(s->tells, f, &once, &s->err));
}

static void an_asserting_kernel_starts_during_a_wait(void **state)
{
    struct stage s = raise_curtain();
    struct device_function *f;

    (void)state;
    load(&s, &f);
    must(&s, device_cuda.wait_value(s.waits, s.word, 1, NULL, &s.err));
    launch(&s, f);
    must(&s, device_cuda.synchronize(s.set, &s.err));
    drop_curtain(&s);
}

/* The awaited write is queued, so loading takes until then. */
static void a_module_is_loaded_during_a_wait_that_ends(void **state)
{
    struct stage s = raise_curtain();
    struct device_function *f;

    (void)state;
    must(&s, device_cuda.wait_value(s.waits, s.word, 1, NULL, &s.err));
    must(&s, device_cuda.write_value(s.tells, s.word, 1, &s.err));
    load(&s, &f);
    launch(&s, f);
    must(&s, device_cuda.synchronize(s.set, &s.err));
    drop_curtain(&s);
}

/* The driver would wait for ever. */
static void an_endless_wait_is_reported(void **state)
{
    struct stage s = raise_curtain();
    struct device_module *module = NULL;

    (void)state;
    must(&s, device_cuda.wait_value(s.waits, s.word, 1, NULL, &s.err));
    assert_int_equal(
        device_cuda.module_load(s.set, 0, "tell.ptx", tell, strlen(tell), &module, &s.err),
        PROACT_ETIMEOUT);
    assert_non_null(strstr(s.err.text, "stream 0 of device 0 waited 400 ms for the word"));
    assert_null(module);
    drop_curtain(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_asserting_kernel_starts_during_a_wait),
        cmocka_unit_test(a_module_is_loaded_during_a_wait_that_ends),
        cmocka_unit_test(an_endless_wait_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
