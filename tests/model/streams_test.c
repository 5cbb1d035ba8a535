/* SPDX-License-Identifier: Apache-2.0 */
/* Copies on streams against times computed by hand, and the engine of a machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/predict.h"

static void streams_check(const char *what, double got, double expected)
{
    if (fabs(got - expected) > 1e-6 * fabs(expected) + 1e-9)
        fail_msg("%s: %.9g, expected %.9g", what, got, expected);
}

/* 1000 bytes take 500 ns on the link, and 100 in the engine and in the port. */
static struct model_engine engine_of(unsigned streams, unsigned receivers)
{
    struct model_engine e = {.streams = streams,
                             .first_ns = 5000,
                             .start_ns = 2000,
                             .latency_ns = 1000,
                             .engine_ns = 0.1,
                             .port_ns = 0.1,
                             .receivers = receivers};

    for (unsigned i = 0; i < receivers; i++)
        e.to[i] = (struct model_engine_to){.share = 1, .link_ns = 0.5};
    return e;
}

/* The engine is idle when a stream continues, which waits for two latencies. Copies of one
   chunk follow each other without that. */
static void one_stream_waits_for_acknowledgements(void **state)
{
    struct model_engine e = engine_of(1, 1);

    (void)state;
    streams_check("one receiver", model_engine_period_ns(&e, 1000), 5000 + 500 + 2000);
    e = engine_of(1, 2);
    streams_check("two receivers", model_engine_period_ns(&e, 1000),
                  5000 + 500 + 2000 + 500 + 2000);
    e.turn_ns = 7000; /* each copy goes to another receiver than the one before */
    streams_check("turns", model_engine_period_ns(&e, 1000), 2 * (7000 + 500) + 2000);
    e = engine_of(1, 1);
    e.to[0].path_ns = 0.3; /* a bridge after the link */
    streams_check("bridge", model_engine_period_ns(&e, 1000), 5000 + 500 + 300 + 2000);
    e.to[0].share = 0.5;
    streams_check("share", model_engine_period_ns(&e, 1000), 5000 + 400 + 2000);
}

/* Short copies of two streams begin together, and are acknowledged together. Long ones keep
   the engine busy: the start of every second one precedes the bytes of the other stream. */
static void two_streams_share_the_engine(void **state)
{
    const struct model_engine e = engine_of(2, 1);

    (void)state;
    streams_check("short", model_engine_period_ns(&e, 1000),
                  (5000 + 2000 + 500 + 2000) / 2.);
    streams_check("long", model_engine_period_ns(&e, 200000), 200000 * 0.5 + 2000 / 2.);
}

/* Devices of two groups share the bridge between them. */
static void senders_share_a_bridge(void **state)
{
    struct topology t;
    struct proact_error err = {""};
    struct model_problem p = {.senders = 1, .bytes = 1 << 20};
    const double wire = 280 / 256.;

    (void)state;
    if (topology_load("k40x4", &t, &err))
        fail_msg("%s", err.text);
    struct model_engine e = model_engine_to_all(&t, &p, 1 << 20);

    assert_int_equal(e.receivers, 3);
    streams_check("link", e.to[0].link_ns, wire / 8);
    streams_check("no bridge", e.to[0].path_ns, 0);
    streams_check("bridge", e.to[1].path_ns, wire / 6);
    assert_int_equal(e.to[1].path, e.to[2].path);
    p.senders = 4;
    e = model_engine_to_all(&t, &p, 1 << 20);
    streams_check("two senders", e.to[1].path_ns, 2 * wire / 6);
}

/* All chunks are complete at the end of the kernel: the last of two chunks of one stream
   follows the first after a period. */
static void chunks_follow_the_kernel(void **state)
{
    struct model_candidate c = {.kernel_ns = 10000,
                                .waves = 1,
                                .in_waves = true,
                                .bytes = 2000,
                                .receivers = 1,
                                .chunks = {1000, 0},
                                .engine = engine_of(1, 1)};

    (void)state;
    streams_check("two chunks", model_candidate_time(&c).ns, 10000 + 2 * 7500);
    c.queue_ns = 30000; /* the host queues the second one late */
    streams_check("host", model_candidate_time(&c).ns, 60000 + 7500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stream_waits_for_acknowledgements),
        cmocka_unit_test(two_streams_share_the_engine),
        cmocka_unit_test(senders_share_a_bridge),
        cmocka_unit_test(chunks_follow_the_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
