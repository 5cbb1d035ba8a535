/* SPDX-License-Identifier: Apache-2.0 */
/* Durations on the emulated machine, compared with closed formulas. */
#include "device/emulator_testing.h"
#include "model/model.h"

enum { MEGABYTE = 1 << 20 };

static void near_to(double measured, double expected, double share)
{
    if (measured < expected * (1 - share) || measured > expected * (1 + share))
        fail_msg("%.0f, not %.0f within %.0f %%", measured, expected, 100 * share);
}

/* Time that each of several consecutive copies of a stream adds. */
static double copy_ns(struct emulator_rig *r, unsigned to, uint64_t bytes)
{
    device_addr a = emulator_words(r, 0, bytes / 4), b = emulator_words(r, to, bytes / 4);
    double ns[2];

    for (int more = 0; more < 2; more++) {
        uint64_t before = r->b->now_ns(r->set);

        emulator_must(r, r->b->fill(r->stream[0][0], a, 0, 4, &r->err));
        for (int i = 0; i < 4 + 8 * more; i++)
            emulator_must(r, r->b->copy(r->stream[0][0], b, a, bytes, &r->err));
        emulator_sync(r);
        ns[more] = emulator_since(r, before);
    }
    return (ns[1] - ns[0]) / 8;
}

/* Modelled time of one of many consecutive copies. Copies to a peer keep the engine awake;
   copies within a device wake it again. */
static double behind_ns(const struct topology *t, unsigned to, uint64_t bytes)
{
    const struct topology_fabric *f = &t->fabric;
    double wakes_ns = to ? 0 : 1000 * (f->copy_first_us - f->copy_start_us);

    return model_copy_ns(t, 0, to, bytes) + wakes_ns;
}

static void copies_take_the_modelled_time(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 2);
    for (uint64_t bytes = 4096; bytes <= 16 * MEGABYTE; bytes *= 16)
        for (unsigned to = 0; to < 2; to++)
            near_to(copy_ns(&r, to, bytes), behind_ns(&r.topology, to, bytes), 0.03);
    near_to(copy_ns(&r, 1, 16 * MEGABYTE), model_copy_ns(&r.topology, 0, 1, 16 * MEGABYTE),
            0.03);
    emulator_close(&r);
}

static void copies_without_a_link_are_staged(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_prepare(&r, 2);
    r.topology.link_gbps[0][1] = r.topology.link_gbps[1][0] = 0;
    emulator_start(&r);
    assert_false(r.b->peer_access(r.set, 0, 1) || r.b->peer_atomics(r.set, 0, 1));
    near_to(copy_ns(&r, 1, 4 * MEGABYTE), behind_ns(&r.topology, 1, 4 * MEGABYTE), 0.03);
    device_addr word = emulator_words(&r, 1, 1);

    assert_int_equal(r.b->write_value(r.stream[0][0], word, 1, &r.err), PROACT_EINVAL);
    emulator_close(&r);
}

/* Time at which device `at` observes a store of device 0. */
static double observed_ns(unsigned at)
{
    struct emulator_rig r;

    emulator_open(&r, 2);
    device_addr word = emulator_words(&r, at, 1), when = emulator_words(&r, at, 2);
    const struct contract_parameters poll = emulator_parameters("dd", word, when),
                                     tell = emulator_parameters("dw", word, 1000);
    uint64_t before = r.b->now_ns(r.set);

    emulator_run(&r, at, 1, "poll", 1, 1, &poll);
    emulator_run(&r, 0, 0, "busy_then_tell", 1, 1, &tell);
    emulator_sync(&r);
    double ns = (double)(emulator_wide(&r, at, when) - before);

    emulator_close(&r);
    return ns;
}

/* Link latency and transmission time; the poll takes L2 time on both devices. */
static void a_small_store_is_visible_after_the_latency(void **state)
{
    double later = observed_ns(1) - observed_ns(0);

    (void)state;
    if (later < 1000 - 250 || later > 1000 + 250)
        fail_msg("%.0f ns later", later);
}

static double busy_ns(struct emulator_rig *r, uint32_t ctas, uint32_t threads)
{
    const struct contract_parameters p = emulator_parameters("w", 10000);
    uint64_t before = r->b->now_ns(r->set);

    emulator_run(r, 0, 0, "busy", ctas, threads, &p);
    emulator_sync(r);
    return emulator_since(r, before) - 5000; /* host time and device time of the launch */
}

/* 3 instructions per iteration; 4 cycles to a dependent instruction, 2 issued per cycle. */
static void warps_share_issue_slots(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 1);
    near_to(busy_ns(&r, 1, 32), 30000 * 4.0, 0.05);
    near_to(busy_ns(&r, 4, 32), 30000 * 4.0, 0.05);
    near_to(busy_ns(&r, 1, 1024), 30000 * 32 / 2.0, 0.05);
    near_to(busy_ns(&r, 4 * 8, 128), 30000 * 32 / 2.0, 0.05);
    near_to(busy_ns(&r, 8, 1024), 2 * 30000 * 32 / 2.0, 0.05); /* two waves of CTAs */
    near_to(busy_ns(&r, 4 * 16, 32), 2 * 30000 * 4.0, 0.05);   /* 8 CTAs per SM */
    emulator_close(&r);
}

/* Every device sends the same bytes to all others, at most the device's outgoing rate. */
static void all_to_all_is_bound_by_the_outgoing_rate(void **state)
{
    struct emulator_rig r;
    device_addr to[4][4], from[4];
    double wire;

    (void)state;
    emulator_prepare(&r, 4);
    r.topology.fabric.egress_gbps = r.topology.fabric.ingress_gbps = 75;
    emulator_start(&r);
    for (unsigned d = 0; d < 4; d++) {
        from[d] = emulator_words(&r, d, MEGABYTE);
        for (unsigned p = 0; p < 4; p++)
            to[d][p] = emulator_words(&r, p, MEGABYTE);
    }
    uint64_t before = r.b->now_ns(r.set);

    for (unsigned d = 0; d < 4; d++)
        for (unsigned p = 1; p < 4; p++) {
            struct device_stream *s;

            emulator_must(&r, r.b->stream_create(r.set, d, &s, &r.err));
            emulator_must(&r,
                          r.b->copy(s, to[d][(d + p) % 4], from[d], 4 * MEGABYTE, &r.err));
        }
    emulator_sync(&r);
    wire = model_wire_bytes(&r.topology.fabric, MODEL_COPY_ENGINE, 12ull * MEGABYTE,
                            12ull * MEGABYTE);
    near_to(emulator_since(&r, before), wire / 75, 0.1);
    emulator_close(&r);
}

static void a_bus_is_shared_by_all(void **state)
{
    struct emulator_rig r;
    device_addr to[4], from[4];

    (void)state;
    emulator_prepare(&r, 4);
    r.topology.fabric.shared_bus = true;
    r.topology.fabric.egress_gbps = r.topology.fabric.ingress_gbps = 50;
    emulator_start(&r);
    assert_true(r.b->peer_access(r.set, 0, 1) && !r.b->peer_atomics(r.set, 0, 1));
    for (unsigned d = 0; d < 4; d++) {
        from[d] = emulator_words(&r, d, MEGABYTE);
        to[d] = emulator_words(&r, (d + 1) % 4, MEGABYTE);
    }
    uint64_t before = r.b->now_ns(r.set);

    for (unsigned d = 0; d < 4; d++)
        emulator_must(&r, r.b->copy(r.stream[d][1], to[d], from[d], 4 * MEGABYTE, &r.err));
    emulator_sync(&r);
    near_to(emulator_since(&r, before),
            4 *
                model_wire_bytes(&r.topology.fabric, MODEL_COPY_ENGINE, 4 * MEGABYTE,
                                 4 * MEGABYTE) /
                50,
            0.1);
    emulator_close(&r);
}

/* Copies from each device to another one of its group, or of the other group. */
static double groups_ns(unsigned distance)
{
    struct emulator_rig r;
    device_addr to[4], from[4];

    emulator_prepare(&r, 4);
    r.topology.fabric.egress_gbps = r.topology.fabric.ingress_gbps = 50;
    r.topology.groups =
        (struct topology_groups){.of = {0, 0, 1, 1}, .gbps = 50, .bridge_gbps = 20};
    for (unsigned d = 0; d < 4; d++)
        r.topology.link_gbps[d][d ^ 2] = r.topology.link_gbps[d][d ^ 3] = 20;
    emulator_start(&r);
    assert_true(r.b->peer_access(r.set, 0, 2) && !r.b->peer_atomics(r.set, 0, 2));
    for (unsigned d = 0; d < 4; d++) {
        from[d] = emulator_words(&r, d, MEGABYTE);
        to[d] = emulator_words(&r, d ^ distance, MEGABYTE);
    }
    const uint64_t before = r.b->now_ns(r.set);

    for (unsigned d = 0; d < 4; d++)
        emulator_must(&r, r.b->copy(r.stream[d][1], to[d], from[d], 4 * MEGABYTE, &r.err));
    emulator_sync(&r);
    const double ns = emulator_since(&r, before);

    emulator_close(&r);
    return ns;
}

/* Within groups all pairs transfer at once. Two pairs share a bridge in each direction. */
static void a_bridge_is_shared_by_groups(void **state)
{
    struct topology t;

    (void)state;
    emulator_machine(&t, 4);
    const double wire =
        model_wire_bytes(&t.fabric, MODEL_COPY_ENGINE, 4 * MEGABYTE, 4 * MEGABYTE);

    near_to(groups_ns(1), wire / 50, 0.1);
    near_to(groups_ns(2), 2 * wire / 20, 0.1);
    near_to(groups_ns(3), 2 * wire / 20, 0.1);
}

/* Many CTAs store to one peer at the link's rate, with 128 bytes per packet. */
static void stores_wait_for_the_link(void **state)
{
    enum { CTAS = 32, THREADS = 128, ROUNDS = 128 };
    struct emulator_rig r;
    uint64_t bytes = 4ull * CTAS * THREADS * ROUNDS;

    (void)state;
    emulator_open(&r, 2);
    device_addr to = emulator_words(&r, 1, bytes / 4);
    const struct contract_parameters p = emulator_parameters("dw", to, ROUNDS);
    uint64_t before = r.b->now_ns(r.set);

    emulator_run(&r, 0, 0, "stream_out", CTAS, THREADS, &p);
    emulator_sync(&r);
    double wire = model_wire_bytes(&r.topology.fabric, MODEL_SM, bytes, 128);

    near_to(emulator_since(&r, before) - 5000, wire / 50, 0.1);
    assert_int_equal(r.b->traffic(r.set, 0, 1).bytes, bytes);
    assert_int_equal(r.b->traffic(r.set, 0, 1).packets, bytes / 128);
    assert_int_equal(emulator_word(&r, 1, to + 4 * 4242), 4242);
    emulator_close(&r);
}

static double look_ns(struct emulator_rig *r, device_addr word)
{
    const struct contract_parameters p = emulator_parameters("d", word);
    uint64_t before = r->b->now_ns(r->set);

    emulator_run(r, 0, 0, "look", 1, 1, &p);
    emulator_sync(r);
    return emulator_since(r, before) - 5000;
}

/* The L2 caches single sectors of 32 bytes until their line is replaced. */
static void sectors_are_loaded_one_by_one(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 1);
    device_addr a = emulator_words(&r, 0, 4 * MEGABYTE);
    const double few_instructions = 16, more = r.topology.device.memory_latency_ns -
                                               r.topology.device.l2_latency_ns;
    double here = look_ns(&r, a) - more;

    near_to(here, r.topology.device.l2_latency_ns + few_instructions, 0.05);
    for (unsigned sector = 0; sector < 8; sector++) {
        near_to(look_ns(&r, a + 32 * sector + 4), here + (sector ? more : 0), 0.01);
        near_to(look_ns(&r, a + 32 * sector + 28), here, 0.01);
    }
    near_to(look_ns(&r, a + 32 * 5), here, 0.01);
    look_ns(&r, a + 32 * 5 + r.topology.device.l2_bytes); /* the same line of the L2 */
    near_to(look_ns(&r, a + 32 * 5), here + more, 0.01);
    near_to(look_ns(&r, a + 32 * 6), here + more, 0.01);
    near_to(look_ns(&r, a + 32 * 2), here, 0.01);
    emulator_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_take_the_modelled_time),
        cmocka_unit_test(copies_without_a_link_are_staged),
        cmocka_unit_test(a_small_store_is_visible_after_the_latency),
        cmocka_unit_test(warps_share_issue_slots),
        cmocka_unit_test(all_to_all_is_bound_by_the_outgoing_rate),
        cmocka_unit_test(a_bus_is_shared_by_all),
        cmocka_unit_test(a_bridge_is_shared_by_groups),
        cmocka_unit_test(stores_wait_for_the_link),
        cmocka_unit_test(sectors_are_loaded_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
