/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of proact_device0_read() on a fake device. Each wait counts, including the one for
   the copy itself. */
#include <proact/program.h>

#include "runtime/session/runtime_wait.h"
#include "runtime/stage.h"

static unsigned waits_of_a_read(struct stage *s)
{
    uint32_t word;
    unsigned before = fake_state(s->p->set)->waits;

    must(s, proact_device0_read(s->p, &word, proact_array_address(s->a, 0), sizeof word,
                                &s->err));
    return fake_state(s->p->set)->waits - before;
}

static void a_single_busy_stream_is_awaited_alone(void **state)
{
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    must(&s, proact_wait(s.p, &s.err));
    must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    assert_int_equal(waits_of_a_read(&s), 1);
    assert_int_equal(waits_of_a_read(&s), 1);
    proact_close(s.p);
}

static void several_busy_streams_are_all_awaited(void **state)
{
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    must(&s, proact_wait(s.p, &s.err));
    must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    must(&s, proact_array_broadcast(s.a, &s.err));
    assert_int_equal(waits_of_a_read(&s), 2);
    assert_int_equal(waits_of_a_read(&s), 1); /* settled by the previous read */
    proact_close(s.p);
}

static void fill_in(struct stage *s, unsigned stream)
{
    must(s, proact_stream_set_current(s->p, stream, &s->err));
    must(s, proact_device0_fill(s->p, proact_array_address(s->a, 0), 1, 8, &s->err));
}

static void only_the_current_stream_is_awaited(void **state)
{
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    must(&s, proact_wait(s.p, &s.err));
    fill_in(&s, 1);
    fill_in(&s, 2);
    fake_forget(s.p->set);
    assert_int_equal(waits_of_a_read(&s), 1);
    fill_in(&s, 2);
    expect(&s, "fill 0.3 12000@0+0 for 8\n");
    must(&s, proact_stream_wait(s.p, &s.err));
    expect(&s, "record 0.3\nawait 0.3\n");
    must(&s, proact_stream_set_current(s.p, 0, &s.err));
    assert_int_equal(waits_of_a_read(&s), 1); /* this read follows both streams */
    expect(&s, "record 0.2\nwait 0.0 for 0.2\nrecord 0.3\nwait 0.0 for 0.3\n");
    proact_close(s.p);
}

static void an_event_is_awaited_alone(void **state)
{
    struct proact_event *m;
    struct stage s;
    unsigned before;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    must(&s, proact_wait(s.p, &s.err));
    must(&s, proact_event_create(s.p, false, &m, &s.err));
    fill_in(&s, 1);
    must(&s, proact_event_record(m, &s.err));
    fill_in(&s, 2);
    fake_forget(s.p->set);
    before = fake_state(s.p->set)->waits;
    must(&s, proact_event_wait(m, &s.err));
    expect(&s, "await 0.2\n");
    assert_int_equal(fake_state(s.p->set)->waits, before);
    must(&s, proact_array_broadcast(s.a, &s.err)); /* a second busy stream */
    must(&s, proact_event_wait(m, &s.err));
    assert_int_equal(fake_state(s.p->set)->waits, before + 1);
    proact_close(s.p);
}

/* A failure during an asynchronous call is reported by the next wait, which may be a
   read. */
static void deferred_failures_are_reported(void **state)
{
    struct stage s;
    uint32_t word;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    fake_state(s.p->set)->breaks = PROACT_EFAULT;
    session_settle(s.p);
    assert_int_equal(
        proact_device0_read(s.p, &word, proact_array_address(s.a, 0), sizeof word, &s.err),
        PROACT_EFAULT);
    assert_string_equal(s.err.text, "broken as told");
    proact_close(s.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_busy_stream_is_awaited_alone),
        cmocka_unit_test(several_busy_streams_are_all_awaited),
        cmocka_unit_test(only_the_current_stream_is_awaited),
        cmocka_unit_test(an_event_is_awaited_alone),
        cmocka_unit_test(deferred_failures_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
