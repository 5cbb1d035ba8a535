/* SPDX-License-Identifier: Apache-2.0 */
/* Times of candidates against values computed by hand and against the schedule of
   copy-engine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/candidate.h"

static void check_time(const char *what, double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * fabs(expected) + 1e-6)
        fail_msg("%s: %.12g ns, expected %.12g", what, got, expected);
}

static double candidate_sum(const struct model_time *t)
{
    double sum = 0;

    for (int i = 0; i < MODEL_TERMS; i++)
        sum += t->term[i];
    return sum;
}

/* 4 chunks of 100 bytes; a kernel of 1000 ns completes one every 250 ns. */
static struct model_candidate four_chunks(void)
{
    return (struct model_candidate){.kernel_ns = 1000,
                                    .bytes = 400,
                                    .receivers = 1,
                                    .chunks = {100, 0},
                                    .single = {.L = 7, .o = 20, .G = 1, .S = 3},
                                    .pipelined = {.L = 7, .o = 5, .G = 1, .S = 3},
                                    .wait_ns = 11};
}

static void last_chunk_is_exposed(void **state)
{
    const struct model_candidate c = four_chunks();
    const struct model_time t = model_candidate_time(&c);

    (void)state;
    /* each chunk leaves before the next is complete */
    check_time("time", t.ns, 1000 + 11 + 20 + 100 + 10);
    check_time("readiness", t.term[MODEL_TERM_READINESS], 1000);
    check_time("wait", t.term[MODEL_TERM_WAIT], 11);
    check_time("start", t.term[MODEL_TERM_START], 20);
    check_time("wire", t.term[MODEL_TERM_WIRE], 100);
    check_time("tail", t.term[MODEL_TERM_TAIL], 10);
    assert_int_equal(t.chunks, 4);
}

static void slow_link_is_the_path(void **state)
{
    struct model_candidate c = four_chunks();

    (void)state;
    c.single.G = c.pipelined.G = 10; /* a chunk takes 1000 ns */
    struct model_time t = model_candidate_time(&c);

    check_time("time", t.ns, 250 + 11 + 20 + 4 * 1000 + 3 * 5 + 10);
    check_time("readiness", t.term[MODEL_TERM_READINESS], 250);
    check_time("start", t.term[MODEL_TERM_START], 20 + 3 * 5);
    check_time("sum", candidate_sum(&t), t.ns);
    c.receivers = 2;
    t = model_candidate_time(&c);
    check_time("two receivers", t.ns, 250 + 11 + 20 + 8 * 1000 + 7 * 5 + 10);
}

static void waves_delay_chunks(void **state)
{
    struct model_candidate c = four_chunks();

    (void)state;
    c.in_waves = true;
    c.waves = 1; /* all chunks complete at the end */
    struct model_time t = model_candidate_time(&c);

    check_time("one wave", t.ns, 1000 + 11 + 20 + 4 * 100 + 3 * 5 + 10);
    c.waves = 2;
    t = model_candidate_time(&c);
    check_time("two waves", t.ns, 1000 + 11 + 20 + 2 * 100 + 5 + 10);
    c.in_waves = false; /* the third chunk completes at 875, the fourth at 1000 */
    t = model_candidate_time(&c);
    check_time("drift", t.ns, 1000 + 11 + 20 + 100 + 10);
    c.pipelined.G = c.single.G = 5; /* from 500 on, the end of the first wave */
    t = model_candidate_time(&c);
    check_time("drift, slow link", t.ns, 500 + 11 + 20 + 4 * 500 + 3 * 5 + 10);
    c = four_chunks();
    c.lanes = 4;
    c.earliest_share = 0.9; /* no chunk leaves before 900 ns */
    t = model_candidate_time(&c);
    check_time("children", t.ns, 900 + 11 + 20 + 4 * 100 + 10);
    c.pipelined.g = 500; /* they are launched at 250, 750, 1250 and 1750 */
    t = model_candidate_time(&c);
    check_time("launches of children", t.ns, 1750 + 11 + 20 + 100 + 10);
}

static void lanes_send_at_once(void **state)
{
    struct model_candidate c = four_chunks();

    (void)state;
    c.waves = 1;
    c.lanes = 4;
    c.pipelined.o = 0;
    c.single.O = 10; /* a lane takes 1000 ns for a chunk, the link 100 */
    struct model_time t = model_candidate_time(&c);

    check_time("four lanes", t.ns, 1000 + 11 + 20 + 1000 + 10);
    c.lanes = 2;
    t = model_candidate_time(&c);
    check_time("two lanes", t.ns, 1000 + 11 + 20 + 2 * 1000 + 10);
    c.pipelined.o = 50; /* between the two messages of a lane */
    t = model_candidate_time(&c);
    check_time("two lanes with o'", t.ns, 1000 + 11 + 20 + 2 * 1000 + 50 + 10);
    c.single.g = 1500; /* between their starts */
    t = model_candidate_time(&c);
    check_time("two lanes with g", t.ns, 1000 + 11 + 20 + 1500 + 1000 + 10);
    c.single.g = c.pipelined.o = 0;
    c.lanes = 4;
    c.single.O = 1; /* now the link is the bottleneck */
    t = model_candidate_time(&c);
    check_time("link of four lanes", t.ns, 1000 + 11 + 20 + 4 * 100 + 10);
    c.pipelined.g = 150; /* between the starts of all messages */
    t = model_candidate_time(&c);
    check_time("gap", t.ns, 1000 + 11 + 20 + 3 * 150 + 100 + 10);
    c.pipelined.g = 0;
    c.receivers = 3;
    t = model_candidate_time(&c);
    check_time("receivers", t.ns, 1000 + 11 + 20 + 12 * 100 + 10);
    c.lanes = 12;
    c.parts = 3;
    c.single.O = 10; /* 12 messages of 100 bytes: 12 lanes at 0.1 B/ns pass the link */
    t = model_candidate_time(&c);
    check_time("parts", t.ns, 1000 + 11 + 20 + 12 * 100 + 10);
}

/* Two lanes share the link: the first has it alone until the second begins. */
static void lanes_share_the_link(void **state)
{
    struct model_candidate c = {.kernel_ns = 200,
                                .bytes = 200,
                                .receivers = 1,
                                .chunks = {100, 0},
                                .lanes = 2,
                                .single = {.O = 1, .G = 1},
                                .pipelined = {.O = 1, .G = 1}};
    struct model_time t = model_candidate_time(&c);

    (void)state;
    check_time("one after another", t.ns, 200 + 100);
    c.kernel_ns = 100; /* 50 bytes before 100 ns, then both at half the rate */
    t = model_candidate_time(&c);
    check_time("half at once", t.ns, 50 + 200);
    c.pipelined.G = 0.5;
    t = model_candidate_time(&c);
    check_time("link for two lanes", t.ns, 100 + 100);
}

static void host_queues_chunks(void **state)
{
    struct model_candidate c = four_chunks();

    (void)state;
    c.queue_ns = 600; /* the last chunk is queued at 2400 */
    const struct model_time t = model_candidate_time(&c);

    check_time("time", t.ns, 2400 + 11 + 20 + 100 + 10);
    check_time("host", t.term[MODEL_TERM_HOST], 2400);
    check_time("readiness", t.term[MODEL_TERM_READINESS], 0);
    check_time("sum", candidate_sum(&t), t.ns);
}

static void kernel_hides_sends(void **state)
{
    struct model_candidate c = four_chunks();

    (void)state;
    c.receivers = 0;
    c.tail_ns = 5;
    c.fetch_ns = 40;
    c.begin_ns = 60;
    struct model_time t = model_candidate_time(&c);

    check_time("no sends", t.ns, 1000 + 5 + 40 + 60);
    check_time("kernel", t.term[MODEL_TERM_KERNEL], 1000);
    check_time("sum", candidate_sum(&t), t.ns);
    c.host_ns = 5000;
    t = model_candidate_time(&c);
    check_time("host", t.ns, 5000);
    check_time("sum with host", candidate_sum(&t), 5000);
    t = model_single_time(1000, 200, 500);
    check_time("single", t.ns, 1200);
    t = model_single_time(1000, 200, 1500);
    check_time("single, host", t.ns, 1500);
    check_time("sum of single", candidate_sum(&t), 1500);
}

/* The closed form of copy-engine is the case of one lane without waves. */
static void schedule_is_a_case(void **state)
{
    const char *const names[] = {"h200x4", "v100x4", "p100x4", "k40x4"};
    const struct model_schedule schedules[] = {
        {1 << 20, 0}, {4 << 20, 0}, {64 << 20, 0}, {1 << 19, 1 << 20}, {1 << 20, 1 << 18}};

    (void)state;
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        struct topology t;
        struct proact_error err = {""};

        if (topology_load(names[m], &t, &err))
            fail_msg("%s", err.text);
        for (int k = 0; k < 25; k++) {
            const struct model_schedule *s = &schedules[k % 5];
            const struct model_copies copies = model_copies_of(
                &t, 2, 1 + (unsigned)k % 2 * 3, 48 << 20, 0.4 * (1 + k / 5));
            const double gap =
                fmax(copies.start_ns, (copies.wait_ns + copies.start_ns) / copies.streams);
            const struct model_candidate c = {
                .kernel_ns = copies.compute_ns,
                .bytes = copies.bytes,
                .receivers = 1,
                .chunks = *s,
                .single = {.o = copies.start_ns, .G = copies.ns_per_byte},
                .pipelined = {.o = gap, .G = copies.ns_per_byte},
                .wait_ns = copies.wait_ns};
            const double closed = model_schedule_ns(&copies, s);
            const double ns = model_candidate_time(&c).ns;

            if (fabs(ns - closed) > 1e-9 * closed)
                fail_msg("%s, schedule %d: %.9g ns, closed form %.9g", names[m], k, ns,
                         closed);
        }
    }
}

static void is_within(const char *what, double got, double expected, double share)
{
    if (fabs(got / expected - 1) > share)
        fail_msg("%s: %g ns, expected %g within %g %%", what, got, expected, 100 * share);
}

/* Groups of chunks take the time of their chunks, and their number does not matter. */
static void many_chunks_are_groups(void **state)
{
    enum { CHUNKS = 1 << 20, BYTES = 4096 };
    struct model_candidate c = {.kernel_ns = 1e6,
                                .bytes = (uint64_t)CHUNKS * BYTES,
                                .receivers = 1,
                                .chunks = {BYTES, 0},
                                .single = {.o = 20, .G = 1},
                                .pipelined = {.o = 500, .G = 1}};
    const double n = CHUNKS;
    struct model_time t = model_candidate_time(&c);

    (void)state;
    assert_int_equal(t.chunks, CHUNKS);
    is_within("one initiator", t.ns, n * (500 + BYTES), 0.01);
    c.pipelined.g = 2 * BYTES;
    t = model_candidate_time(&c);
    is_within("gaps", t.ns, n * (500 + 2 * BYTES), 0.01);
    c.queue_ns = 1e4;
    t = model_candidate_time(&c);
    is_within("host", t.ns, n * 1e4, 0.01);

    c.queue_ns = c.pipelined.g = 0;
    c.lanes = 8;
    c.single.O = 10; /* eight lanes of 10 ns a byte pass the link */
    t = model_candidate_time(&c);
    is_within("lanes", t.ns, n / 8 * (500 + 10.0 * BYTES), 0.01);
    c.lanes = 9;
    t = model_candidate_time(&c);
    is_within("nine lanes", t.ns, n / 9 * (500 + 10.0 * BYTES), 0.02);
    c.lanes = 8;
    c.single.g = 1e5;
    t = model_candidate_time(&c);
    is_within("gaps of a lane", t.ns, n / 8 * 1e5, 0.01);
    c.single.g = 0;
    c.pipelined.g = 1e5;
    t = model_candidate_time(&c);
    is_within("gaps of all lanes", t.ns, n * 1e5, 0.01);
}

static void formulas_of_the_parts(void **state)
{
    const struct model_loggop copy = {.o = 3000, .G = 0.5};
    const struct topology_device d = {.launch_host_us = 6, .copy_host_us = 2};

    (void)state;
    /* 10 of 40 CTAs, 4 at once: 3 of 10 waves */
    check_time("kernel", model_kernel_ns(1000, 10, 40, 4), 300);
    check_time("kernel without CTAs", model_kernel_ns(1000, 0, 0, 4), 0);
    check_time("fetch", model_fetch_ns(&copy, 2, 1000), 2 * 3000 + 500);
    check_time("host", model_host_ns(&d, 100, 2, 3), 100 + 12000 + 6000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_chunk_is_exposed),  cmocka_unit_test(slow_link_is_the_path),
        cmocka_unit_test(waves_delay_chunks),     cmocka_unit_test(lanes_send_at_once),
        cmocka_unit_test(lanes_share_the_link),   cmocka_unit_test(host_queues_chunks),
        cmocka_unit_test(kernel_hides_sends),     cmocka_unit_test(schedule_is_a_case),
        cmocka_unit_test(many_chunks_are_groups), cmocka_unit_test(formulas_of_the_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
