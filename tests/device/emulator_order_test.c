/* SPDX-License-Identifier: Apache-2.0 */
/* Determinism: a seed gives the same run with any number of host threads, and another seed
   gives another run with the same result. Orders that a kernel establishes are kept. */
#include <string.h>

#include "device/emulator_testing.h"

enum { CTAS = 24 };

struct record {
    uint64_t end_ns, span_count, span_hash;
    uint32_t order[EMULATOR_DEVICES][CTAS];
};

static void order_record_span(void *context, const struct device_span *s)
{
    struct record *r = context;

    r->span_count++;
    r->span_hash = r->span_hash * 31 + s->start_ns;
    r->span_hash = r->span_hash * 31 + s->end_ns + s->device + s->lane + s->kind;
}

/* All devices take numbers from one counter, store to their neighbours, and copy. */
static void play(uint64_t seed, unsigned threads, struct record *out)
{
    struct emulator_rig r;
    device_addr counter, order[EMULATOR_DEVICES], data[EMULATOR_DEVICES];

    memset(out, 0, sizeof *out);
    emulator_prepare(&r, EMULATOR_DEVICES);
    r.options.seed = seed;
    r.options.threads = threads;
    emulator_start(&r);
    for (unsigned d = 0; d < EMULATOR_DEVICES; d++) {
        order[d] = emulator_words(&r, d, CTAS * EMULATOR_DEVICES);
        data[d] = emulator_words(&r, d, 1 << 16);
    }
    r.b->observe(r.set, order_record_span, out);
    for (unsigned d = 0; d < EMULATOR_DEVICES; d++) {
        unsigned peer = (d + 1) % EMULATOR_DEVICES;
        counter = data[d] + 4 * 65535;
        const struct contract_parameters queue =
                                             emulator_parameters("dd", counter, order[d]),
                                         stores = emulator_parameters("dw", data[peer], 8);

        emulator_run(&r, d, 0, "queue", CTAS, 1, &queue);
        emulator_run(&r, d, 0, "stream_out", 16, 256, &stores);
        emulator_must(&r, r.b->copy(r.stream[d][1], data[peer] + (1 << 17),
                                    data[d] + (1 << 17), 1 << 16, &r.err));
    }
    emulator_sync(&r);
    out->end_ns = r.b->now_ns(r.set);
    r.b->observe(r.set, NULL, NULL);
    for (unsigned d = 0; d < EMULATOR_DEVICES; d++) {
        uint32_t *words = out->order[d];

        emulator_must(&r, r.b->read(r.stream[d][0], words, order[d], CTAS * 4, &r.err));
        assert_int_equal(emulator_word(&r, d, data[d] + 4 * 777), 777);
    }
    emulator_close(&r);
}

static void host_threads_do_not_change_a_run(void **state)
{
    static struct record one, more;

    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        play(seed, 1, &one);
        assert_true(one.span_count > 12);
        for (unsigned threads = 1; threads <= 4; threads *= 2) {
            play(seed, threads, &more);
            assert_int_equal(one.end_ns, more.end_ns);
            assert_memory_equal(&one, &more, sizeof one);
        }
    }
}

static void another_seed_gives_another_run(void **state)
{
    static struct record first, second;
    uint32_t sum = 0;

    (void)state;
    play(1, 1, &first);
    play(2, 1, &second);
    assert_memory_not_equal(first.order, second.order, sizeof first.order);
    for (unsigned i = 0; i < CTAS; i++)
        sum += second.order[0][i];
    assert_int_equal(sum, CTAS * (CTAS + 1) / 2); /* every CTA has its number */
}

/* Device 0 stores to devices 1 and 2 and sets a flag on 2, when both have the data. Device
   2 then reads its own replica and that of device 1. */
static void receive_both(uint64_t seed, bool infinite, uint32_t how)
{
    enum { WARPS = 8, WORDS = WARPS * 32 };
    struct emulator_rig r;
    device_addr first, second, flag, out[2];

    emulator_prepare(&r, 3);
    r.options.seed = seed;
    r.options.infinite_bandwidth = infinite;
    /* Without the order, the flag arrives long before the words. */
    r.topology.link_gbps[0][1] = 0.05;
    emulator_start(&r);
    first = emulator_words(&r, 1, WORDS);
    second = emulator_words(&r, 2, WORDS);
    flag = emulator_words(&r, 2, WARPS);
    for (int i = 0; i < 2; i++)
        out[i] = emulator_words(&r, 2, WARPS);
    const struct contract_parameters tell = emulator_parameters("dddw", first, second, flag,
                                                                how),
                                     near =
                                         emulator_parameters("ddd", flag, second, out[0]),
                                     far = emulator_parameters("ddd", flag, first, out[1]);

    emulator_run(&r, 2, 0, "hear", 1, WARPS, &near);
    emulator_run(&r, 2, 1, "hear", 1, WARPS, &far);
    emulator_run(&r, 0, 0, "tell_both", 1, WORDS, &tell);
    emulator_sync(&r);
    for (int i = 0; i < 2; i++)
        for (unsigned w = 0; w < WARPS; w++)
            assert_int_equal(emulator_word(&r, 2, out[i] + 4 * w), 32);
    emulator_close(&r);
}

static void fences_and_releases_wait_for_all_peers(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++)
        for (uint32_t how = 0; how < 2; how++) {
            receive_both(seed, false, how);
            receive_both(seed, true, how);
        }
}

/* The warp that stores first is slower; its store must still arrive first. */
static void a_barrier_orders_stores_to_a_peer(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct emulator_rig r;

        emulator_prepare(&r, 2);
        r.options.seed = seed;
        r.options.infinite_bandwidth = seed % 2;
        emulator_start(&r);
        device_addr word = emulator_words(&r, 1, 1);
        const struct contract_parameters p = emulator_parameters("dw", word, 500);

        emulator_run(&r, 0, 0, "twice", 1, 64, &p);
        emulator_sync(&r);
        assert_int_equal(emulator_word(&r, 1, word), 2);
        emulator_close(&r);
    }
}

/* A resident polling agent runs concurrently with its producer, also if the producer fills
   the device more than once. */
static void an_agent_runs_concurrently_with_its_producer(void **state)
{
    static const struct {
        uint32_t ctas, threads, rounds;
    } producers[] = {{1, 32, 100000}, {64, 1024, 1000}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t rounds = producers[i].rounds;
        struct emulator_rig r;

        emulator_open(&r, 2);
        device_addr word = emulator_words(&r, 0, 1), when = emulator_words(&r, 0, 2);
        const struct contract_parameters poll = emulator_parameters("dd", word, when),
                                         tell = emulator_parameters("dw", word, rounds);

        emulator_run(&r, 0, 1, "poll", 1, 32, &poll);
        emulator_run(&r, 0, 0, "busy_then_tell", producers[i].ctas, producers[i].threads,
                     &tell);
        emulator_sync(&r);
        assert_true(emulator_wide(&r, 0, when) > rounds * 3 * 4);
        emulator_close(&r);
    }
}

/* CTAs become resident in the order of their kernels. Those of `wide` need a full SM. They
   precede the small kernels launched later, although half SMs become free long before. All
   take numbers from one counter. */
static void later_kernels_do_not_overtake(void **state)
{
    enum { WIDE = 4, NARROW = 64, THREADS = 1024, ALL = WIDE * THREADS + NARROW };
    static uint32_t numbers[ALL];
    struct emulator_rig r;
    struct device_stream *more[2];

    (void)state;
    emulator_open(&r, 1);
    for (int i = 0; i < 2; i++)
        emulator_must(&r, r.b->stream_create(r.set, 0, &more[i], &r.err));
    device_addr counter = emulator_words(&r, 0, 1), by_wide = emulator_words(&r, 0, ALL),
                by_narrow = emulator_words(&r, 0, ALL);
    const struct contract_parameters brief = emulator_parameters("w", 10000),
                                     lasting = emulator_parameters("w", 30000),
                                     wide = emulator_parameters("dd", counter, by_wide),
                                     narrow = emulator_parameters("dd", counter, by_narrow);

    emulator_run(&r, 0, 0, "busy", 4, THREADS / 2, &brief);
    emulator_run(&r, 0, 1, "busy", 4, THREADS / 2, &lasting);
    r.stream[0][0] = more[0];
    r.stream[0][1] = more[1];
    emulator_run(&r, 0, 0, "queue", WIDE, THREADS, &wide);
    emulator_run(&r, 0, 1, "queue", NARROW, 1, &narrow);
    emulator_sync(&r);
    emulator_must(&r, r.b->read(more[0], numbers, by_wide, sizeof numbers, &r.err));
    for (unsigned i = 0; i < ALL; i++)
        assert_true((numbers[i] != 0) == (i < WIDE * THREADS));
    emulator_must(&r, r.b->read(more[0], numbers, by_narrow, sizeof numbers, &r.err));
    for (unsigned i = 0; i < ALL; i++)
        assert_true((numbers[i] != 0) == (i >= WIDE * THREADS));
    emulator_close(&r);
}

/* A later kernel waits no longer than that: it uses space that the first kernel leaves
   free. */
static void later_kernels_use_free_space(void **state)
{
    struct emulator_rig r;

    (void)state;
    emulator_open(&r, 1);
    device_addr word = emulator_words(&r, 0, 1), when = emulator_words(&r, 0, 2);
    const struct contract_parameters poll = emulator_parameters("dd", word, when),
                                     tell = emulator_parameters("dw", word, 100);

    emulator_run(&r, 0, 0, "poll", 4, 992, &poll);
    emulator_run(&r, 0, 1, "busy_then_tell", 1, 32, &tell);
    emulator_sync(&r);
    emulator_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_threads_do_not_change_a_run),
        cmocka_unit_test(another_seed_gives_another_run),
        cmocka_unit_test(fences_and_releases_wait_for_all_peers),
        cmocka_unit_test(a_barrier_orders_stores_to_a_peer),
        cmocka_unit_test(an_agent_runs_concurrently_with_its_producer),
        cmocka_unit_test(later_kernels_do_not_overtake),
        cmocka_unit_test(later_kernels_use_free_space),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
