/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of mechanisms on machines against values computed by hand from their keys. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/predict.h"

static struct topology predict_machine(const char *name)
{
    struct topology t;
    struct proact_error err = {""};

    if (topology_load(name, &t, &err))
        fail_msg("%s", err.text);
    return t;
}

static void check_value(const char *what, double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * fabs(expected) + 1e-9)
        fail_msg("%s: %.12g, expected %.12g", what, got, expected);
}

/* Copies have 256 bytes of payload per packet, SMs 128. */
static void links_limit_all_receivers(void **state)
{
    const struct topology v100 = predict_machine("v100x4"),
                          p100 = predict_machine("p100x4"), k40 = predict_machine("k40x4");
    const struct model_problem one = {.senders = 1}, all = {.senders = 4};
    const double v = 267.2 / 256, p = 280.2 / 256, k = 280. / 256;
    const uint64_t run = 1 << 20;

    (void)state;
    /* one link after another; all links at once, as fast as the egress */
    check_value("v100, serial", model_gap_to_all(&v100, &one, MODEL_COPY_ENGINE, 1, run),
                3 * v / 50);
    check_value("v100, at once", model_gap_to_all(&v100, &one, MODEL_COPY_ENGINE, 0, run),
                v / 50);
    check_value("v100, SM", model_gap_to_all(&v100, &one, MODEL_SM, 0, 128),
                144 / 128. / 50);
    /* one link of 40 and two of 20 */
    check_value("p100, serial", model_gap_to_all(&p100, &one, MODEL_COPY_ENGINE, 1, run),
                p * (1 / 40. + 2 / 20.));
    check_value("p100, at once", model_gap_to_all(&p100, &one, MODEL_COPY_ENGINE, 0, run),
                p / 20);
    /* two senders of a group to two receivers of the other share a bridge of 6 */
    check_value("k40, all to all", model_gap_to_all(&k40, &all, MODEL_COPY_ENGINE, 0, run),
                4 * k / 6);
    check_value("k40, one to all", model_gap_to_all(&k40, &one, MODEL_COPY_ENGINE, 0, run),
                3 * k / 8);
}

/* All devices send to device 0, whose port receives the bytes of three; and all devices
   send to all others over one bus. */
static void arrivals_and_a_bus_limit_senders(void **state)
{
    const struct topology h200 = predict_machine("h200x4"),
                          bus = predict_machine(PROACT_SOURCE "/tests/runtime/bus.json");
    const uint64_t run = 1 << 20;
    const uint64_t to_first[16] = {[4] = run, [8] = run, [12] = run};
    const struct model_problem gather = {.bytes = run, .sent = to_first};
    const struct model_problem all = {.bytes = run};
    const unsigned n = bus.device_count;

    (void)state;
    check_value("h200, all to one",
                model_gap_to_all(&h200, &gather, MODEL_COPY_ENGINE, 0, run),
                3 * model_wire_bytes(&h200.fabric, MODEL_COPY_ENGINE, run, run) /
                    (double)run / h200.fabric.ingress_gbps);
    assert_true(bus.fabric.shared_bus);
    check_value("bus, all to all", model_gap_to_all(&bus, &all, MODEL_COPY_ENGINE, 0, run),
                n * (n - 1) * model_wire_bytes(&bus.fabric, MODEL_COPY_ENGINE, run, run) /
                    (double)run / bus.fabric.egress_gbps);
}

static void bulk_adds_its_copies(void **state)
{
    const struct topology t = predict_machine("h200x4");
    const struct model_problem p = {
        .senders = 1, .bytes = 1 << 20, .ctas = 256, .kernel_ns = 100000};
    const struct model_plan plan = {.who = MODEL_SEND_COPY};
    const struct model_candidate c = model_candidate_of(&t, &p, &plan);
    const struct model_time time = model_candidate_time(&c);
    const double copy = (1 << 20) * (268 / 256.) / 412;

    (void)state;
    check_value("begin", c.begin_ns, 2500 + 6250);
    check_value("kernel", c.kernel_ns, 100000 - 8750);
    /* the engine is idle once, and turns to another receiver twice */
    check_value("time", time.ns, 100000 + 3300 + 2 * 3400 + 3 * copy + 1200);
    check_value("copies alone", model_copies_ns(&t, &p), 3300 + 2 * 3400 + 3 * copy + 1200);
}

static void counting_and_agents_take_time(void **state)
{
    const struct topology h200 = predict_machine("h200x4"), k40 = predict_machine("k40x4");
    struct model_problem p = {
        .senders = 1, .bytes = 8 << 20, .ctas = 2048, .kernel_ns = 200000};
    struct model_plan plan = {.who = MODEL_SEND_UNIT, .chunks = {1 << 16, 0}};
    const double count = 700 + 2 * 200 + 60 * 4 / 1.9;
    struct model_candidate c = model_candidate_of(&h200, &p, &plan);

    (void)state;
    check_value("waves", c.waves, 2048 / 1056.);
    check_value("length", c.length, 2048 / 1056.);
    check_value("the unit counts", c.kernel_ns, 200000 - 8750);
    plan.who = MODEL_SEND_FUSED;
    c = model_candidate_of(&h200, &p, &plan);
    check_value("CTAs count in each wave", c.kernel_ns, 200000 - 8750 + 2 * count);
    assert_int_equal(c.lanes, MODEL_LANES_MAX);
    plan.who = MODEL_SEND_AGENT;
    c = model_candidate_of(&h200, &p, &plan);
    check_value("8 CTAs of the agent take 32 places", c.waves, 2048 / 1024.);
    check_value("launch of the agent", c.begin_ns, 8750 + 6250 + 1000 + 2 * 640);
    check_value("a CTA of the agent", c.single.O, 1 / h200.fabric.sm_gbps_per_cta);
    plan.chunks.first_bytes = 1 << 20; /* for three receivers: all CTAs share it */
    c = model_candidate_of(&h200, &p, &plan);
    assert_int_equal(c.parts, 8);
    check_value("one of several CTAs", c.single.O, 1 / h200.fabric.sm_gbps_per_cta);
    plan.chunks.first_bytes = 1 << 16;
    p.in_waves = true;
    c = model_candidate_of(&h200, &p, &plan);
    check_value("whole waves", c.length, 2);
    p.ctas = 128; /* on 120 places: the last 8 CTAs take 9 x 4 / 64 of a wave */
    p.in_waves = false;
    plan.who = MODEL_SEND_UNIT;
    check_value("short wave", model_candidate_of(&k40, &p, &plan).length, 1 + 36 / 64.);
}

static void many_copies_wait_for_the_host(void **state)
{
    const struct topology t = predict_machine("h200x4");
    const struct model_problem p = {.bytes = 4 << 20, .ctas = 1024, .kernel_ns = 60000};
    struct model_plan plan = {.who = MODEL_SEND_COPY_WAIT, .chunks = {1 << 20, 0}};

    (void)state;
    /* 4 senders, 3 copies with a serial part of 2.85 us */
    check_value("few", model_candidate_of(&t, &p, &plan).queue_ns, 4 * 3 * 2850);
    plan.chunks.first_bytes = 1 << 14; /* 1024 operations of a device follow each other */
    check_value("many", model_candidate_of(&t, &p, &plan).queue_ns, 4 * (640 + 3 * 3550));
}

/* A receiver passes a chunk on after an event. Slow events delay the next chunk of the same
   receiver where few devices send; where all send, other chunks fill the time. */
static void a_relay_waits_for_its_receivers(void **state)
{
    struct topology t = predict_machine("v100x16");
    struct model_problem p = {.senders = 1, .bytes = 4 << 20, .ctas = 1024};
    const struct model_plan plan = {.who = MODEL_SEND_RELAY, .chunks = {1 << 16, 0}};
    const double wait_us = 500;
    const struct model_candidate one = model_candidate_of(&t, &p, &plan);

    (void)state;
    p.senders = t.device_count;
    const struct model_candidate all = model_candidate_of(&t, &p, &plan);

    t.device.event_us += wait_us;
    check_value("all", model_candidate_of(&t, &p, &plan).pipelined.g, all.pipelined.g);
    p.senders = 1;
    t.device.event_us += wait_us; /* the first wait is long enough to be the limit */
    const double first = one.pipelined.g,
                 second = model_candidate_of(&t, &p, &plan).pipelined.g;

    t.device.event_us += wait_us;
    assert_true(second > first);
    check_value("one", model_candidate_of(&t, &p, &plan).pipelined.g - second,
                1000 * wait_us / (t.device_count - 1));
}

static void methods_have_names(void **state)
{
    (void)state;
    assert_string_equal(model_method_name(MODEL_SEND_COPY_WAIT), "copy-engine");
    assert_string_equal(model_method_name(MODEL_SEND_BULK_STORE), "inline");
    assert_true(model_sends_chunks(MODEL_SEND_RELAY));
    assert_false(model_sends_chunks(MODEL_SEND_STORE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_limit_all_receivers),
        cmocka_unit_test(arrivals_and_a_bus_limit_senders),
        cmocka_unit_test(bulk_adds_its_copies),
        cmocka_unit_test(counting_and_agents_take_time),
        cmocka_unit_test(many_copies_wait_for_the_host),
        cmocka_unit_test(a_relay_waits_for_its_receivers),
        cmocka_unit_test(methods_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
