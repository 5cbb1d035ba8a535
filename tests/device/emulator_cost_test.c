/* SPDX-License-Identifier: Apache-2.0 */
/* Optional keys of a machine file: the cost that each of them adds. */
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

/* Time of one batch with `calls` copies on each of two devices, at 20 us of host time
   each. */
static double batch_us(double copy_lock_us, int calls)
{
    struct emulator_rig r;

    emulator_prepare(&r, 2);
    r.topology.device.copy_host_us = 20;
    r.topology.device.copy_lock_us = copy_lock_us;
    emulator_start(&r);
    device_addr at[2] = {emulator_words(&r, 0, 1), emulator_words(&r, 1, 1)};
    uint64_t before = r.b->now_ns(r.set);

    r.b->batch_begin(r.set);
    for (unsigned d = 0; d < 2; d++)
        for (int i = 0; i < calls; i++)
            emulator_must(&r, r.b->copy(r.stream[d][0], at[1 - d], at[d], 4, &r.err));
    emulator_must(&r, r.b->batch_end(r.set, &r.err));
    emulator_sync(&r);
    double us = emulator_since(&r, before) / 1e3;

    emulator_close(&r);
    return us;
}

static void threads_queue_in_parallel_except_for_a_lock(void **state)
{
    (void)state;
    near_to(batch_us(0, CALLS), CALLS * 20, 0.02);
    near_to(batch_us(15, CALLS), 2 * CALLS * 15, 0.02);
    near_to(batch_us(20, CALLS), 2 * CALLS * 20, 0.02);
    /* A batch queues at most 256 operations of one device before the other's. */
    near_to(batch_us(0, 300), (256 + 256 + 44) * 20, 0.02);
}

/* One copy of device 1 in a batch after many copies of device 0. */
static void threads_alternate(void **state)
{
    struct emulator_rig r;
    struct device_event *e[2];
    double ns;

    (void)state;
    emulator_prepare(&r, 2);
    r.topology.device.copy_host_us = r.topology.device.copy_lock_us = 20;
    emulator_start(&r);
    device_addr at[2] = {emulator_words(&r, 0, 1), emulator_words(&r, 1, 1)};

    for (int i = 0; i < 2; i++)
        e[i] = event_of(&r, 1);
    emulator_must(&r, r.b->record(r.stream[1][0], e[0], &r.err));
    r.b->batch_begin(r.set);
    for (int i = 0; i < CALLS; i++)
        emulator_must(&r, r.b->copy(r.stream[0][0], at[1], at[0], 4, &r.err));
    emulator_must(&r, r.b->copy(r.stream[1][0], at[0], at[1], 4, &r.err));
    emulator_must(&r, r.b->record(r.stream[1][0], e[1], &r.err));
    emulator_must(&r, r.b->batch_end(r.set, &r.err));
    emulator_sync(&r);
    emulator_must(&r, r.b->elapsed(e[0], e[1], &ns, &r.err));
    /* Two switches; 5 us and two link latencies of 1 us. */
    near_to(ns, 2 * 20e3 + 7e3, 0.02);
    emulator_close(&r);
}

/* Two streams wait for each other alternately. */
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

static void events_have_a_cost(void **state)
{
    (void)state;
    near_to(rally_ns(0, 1, 0, 0), 1000, 0.02); /* the link latency */
    near_to(rally_ns(0, 1, 6, 0), 7000, 0.02);
    near_to(rally_ns(0, 1, 6, 2), 7000, 0.05);
    near_to(rally_ns(0, 0, 6, 2), 2000, 0.06);
}

static void a_consecutive_kernel_starts_sooner(void **state)
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
    /* 3 us and 1 us; the first launch finds an idle device. */
    near_to(ns[0] - ns[1], 9 * 2000, 0.01);
}

/* The first `senders` devices send to the second to last one. With `more`, device 0 then
   sends to the last one. */
static double meeting_ns(unsigned senders, double copy_meeting, bool more)
{
    const unsigned receiver = senders;
    struct emulator_rig r;

    emulator_prepare(&r, senders + 2);
    r.topology.fabric.egress_gbps = r.topology.fabric.ingress_gbps = 50;
    r.topology.fabric.copy_meeting = copy_meeting;
    emulator_start(&r);
    device_addr last = emulator_words(&r, receiver + 1, BIG / 4);
    device_addr to[4], from[4];

    for (unsigned d = 0; d < senders; d++) {
        to[d] = emulator_words(&r, receiver, BIG / 4);
        from[d] = emulator_words(&r, d, BIG / 4);
    }
    uint64_t before = r.b->now_ns(r.set);

    for (unsigned d = 0; d < senders; d++)
        emulator_must(&r, r.b->copy(r.stream[d][0], to[d], from[d], BIG, &r.err));
    if (more)
        emulator_must(&r, r.b->copy(r.stream[0][0], last, from[0], BIG, &r.err));
    emulator_sync(&r);
    double ns = emulator_since(&r, before);

    emulator_close(&r);
    return ns;
}

static void incast_slows_copies(void **state)
{
    struct topology t;

    (void)state;
    emulator_machine(&t, 4);
    double alone = model_wire_bytes(&t.fabric, MODEL_COPY_ENGINE, BIG, BIG) / 50;

    near_to(meeting_ns(2, 0, false), 2 * alone, 0.05);
    near_to(meeting_ns(3, 0, false), 3 * alone, 0.05);
    /* Two senders cost half of the maximum of three; a fourth one adds nothing. */
    near_to(meeting_ns(2, 2, false), 2 * 1.5 * alone, 0.05);
    near_to(meeting_ns(3, 2, false), 3 * 2 * alone, 0.05);
    near_to(meeting_ns(4, 2, false), 4 * 2 * alone, 0.05);
    /* A sender that is delayed at one receiver reaches the next one later. */
    near_to(meeting_ns(2, 0, true), 3 * alone, 0.05);
    near_to(meeting_ns(2, 2, true), 4 * alone, 0.1);
}

/* One stream sends small copies to two peers alternately. */
static void a_peer_switch_takes_longer(void **state)
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
    near_to(ns[1] - ns[0], CALLS * 6e3, 0.05); /* 9 us and 3 us */
}

/* Two copies of a megabyte on separate streams, from or to host memory. */
static double hosts_ns(bool is_pinned, bool goes_back)
{
    enum { MB = 1 << 20 };
    device_addr host, there[2];
    struct emulator_rig r;

    emulator_prepare(&r, 1);
    r.topology.host_gbps = 10;
    emulator_start(&r);
    emulator_must(&r, r.b->alloc_shared(r.set, 0, MB, is_pinned, &host, &r.err));
    for (int i = 0; i < 2; i++)
        there[i] = emulator_words(&r, 0, MB / 4);
    uint64_t before = r.b->now_ns(r.set);

    emulator_must(&r, r.b->copy(r.stream[0][0], there[0], host, MB, &r.err));
    emulator_must(&r, r.b->copy(r.stream[0][1], goes_back ? host : there[1],
                                goes_back ? there[1] : host, MB, &r.err));
    emulator_sync(&r);
    double ns = emulator_since(&r, before);

    emulator_close(&r);
    return ns;
}

static void pinned_memory_uses_the_host_link(void **state)
{
    (void)state;
    near_to(hosts_ns(true, false), 2 * 104858 + 5000, 0.03);
    near_to(hosts_ns(true, true), 104858 + 5000, 0.03);
    assert_true(hosts_ns(false, true) < 60e3); /* managed memory has migrated */
}

/* Time of a kernel on all SMs next to CTAs of the same size that poll until it ends. */
static double next_to_pollers_ns(uint32_t spin_checks)
{
    enum { SMS = 4, THREADS = 512, ROUNDS = 2000 };
    struct emulator_rig r;
    struct device_function *poll;

    emulator_open(&r, 1);
    device_addr word = emulator_words(&r, 0, 1), when = emulator_words(&r, 0, 2);
    const struct contract_parameters polled = emulator_parameters("dd", word, when),
                                     busy = emulator_parameters("dw", word, ROUNDS);
    const struct device_launch pollers = {.grid = {SMS, 1, 1},
                                          .block = {THREADS, 1, 1},
                                          .parameters = polled.block,
                                          .parameter_bytes = polled.bytes,
                                          .spin_checks = spin_checks};

    emulator_must(&r, r.b->function(r.module[0], "poll", &poll, &r.err));
    emulator_must(&r, r.b->launch(r.stream[0][1], poll, &pollers, &r.err));
    const uint64_t before = r.b->now_ns(r.set);

    emulator_run(&r, 0, 0, "busy_then_tell", SMS, THREADS, &busy);
    emulator_sync(&r);
    const double ns = emulator_since(&r, before);

    emulator_close(&r);
    return ns;
}

/* A check takes 200 ns and 16 dependent instructions of 4 ns. The 16 warps of a poller need
   16 * 16 / 2 issue cycles for it, so 0.485 of the issue slots. */
static void spinning_takes_issue_slots(void **state)
{
    const double alone_ns = 3 * 2000 * 16 / 2;

    (void)state;
    near_to(next_to_pollers_ns(32) - 5000, alone_ns / (1 - 0.485), 0.1);
    near_to(next_to_pollers_ns(0) - 5000, alone_ns, 0.15); /* polls are few */
}

/* Time of 65536 loads of different sectors by all SMs. */
static double gather_ns(double misses_per_sm)
{
    enum { CTAS = 32, THREADS = 128, ROUNDS = 16, SECTOR_WORDS = 8 };
    struct emulator_rig r;

    emulator_prepare(&r, 1);
    r.topology.device.misses_per_sm = misses_per_sm;
    emulator_start(&r);
    device_addr from =
        emulator_words(&r, 0, (size_t)CTAS * THREADS * ROUNDS * SECTOR_WORDS);
    const struct contract_parameters p = emulator_parameters("dw", from, ROUNDS);
    const uint64_t before = r.b->now_ns(r.set);

    emulator_run(&r, 0, 0, "gather", CTAS, THREADS, &p);
    emulator_sync(&r);
    const double ns = emulator_since(&r, before);

    emulator_close(&r);
    return ns;
}

/* An SM loads 8 sectors per memory latency. */
static void misses_of_an_sm_are_limited(void **state)
{
    (void)state;
    near_to(gather_ns(8) - 5000, 65536.0 / 4 / 8 * 500, 0.1);
    near_to(gather_ns(16) - 5000, 65536.0 / 4 / 16 * 500, 0.1);
    assert_true(gather_ns(0) < 30000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misses_of_an_sm_are_limited),
        cmocka_unit_test(spinning_takes_issue_slots),
        cmocka_unit_test(calls_take_the_hosts_time),
        cmocka_unit_test(threads_queue_in_parallel_except_for_a_lock),
        cmocka_unit_test(threads_alternate),
        cmocka_unit_test(events_have_a_cost),
        cmocka_unit_test(a_consecutive_kernel_starts_sooner),
        cmocka_unit_test(incast_slows_copies),
        cmocka_unit_test(pinned_memory_uses_the_host_link),
        cmocka_unit_test(a_peer_switch_takes_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
