/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs with more branches than a device has hardware queues (cuda_branches.c). The fake
   driver (fake_cuda.h) refuses such a graph if it contains the driver's own fills or
   copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/fake_cuda_session.h"

enum { MANY = 20, LONG_FILL = 1 << 20 /* a fill by the driver; kernels need no queue */ };

/* A few hardware queues, streams of device 1 with an event each, and one stream of device
   0. */
struct crowd {
    struct device_set *set;
    struct device_stream *here, *there[MANY];
    struct device_event *come[MANY], *go;
    device_addr a;
};

static struct crowd gather(const char *settings)
{
    struct crowd c = {0};
    struct proact_error err = {""};

    fake_cuda_set_up(settings);
    assert_false(
        device_cuda.open(&(struct device_options){.wait_limit_ms = 400}, &c.set, &err));

    assert_false(device_cuda.stream_create(c.set, 0, &c.here, &err));
    assert_false(device_cuda.event_create(c.set, 0, false, &c.go, &err));
    assert_false(device_cuda.alloc(c.set, 1, LONG_FILL, &c.a, &err));
    for (unsigned i = 0; i < MANY; i++) {
        assert_false(device_cuda.stream_create(c.set, 1, &c.there[i], &err));
        assert_false(device_cuda.event_create(c.set, 1, false, &c.come[i], &err));
    }
    assert_false(device_cuda.capture_begin(c.set, &err));
    return c;
}

static void replay_twice(struct crowd *c)
{
    struct proact_error err = {""};
    struct device_graph *g = NULL;

    for (unsigned i = 0; i < MANY; i++)
        assert_false(device_cuda.wait_event(c->here, c->come[i], &err));
    assert_int_equal(device_cuda.capture_end(c->set, &g, &err), PROACT_OK);
    for (int again = 0; again < 2; again++)
        assert_false(device_cuda.graph_launch(g, &err));
    assert_false(device_cuda.synchronize(c->set, &err));
    assert_false(device_cuda.check_timeouts(c->set, &err));
    device_cuda.graph_destroy(g);
}

static void done(struct crowd *c)
{
    device_cuda.close(c->set);
    assert_int_equal(fake_cuda_still_left(), 0);
}

/* Many streams whose first operation is a record do not need a queue each. */
static void initial_signals_are_one_kernel(void **state)
{
    struct crowd c = gather("CUDA_DEVICE_MAX_CONNECTIONS=2");
    struct proact_error err = {""};

    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        assert_false(device_cuda.record(c.there[i], c.come[i], &err));
    assert_false(device_cuda.fill(c.there[0], c.a, 1, LONG_FILL, &err));
    replay_twice(&c);
    done(&c);
}

/* The first launch of a graph does not send it to its device. */
static void graphs_are_sent_when_they_are_made(void **state)
{
    struct crowd c = gather("");
    struct proact_error err = {""};
    struct device_graph *g;

    (void)state;
    assert_false(device_cuda.capture_begin(c.set, &err));
    assert_false(device_cuda.fill(c.there[0], c.a, 1, LONG_FILL, &err));
    assert_false(device_cuda.capture_end(c.set, &g, &err));
    assert_int_equal(fake_cuda_calls_of("cuGraphUpload"), 1);
    assert_int_equal(fake_cuda_calls_of("cuGraphInstantiateWithFlags"), 1);
    device_cuda.graph_destroy(g);
    done(&c);
}

/* A graph waits for the streams that may have work, and not for those that the host has
   waited for. */
static void complete_streams_are_not_joined(void **state)
{
    struct crowd c = gather("");
    struct proact_error err = {""};
    struct device_graph *g;
    unsigned joins[2];

    (void)state;
    assert_false(device_cuda.fill(c.there[0], c.a, 1, LONG_FILL, &err));
    assert_false(device_cuda.capture_end(c.set, &g, &err));
    for (int waits = 0; waits < 2; waits++) {
        for (unsigned i = 0; i < MANY; i++)
            assert_false(device_cuda.fill(c.there[i], c.a, 1, LONG_FILL, &err));
        if (waits)
            assert_false(device_cuda.synchronize(c.set, &err));
        const unsigned before = fake_cuda_calls_of("cuStreamWaitEvent");

        assert_false(device_cuda.graph_launch(g, &err));
        joins[waits] = fake_cuda_calls_of("cuStreamWaitEvent") - before;
    }
    assert_int_equal(joins[0], joins[1] + MANY);
    device_cuda.graph_destroy(g);
    done(&c);
}

/* Each stream waits for the other device, fills, and signals it. */
static void streams_share_queues(void **state)
{
    static const char *const settings[] = {"CUDA_DEVICE_MAX_CONNECTIONS=1",
                                           "CUDA_DEVICE_MAX_CONNECTIONS=4", ""};

    (void)state;
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        struct crowd c = gather(settings[n]);
        struct proact_error err = {""};
        unsigned char last;

        for (unsigned i = 0; i < MANY; i++) {
            assert_false(device_cuda.record(c.here, c.go, &err));
            assert_false(device_cuda.wait_event(c.there[i], c.go, &err));
            assert_false(
                device_cuda.fill(c.there[i], c.a, (unsigned char)i, LONG_FILL, &err));
            assert_false(device_cuda.record(c.there[i], c.come[i], &err));
            assert_false(device_cuda.wait_event(c.here, c.come[i], &err));
        }
        replay_twice(&c);
        assert_false(device_cuda.read(c.there[0], &last, c.a + LONG_FILL - 1, 1, &err));
        assert_int_equal(last, MANY - 1);
        done(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_signals_are_one_kernel),
        cmocka_unit_test(graphs_are_sent_when_they_are_made),
        cmocka_unit_test(complete_streams_are_not_joined),
        cmocka_unit_test(streams_share_queues),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
