/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of operations for several devices keep the order that the operations have outside
   a batch. */
#include "device/contract.h"

enum { WORDS = 512, THREADS = 64, ROUNDS = 40, LONG = 50000 };

static void begin(struct contract *c)
{
    if (c->b->batch_begin)
        c->b->batch_begin(c->set);
}

static enum proact_status end(struct contract *c)
{
    return c->b->batch_end ? c->b->batch_end(c->set, &c->err) : PROACT_OK;
}

static struct device_event *event_of(struct contract *c, unsigned device)
{
    struct device_event *event = NULL;

    contract_must(c, c->b->event_create(c->set, device, false, &event, &c->err));
    return event;
}

static device_addr zeros(struct contract *c, unsigned device, size_t words)
{
    device_addr a = contract_words(c, device, words);

    contract_must(c, c->b->fill(c->stream[device][0], a, 0, words * 4, &c->err));
    contract_sync(c);
    return a;
}

static void add_one(struct contract *c, unsigned device, unsigned stream, device_addr a)
{
    const struct contract_parameters p = contract_u64_u32(a, WORDS);

    contract_run(c, device, stream, "add_one", WORDS / THREADS, THREADS, &p);
}

static void be_later(struct contract *c, unsigned device, unsigned stream, uint32_t loops)
{
    struct contract_parameters p = {0};

    contract_add(&p, &loops, sizeof loops);
    contract_run(c, device, stream, "busy", 1, 32, &p);
}

static void be_late(struct contract *c, unsigned device, unsigned stream)
{
    be_later(c, device, stream, LONG);
}

static void carry(struct contract *c, unsigned device, device_addr to, device_addr from)
{
    struct contract_parameters p = contract_u64_u32(to, 0);
    const uint32_t words = WORDS;

    p.bytes = 8;
    contract_add(&p, &from, sizeof from);
    contract_add(&p, &words, sizeof words);
    contract_run(c, device, 0, "carry", WORDS / THREADS, THREADS, &p);
}

/* Device 1 reads the result of device 0 in the same batch. Device 0 continues after that in
   the next batch. The first device of the batch alternates. */
static void a_batch_orders_devices(struct contract *c)
{
    device_addr a = zeros(c, 0, WORDS), b = zeros(c, 1, WORDS);
    const device_addr other[] = {zeros(c, 0, WORDS), zeros(c, 1, WORDS)};
    struct device_event *made = event_of(c, 0), *taken = event_of(c, 1);

    for (uint32_t i = 1; i <= ROUNDS; i++) {
        begin(c);
        add_one(c, i % 2, 1, i % 2 ? other[1] : other[0]);
        contract_must(c, c->b->wait_event(c->stream[0][0], taken, &c->err));
        be_late(c, 0, 0);
        add_one(c, 0, 0, a);
        contract_must(c, c->b->record(c->stream[0][0], made, &c->err));
        contract_must(c, c->b->wait_event(c->stream[1][0], made, &c->err));
        carry(c, 1, b, a);
        contract_must(c, c->b->record(c->stream[1][0], taken, &c->err));
        contract_must(c, end(c));
        if (i % 8 == 7)
            assert_int_equal(contract_word(c, 1, b + 4 * (WORDS - 1)), i);
    }
    contract_sync(c);
    c->b->event_destroy(made);
    c->b->event_destroy(taken);
}

/* Device 0 ends after a signal from device 1, which follows the first record. A wait of
   device 1 for the second record would be a deadlock. */
static void a_wait_in_a_batch_is_for_the_record_before_it(struct contract *c)
{
    device_addr flag = zeros(c, 0, 4), other = zeros(c, 0, WORDS);
    struct device_event *event = event_of(c, 0);

    for (uint32_t i = 1; i <= ROUNDS; i++) {
        struct contract_parameters tell = contract_u64_u32(flag + 4, i);
        struct contract_parameters await = contract_u64_u32(flag, i);
        const device_addr to = flag + 8, from = flag + 4;

        contract_add(&tell, &flag, sizeof flag);
        contract_add(&tell, &i, sizeof i);
        contract_add(&await, &to, sizeof to);
        contract_add(&await, &from, sizeof from);
        contract_must(c, c->b->record(c->stream[0][0], event, &c->err));
        begin(c);
        add_one(c, 0, 1, other); /* makes this device the first of the batch */
        contract_must(c, c->b->wait_event(c->stream[1][0], event, &c->err));
        contract_run(c, 1, 0, "announce", 1, 1, &tell);
        contract_run(c, 0, 0, "await", 1, 1, &await);
        contract_must(c, c->b->record(c->stream[0][0], event, &c->err));
        contract_must(c, end(c));
    }
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, flag + 8), ROUNDS);
    c->b->event_destroy(event);
}

static void what_is_queued_in_a_batch_stays_in_line(struct contract *c)
{
    device_addr a = zeros(c, 0, WORDS), b = zeros(c, c->count - 1, WORDS);

    for (uint32_t i = 1; i <= ROUNDS; i++) {
        begin(c);
        add_one(c, 0, 0, a);
        contract_must(c, c->b->copy(c->stream[0][0], b, a, WORDS * 4, &c->err));
        contract_must(c, c->b->fill(c->stream[0][0], a, (unsigned char)i, 4, &c->err));
        add_one(c, 0, 0, a);
        contract_must(c, end(c));
        contract_sync(c);
        assert_int_equal(contract_word(c, c->count - 1, b + 4), 2 * i - 1);
        assert_int_equal(contract_word(c, 0, a), 0x01010101 * i + 1);
    }
}

/* A copy after waits for two words. Another stream fills the source before it writes the
   words. */
static void words_in_a_batch_stay_in_line(struct contract *c)
{
    device_addr from[CONTRACT_DEVICES], to[CONTRACT_DEVICES], words[CONTRACT_DEVICES];
    enum { NUMBERS = 3 };

    for (unsigned d = 0; d < c->count; d++) {
        from[d] = zeros(c, d, WORDS);
        to[d] = zeros(c, d, WORDS);
        words[d] = zeros(c, d, NUMBERS);
    }
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        begin(c);
        for (unsigned d = 0; d < c->count; d++) {
            struct device_stream *here = c->stream[d][0], *other = c->stream[d][1];
            unsigned next = (d + 1) % c->count;

            for (unsigned n = 0; n < NUMBERS; n++)
                contract_must(c,
                              c->b->wait_value(other, words[d] + 4 * n, i, NULL, &c->err));
            contract_must(c, c->b->copy(other, to[next], from[d], WORDS * 4, &c->err));
            be_late(c, d, 0);
            contract_must(
                c, c->b->fill(here, from[d], (unsigned char)(i + d), WORDS * 4, &c->err));
            for (unsigned n = 0; n < NUMBERS; n++)
                contract_must(c, c->b->write_value(here, words[d] + 4 * n, i, &c->err));
        }
        contract_must(c, end(c));
        contract_sync(c);
        for (unsigned d = 0; d < c->count; d++)
            assert_int_equal(contract_word(c, (d + 1) % c->count, to[(d + 1) % c->count]),
                             0x01010101 * (i + d));
    }
}

/* More operations than a batch keeps back. */
static void a_long_batch_is_queued_in_parts(struct contract *c)
{
    enum { LINES = 1000 };
    device_addr a = zeros(c, 0, WORDS), b = zeros(c, c->count - 1, LINES);

    begin(c);
    for (uint32_t i = 0; i < LINES; i++) {
        contract_must(c, c->b->write_value(c->stream[0][0], a, i, &c->err));
        contract_must(c, c->b->copy(c->stream[0][0], b + 4 * i, a, 4, &c->err));
    }
    contract_must(c, end(c));
    contract_sync(c);
    for (uint32_t i = 0; i < LINES; i += 37)
        assert_int_equal(contract_word(c, c->count - 1, b + 4 * i), i);
}

/* All operations have run when the host's wait returns, also within a batch. */
static void who_waits_in_a_batch_waits_for_all(struct contract *c)
{
    device_addr a[CONTRACT_DEVICES];

    for (unsigned d = 0; d < c->count; d++)
        a[d] = zeros(c, d, WORDS);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        begin(c);
        for (unsigned d = 0; d < c->count; d++) {
            be_late(c, d, 1);
            add_one(c, d, 1, a[d]);
        }
        contract_sync(c);
        for (unsigned d = 0; d < c->count; d++)
            assert_int_equal(contract_word(c, d, a[d]), i);
        contract_must(c, end(c));
    }
}

/* The wait includes a device that ends long after the others. */
static void a_slower_device_is_waited_for(struct contract *c)
{
    device_addr a = zeros(c, 1, WORDS);

    for (uint32_t i = 1; i <= 2; i++) {
        begin(c);
        be_late(c, 0, 1);
        be_later(c, 1, 1, 300 * LONG);
        add_one(c, 1, 1, a);
        contract_must(c, end(c));
        contract_sync(c);
        assert_int_equal(contract_word(c, 1, a), i);
    }
}

static void a_graph_comes_behind_a_batch(struct contract *c)
{
    device_addr a = zeros(c, 0, WORDS), b = zeros(c, 0, WORDS);
    struct device_graph *g;

    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_must(c, c->b->copy(c->stream[0][0], b, a, WORDS * 4, &c->err));
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        begin(c);
        for (unsigned d = 0; d < c->count; d++)
            be_late(c, d, 1);
        add_one(c, 0, 1, a);
        contract_must(c, end(c));
        contract_must(c, c->b->graph_launch(g, &c->err));
        assert_int_equal(contract_word(c, 0, b + 4), i);
    }
    contract_sync(c);
    c->b->graph_destroy(g);
}

const struct contract_promise contract_batch[] = {
    {"a batch orders devices", a_batch_orders_devices, true},
    {"a wait in a batch is for the record before it",
     a_wait_in_a_batch_is_for_the_record_before_it, true},
    {"what is queued in a batch stays in line", what_is_queued_in_a_batch_stays_in_line,
     false},
    {"words in a batch stay in line", words_in_a_batch_stay_in_line, false},
    {"a long batch is queued in parts", a_long_batch_is_queued_in_parts, false},
    {"who waits in a batch waits for all", who_waits_in_a_batch_waits_for_all, false},
    {"a slower device is waited for", a_slower_device_is_waited_for, true},
    {"a graph comes behind a batch", a_graph_comes_behind_a_batch, false},
    {NULL, NULL, false},
};
