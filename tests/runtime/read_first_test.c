/* SPDX-License-Identifier: Apache-2.0 */
/* Whom proact_first_read() waits for, on a pretend device: each wait counts, that for the
   copy itself as well. */
#include <proact/program.h>

#include "runtime/stage.h"

static unsigned waits_of_a_read(struct stage *s)
{
    uint32_t word;
    unsigned before = fake_state(s->p->set)->waits;

    must(s, proact_first_read(s->p, &word, proact_array_address(s->a, 0), sizeof word,
                              &s->err));
    return fake_state(s->p->set)->waits - before;
}

static void where_one_lane_did_all_it_alone_is_waited_for(void **state)
{
    struct stage s;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    must(&s, proact_wait(s.p, &s.err));
    must(&s, proact_first_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
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
    must(&s, proact_first_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    must(&s, proact_array_spread(s.a, &s.err));
    assert_int_equal(waits_of_a_read(&s), 2);
    assert_int_equal(waits_of_a_read(&s), 1); /* they have been */
    proact_close(s.p);
}

/* What went wrong in the midst of a call is said by the next wait, which a read is. */
static void what_was_kept_is_said(void **state)
{
    struct stage s;
    uint32_t word;

    (void)state;
    raise_curtain(&s, "bulk", 2);
    fake_state(s.p->set)->breaks = PROACT_EFAULT;
    session_settle(s.p);
    assert_int_equal(
        proact_first_read(s.p, &word, proact_array_address(s.a, 0), sizeof word, &s.err),
        PROACT_EFAULT);
    assert_string_equal(s.err.text, "broken as told");
    proact_close(s.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_one_lane_did_all_it_alone_is_waited_for),
        cmocka_unit_test(where_others_did_some_all_are_waited_for),
        cmocka_unit_test(what_was_kept_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
