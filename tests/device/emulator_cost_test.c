/* SPDX-License-Identifier: Apache-2.0 */
/* The optional keys of a machine file: what each of them makes take longer, and how much.
 */
#include "device/emulator_testing.h"
#include "model/model.h"

enum { MEGABYTE = 1 << 20, BIG = 16 * MEGABYTE, CALLS = 50 };

static void near_to(double measured, double expected, double share)
{
    if (measured < expected * (1 - share) || measured > expected * (1 + share))
        fail_msg("%.0f, not %.0f within %.0f %%", measured, expected, 100 * share);
}

static struct device_event *event_of(struct emulator_rig *r, unsigned device)
{
    struct device_event *e;

    emulator_must(r, r->b->event_create(r->set, device, false, &e, &r->err));
    return e;
}

static void calls_take_the_hosts_time(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_prepare(&r, 2);
    r.topology.device.call_host_us = 5;
    r.topology.device.copy_host_us = 20;
    emulator_start(&r);
    device_addr a = emulator_words(&r, 0, 1), b = emulator_words(&r, 1, 1);
    struct device_event *e = event_of(&r, 0);
    uint64_t before = r.b->now_ns(r.set);

    for (int i = 0; i < CALLS; i++)
        emulator_must(&r, r.b->record(r.stream[0][0], e, &r.err));
    emulator_sync(&r);
    near_to(emulator_since(&r, before), CALLS * 5e3, 0.02);
    before = r.b->now_ns(r.set);
    for (int i = 0; i < CALLS; i++)
        emulator_must(&r, r.b->copy(r.stream[0][0], b, a, 4, &r.err));
    emulator_sync(&r);
    near_to(emulator_since(&r, before), CALLS * 20e3, 0.02);
    emulator_close(&r);
}

/* Two streams wait for each other in turn. */
static double rally_ns(unsigned from, unsigned to, double event_us, double event_here_us)
{
    struct emulator_rig r;

    emulator_prepare(&r, 2);
    r.topology.device.event_us = event_us;
    r.topology.device.event_here_us = event_here_us;
    emulator_start(&r);
    struct device_stream *s[2] = {r.stream[from][0], r.stream[to][1]};
    struct device_event *e[2] = {event_of(&r, from), event_of(&r, to)};
    uint64_t before = r.b->now_ns(r.set);

    for (int i = 0; i < CALLS; i++) {
        emulator_must(&r, r.b->record(s[i % 2], e[i % 2], &r.err));
        emulator_must(&r, r.b->wait_event(s[1 - i % 2], e[i % 2], &r.err));
    }
    emulator_sync(&r);
    double ns = emulator_since(&r, before) / CALLS;

    emulator_close(&r);
    return ns;
}

static void events_take_their_time(void **state)
{
    (void)state;
    near_to(rally_ns(0, 1, 0, 0), 1000, 0.02); /* the link's */
    near_to(rally_ns(0, 1, 6, 0), 7000, 0.02);
    near_to(rally_ns(0, 1, 6, 2), 7000, 0.05);
    near_to(rally_ns(0, 0, 6, 2), 2000, 0.06);
}

static void a_kernel_behind_a_kernel_begins_sooner(void **state)
{
    const struct contract_parameters p = emulator_parameters("w", 5000);
    double ns[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct emulator_rig r;

        emulator_prepare(&r, 1);
        r.topology.device.launch_next_us = i;
        emulator_start(&r);
        uint64_t before = r.b->now_ns(r.set);

        for (int k = 0; k < 10; k++)
            emulator_run(&r, 0, 0, "busy", 1, 32, &p);
        emulator_sync(&r);
        ns[i] = emulator_since(&r, before);
        emulator_close(&r);
    }
    near_to(ns[0] - ns[1], 9 * 2000, 0.01); /* 3 us and 1; the first finds nobody */
}

/* The first two devices send to the third; then, if `more`, the first to the fourth. */
static double meeting_ns(double copy_meeting, bool more)
{
    struct emulator_rig r;

    emulator_prepare(&r, 4);
    r.topology.fabric.egress_gbps = r.topology.fabric.ingress_gbps = 50;
    r.topology.fabric.copy_meeting = copy_meeting;
    emulator_start(&r);
    device_addr to[2] = {emulator_words(&r, 2, BIG / 4), emulator_words(&r, 2, BIG / 4)};
    device_addr from[2] = {emulator_words(&r, 0, BIG / 4), emulator_words(&r, 1, BIG / 4)};
    device_addr last = emulator_words(&r, 3, BIG / 4);
    uint64_t before = r.b->now_ns(r.set);

    for (unsigned d = 0; d < 2; d++)
        emulator_must(&r, r.b->copy(r.stream[d][0], to[d], from[d], BIG, &r.err));
    if (more)
        emulator_must(&r, r.b->copy(r.stream[0][0], last, from[0], BIG, &r.err));
    emulator_sync(&r);
    double ns = emulator_since(&r, before);

    emulator_close(&r);
    return ns;
}

static void copies_that_meet_cost_each_other(void **state)
{
    struct topology t;

    (void)state;
    emulator_machine(&t, 4);
    double alone = model_wire_bytes(&t.fabric, MODEL_COPY_ENGINE, BIG, BIG) / 50;

    near_to(meeting_ns(0, false), 2 * alone, 0.05);
    near_to(meeting_ns(2, false), 4 * alone, 0.05);
    /* Who is held up at one receiver comes later to the next. */
    near_to(meeting_ns(0, true), 3 * alone, 0.05);
    near_to(meeting_ns(2, true), 5 * alone, 0.1);
}

/* One stream sends small copies to two peers in turn. */
static void a_turn_to_another_peer_takes_longer(void **state)
{
    double ns[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct emulator_rig r;

        emulator_prepare(&r, 3);
        r.topology.fabric.copy_turn_us = i ? 9 : 0;
        emulator_start(&r);
        device_addr from = emulator_words(&r, 0, 64);
        device_addr to[2] = {emulator_words(&r, 1, 64), emulator_words(&r, 2, 64)};
        uint64_t before = r.b->now_ns(r.set);

        for (int k = 0; k < CALLS; k++)
            emulator_must(&r, r.b->copy(r.stream[0][0], to[k % 2], from, 256, &r.err));
        emulator_sync(&r);
        ns[i] = emulator_since(&r, before);
        emulator_close(&r);
    }
    near_to(ns[1] - ns[0], CALLS * 6e3, 0.05); /* 9 us and 3 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_take_the_hosts_time),
        cmocka_unit_test(events_take_their_time),
        cmocka_unit_test(a_kernel_behind_a_kernel_begins_sooner),
        cmocka_unit_test(copies_that_meet_cost_each_other),
        cmocka_unit_test(a_turn_to_another_peer_takes_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
