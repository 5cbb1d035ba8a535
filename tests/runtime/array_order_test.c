/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that precede the use or the sending of an array: on every operation that concerns
   the array, and on no other. The device is a fake with four devices. */
#include "runtime/objects/array.h"
#include "runtime/session/array_order.h"
#include "runtime/stage.h"
#include "transfer/transfer.h"

enum { A = 1, B = 2, C = 4, D = 8 }; /* sets of devices */

/* Each stream of each device has recorded the operations 1, 2, ... of the session. */
static struct stage begin(void)
{
    struct stage s;

    raise_curtain(&s, "bulk", 4);
    must(&s, proact_wait(s.p, &s.err));
    for (int n = 0; n < 4; n++) {
        uint64_t sequence = ++s.p->sequence;

        for (unsigned d = 0; d < 4; d++)
            for (int lane = 0; lane < TRANSFER_LANES; lane++)
                must(&s, order_record(&s.p->order,
                                      (struct order_place){d, (enum transfer_lane)lane},
                                      sequence, &s.err));
    }
    fake_forget(s.p->set);
    return s;
}

static const struct order_place main_of_1 = {1, TRANSFER_MAIN};
static const struct order_place side_of_1 = {1, TRANSFER_SIDE};

static void a_reader_waits_for_received_transfers(void **state)
{
    struct stage s = begin();

    (void)state;
    array_account_sent(s.a, 0, B | C, TRANSFER_SIDE, s.p->sequence, NULL);
    array_account_sent(s.a, 2, A | D, TRANSFER_MAIN, s.p->sequence, NULL);
    array_account_sent(s.a, 1, A, TRANSFER_SIDE, s.p->sequence, NULL);
    must(&s, array_await(s.p, s.a, main_of_1, false, &s.err));
    expect(&s, "wait 1.0 for 0.1\n");
    must(&s, array_await(s.p, s.b, main_of_1, true, &s.err)); /* another array */
    expect(&s, "");
    proact_close(s.p);
}

static void a_writer_also_waits_for_outgoing_transfers(void **state)
{
    struct stage s = begin();

    (void)state;
    array_account_sent(s.a, 1, C, TRANSFER_SIDE, s.p->sequence, NULL);
    must(&s, array_await(s.p, s.a, main_of_1, false, &s.err));
    expect(&s, "");
    must(&s, array_await(s.p, s.a, main_of_1, true, &s.err));
    expect(&s, "wait 1.0 for 1.1\n");
    proact_close(s.p);
}

static void a_sender_waits_for_readers_on_the_target(void **state)
{
    struct stage s = begin();

    (void)state;
    s.a->used = s.p->sequence;
    must(&s, array_await_peers(s.p, s.a, side_of_1, 0, &s.err));
    expect(&s, "");
    must(&s, array_await_peers(s.p, s.a, side_of_1, C, &s.err));
    expect(&s, "wait 1.1 for 1.0\nwait 1.1 for 2.0\n");
    proact_close(s.p);
}

/* A sender waits for the transfers that fill or forward the target's replica. */
static void a_sender_waits_for_other_transfers_on_the_target(void **state)
{
    struct stage s = begin();

    (void)state;
    array_account_sent(s.a, 2, D, TRANSFER_SIDE, s.p->sequence, NULL);
    must(&s, array_await_peers(s.p, s.a, main_of_1, C, &s.err));
    expect(&s, "wait 1.0 for 2.1\n");
    array_account_sent(s.a, 0, C, TRANSFER_MAIN, s.p->sequence, NULL);
    array_account_sent(s.a, 3, A, TRANSFER_MAIN, s.p->sequence, NULL);
    must(&s, array_await_peers(s.p, s.a, main_of_1, C, &s.err));
    expect(&s, "wait 1.0 for 0.0\n");
    must(&s, array_await_peers(s.p, s.a, main_of_1, A, &s.err));
    expect(&s, "wait 1.0 for 3.0\n");
    proact_close(s.p);
}

/* A partition whose writes no other device reads waits for no other device. */
static void a_launch_that_sends_nothing_does_not_wait(void **state)
{
    struct stage s = begin();

    (void)state;
    s.p->last_sent = 0;
    array_account_sent(s.a, 0, 0, TRANSFER_MAIN, s.p->sequence, NULL);
    assert_int_equal(s.p->last_sent, 0);
    for (unsigned d = 0; d < 4; d++) {
        const struct order_place relocation = {d, TRANSFER_MAIN};

        must(&s, array_await(s.p, s.a, relocation, true, &s.err));
        must(&s, array_await_peers(s.p, s.a, relocation, 0, &s.err));
    }
    expect(&s, "");
    proact_close(s.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_waits_for_received_transfers),
        cmocka_unit_test(a_writer_also_waits_for_outgoing_transfers),
        cmocka_unit_test(a_sender_waits_for_readers_on_the_target),
        cmocka_unit_test(a_sender_waits_for_other_transfers_on_the_target),
        cmocka_unit_test(a_launch_that_sends_nothing_does_not_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
