/* SPDX-License-Identifier: Apache-2.0 */
/* Whom proact_device0_read() waits for, on a pretend device: each wait counts, that for the
   copy itself as well. */
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

static void where_one_lane_did_all_it_alone_is_waited_for(void **state)
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

static void where_others_did_some_all_are_waited_for(void **state)
{
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    must(&s, proact_wait(s.p, &s.err));
    must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    must(&s, proact_array_broadcast(s.a, &s.err));
    assert_int_equal(waits_of_a_read(&s), 2);
    assert_int_equal(waits_of_a_read(&s), 1); /* they have been */
    proact_close(s.p);
}

static void fill_in(struct stage *s, unsigned stream)
{
    must(s, proact_stream_set_current(s->p, stream, &s->err));
    must(s, proact_device0_fill(s->p, proact_array_address(s->a, 0), 1, 8, &s->err));
}

static void of_streams_the_one_in_use_is_waited_for(void **state)
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
    assert_int_equal(waits_of_a_read(&s), 1); /* but this one comes after both */
    expect(&s, "record 0.2\nwait 0.0 for 0.2\nrecord 0.3\nwait 0.0 for 0.3\n");
    proact_close(s.p);
}

static void an_event_alone_is_waited_for(void **state)
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
    must(&s, proact_array_broadcast(s.a, &s.err)); /* now another lane is at work */
    must(&s, proact_event_wait(m, &s.err));
    assert_int_equal(fake_state(s.p->set)->waits, before + 1);
    proact_close(s.p);
}

/* What went wrong in the midst of a call is said by the next wait, which a read is. */
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
        cmocka_unit_test(where_one_lane_did_all_it_alone_is_waited_for),
        cmocka_unit_test(where_others_did_some_all_are_waited_for),
        cmocka_unit_test(of_streams_the_one_in_use_is_waited_for),
        cmocka_unit_test(an_event_alone_is_waited_for),
        cmocka_unit_test(deferred_failures_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
