/* SPDX-License-Identifier: Apache-2.0 */
/* <proact/interop.h> on a fake device: the order between the session and external work, and
   the broadcasts afterwards. */
#include <proact/interop.h>

#include "runtime/session/array_order.h"
#include "runtime/stage.h"

static struct stage two_devices(void)
{
    struct stage s;

    raise_curtain(&s, "bulk", 2);
    fake_forget(s.p->set);
    return s;
}

static void interop_runs_between_earlier_and_later_work(void **state)
{
    (void)state;
    struct stage s = two_devices();
    struct proact_array *written[] = {s.a};

    must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    must(&s, proact_array_broadcast(s.a, &s.err));
    fake_forget(s.p->set);
    must(&s, proact_interop_begin(s.p, &s.err));
    /* Also orders outgoing transfers. */
    expect(&s, "wait 0.0 for 0.1\ninterop begin 0.0\n");
    must(&s, proact_interop_begin(s.p, &s.err));
    expect(&s, ""); /* the order exists already */
    must(&s, proact_interop_end(s.p, &(struct proact_interop_writes){written, 1, false},
                                &s.err));
    expect(&s, "interop end 0.0\nrecord 0.0\n");
    must(&s, proact_interop_begin(s.p, &s.err)); /* possibly from another stream */
    expect(&s, "interop begin 0.0\n");
    proact_close(s.p);
}

static void interop_is_ordered_with_every_stream(void **state)
{
    (void)state;
    struct stage s = two_devices();

    must(&s, proact_stream_set_current(s.p, 1, &s.err));
    must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    must(&s, proact_stream_set_current(s.p, 0, &s.err));
    fake_forget(s.p->set);
    must(&s, proact_interop_begin(s.p, &s.err));
    expect(&s, "record 0.2\nwait 0.0 for 0.2\ninterop begin 0.0\n");
    must(&s, proact_stream_set_current(s.p, 1, &s.err));
    must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    must(&s, proact_interop_end(s.p, &(struct proact_interop_writes){.all_arrays = true},
                                &s.err));
    fake_forget(s.p->set);
    must(&s, proact_device0_fill(s.p, proact_array_address(s.a, 0), 1, 8, &s.err));
    expect(&s, "record 0.0\nwait 0.2 for 0.0\nfill 0.2 12000@0+0 for 8\n");
    proact_close(s.p);
}

static void only_ranges_written_by_interop_are_broadcast(void **state)
{
    (void)state;
    struct stage s = two_devices();
    struct proact_array *written[] = {s.b};

    must(&s, proact_interop_begin(s.p, &s.err));
    must(&s, proact_interop_end(s.p, &(struct proact_interop_writes){written, 1, false},
                                &s.err));
    fake_forget(s.p->set);
    must(&s, proact_array_broadcast(s.a, &s.err));
    expect(&s, "");
    must(&s, proact_array_broadcast(s.b, &s.err));
    expect(&s, "wait 0.1 for 0.0\ncopy 0.1 8000@0+0 > 8000@1+0 for 8000\nrecord 0.1\n");
    must(&s, proact_array_broadcast(s.b, &s.err));
    expect(&s, "");

    must(&s, proact_interop_begin(s.p, &s.err));
    must(&s, proact_interop_end(s.p, &(struct proact_interop_writes){.all_arrays = true},
                                &s.err));
    fake_forget(s.p->set);
    must(&s, proact_array_broadcast(s.a, &s.err));
    expect(&s, "wait 0.1 for 0.0\ncopy 0.1 12000@0+0 > 12000@1+0 for 12000\nrecord 0.1\n");
    must(&s, proact_array_broadcast(s.b, &s.err));
    expect(&s, "copy 0.1 8000@0+0 > 8000@1+0 for 8000\nrecord 0.1\n");
    proact_close(s.p);
}

/* A peer's transfer into any array waits for external work, also if the program named no
   written array. */
static void unnamed_arrays_are_ordered_with_interop(void **state)
{
    (void)state;
    struct stage s = two_devices();
    const struct order_place peer = {1, TRANSFER_SIDE};

    must(&s, proact_interop_begin(s.p, &s.err));
    must(&s, proact_interop_end(s.p, &(struct proact_interop_writes){.count = 0}, &s.err));
    fake_forget(s.p->set);
    must(&s, array_await_peers(s.p, s.a, peer, 1, &s.err));
    expect(&s, "wait 1.1 for 0.0\n");
    proact_close(s.p);
}

static void an_emulated_machine_has_no_interop(void **state)
{
    (void)state;
    struct proact *p = NULL;
    struct proact_error err = {""};
    void *stream = NULL;

    assert_int_equal(proact_open(&(struct proact_options){.machine = "v100x4"}, &p, &err),
                     PROACT_OK);
    assert_int_equal(proact_interop_begin(p, &err), PROACT_EREFUSED);
    assert_string_equal(
        err.text, "machine 'v100x4' is emulated: libraries for GPUs cannot run there");
    assert_int_equal(proact_interop_stream_create(p, &stream, &err), PROACT_EREFUSED);
    assert_null(stream);
    proact_close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interop_runs_between_earlier_and_later_work),
        cmocka_unit_test(interop_is_ordered_with_every_stream),
        cmocka_unit_test(only_ranges_written_by_interop_are_broadcast),
        cmocka_unit_test(unnamed_arrays_are_ordered_with_interop),
        cmocka_unit_test(an_emulated_machine_has_no_interop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
