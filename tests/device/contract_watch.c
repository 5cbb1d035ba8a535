/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements: times, traffic and trace spans; and the PROACT hardware unit, if the
   backend has it. */
#include <string.h>

#include "device/contract.h"

enum { WORDS = 4096 };

static struct contract_parameters loops(uint32_t n)
{
    struct contract_parameters p = {0};

    contract_add(&p, &n, 4);
    return p;
}

static double time_of(struct contract *c, uint32_t count)
{
    const struct contract_parameters busy = loops(count);
    struct device_event *event[2];
    double ns = -1;

    for (int i = 0; i < 2; i++) {
        contract_must(c, c->b->event_create(c->set, 0, true, &event[i], &c->err));
        contract_must(c, c->b->record(c->stream[0][0], event[i], &c->err));
        if (i == 0)
            contract_run(c, 0, 0, "busy", 1, 32, &busy);
    }
    contract_sync(c);
    contract_must(c, c->b->elapsed(event[0], event[1], &ns, &c->err));
    for (int i = 0; i < 2; i++)
        c->b->event_destroy(event[i]);
    return ns;
}

static void elapsed_time_grows_with_work(struct contract *c)
{
    double first = time_of(c, 400000), shorter = time_of(c, 100000),
           longer = time_of(c, 400000);

    /* Hardware needs a warm-up, so the first time is no reference. */
    assert_true(first > 0);
    assert_true(shorter > 0);
    assert_true(longer > 2 * shorter && longer < 6 * shorter);
}

static void an_event_never_recorded_has_no_time(struct contract *c)
{
    struct device_event *event[2];
    double ns = 7;

    for (int i = 0; i < 2; i++)
        contract_must(c, c->b->event_create(c->set, 0, true, &event[i], &c->err));
    contract_must(c, c->b->record(c->stream[0][0], event[0], &c->err));
    contract_sync(c);
    contract_refused(c, c->b->elapsed(event[0], event[1], &ns, &c->err), PROACT_EINVAL);
    for (int i = 0; i < 2; i++)
        c->b->event_destroy(event[i]);
}

/* Bytes sent by copies and by kernel stores, per direction. */
static void traffic_is_counted(struct contract *c)
{
    if (!c->b->traffic)
        return; /* hardware counts per link at best */
    device_addr from = contract_words(c, 0, WORDS), to = contract_words(c, 1, WORDS);
    struct device_traffic none = c->b->traffic(c->set, 0, 1),
                          back = c->b->traffic(c->set, 1, 0);
    struct contract_parameters p = {0};

    contract_must(c, c->b->fill(c->stream[0][0], from, 1, WORDS * 4, &c->err));
    contract_must(c, c->b->copy(c->stream[0][0], to, from, WORDS * 4, &c->err));
    contract_sync(c);
    struct device_traffic copied = c->b->traffic(c->set, 0, 1);

    assert_int_equal(copied.bytes - none.bytes, WORDS * 4);
    assert_true(copied.packets > none.packets);
    assert_true(copied.wire_bytes - none.wire_bytes > WORDS * 4);
    contract_add(&p, &to, 8);
    contract_add(&p, &from, 8);
    contract_add(&p, &(uint32_t){WORDS}, 4);
    contract_run(c, 0, 0, "carry", WORDS / 256, 256, &p);
    contract_sync(c);
    struct device_traffic stored = c->b->traffic(c->set, 0, 1);

    assert_int_equal(stored.bytes - copied.bytes, WORDS * 4);
    assert_int_equal(stored.packets - copied.packets, WORDS * 4 / 128); /* payload_bytes */
    assert_true(stored.wire_bytes - copied.wire_bytes > WORDS * 4);
    assert_int_equal(c->b->traffic(c->set, 1, 0).bytes, back.bytes);
}

struct noted {
    unsigned kernels, copies, waits;
    uint64_t copied, last_end;
};

static void watch_record_span(void *context, const struct device_span *span)
{
    struct noted *s = context;

    assert_true(span->start_ns <= span->end_ns);
    assert_true(span->device < 2);
    assert_non_null(span->name);
    if (span->end_ns > s->last_end)
        s->last_end = span->end_ns;
    s->kernels += span->kind == DEVICE_SPAN_KERNEL && !strcmp(span->name, "a label");
    s->waits += span->kind == DEVICE_SPAN_WAIT;
    if (span->kind != DEVICE_SPAN_COPY)
        return;
    s->copies++;
    s->copied += span->bytes;
}

static void an_observer_receives_every_span(struct contract *c)
{
    device_addr from = contract_words(c, 0, WORDS), to = contract_words(c, 1, WORDS);
    const struct contract_parameters busy = loops(1000);
    const struct device_launch launch = {.grid = {1, 1, 1},
                                         .block = {32, 1, 1},
                                         .parameters = busy.block,
                                         .parameter_bytes = busy.bytes,
                                         .label = "a label"};
    struct device_function *f;
    struct noted s = {0};

    contract_must(c, c->b->fill(c->stream[0][0], from, 0, WORDS * 4, &c->err));
    contract_sync(c);
    c->b->observe(c->set, watch_record_span, &s);
    contract_must(c, c->b->function(c->module[0], "busy", &f, &c->err));
    for (unsigned times = 1; times <= 2; times++) {
        const bool at_once = times == 2 && c->b->batch_begin;

        if (at_once)
            c->b->batch_begin(c->set);
        contract_must(c, c->b->launch(c->stream[0][0], f, &launch, &c->err));
        contract_must(c, c->b->copy(c->stream[0][0], to, from, WORDS * 4, &c->err));
        if (at_once)
            contract_must(c, c->b->batch_end(c->set, &c->err));
        contract_sync(c);
        assert_int_equal(s.kernels, times);
        assert_true(s.copies >= times);
        assert_int_equal(s.copied, times * WORDS * 4);
        assert_true(s.last_end <= c->b->now_ns(c->set));
    }
    c->b->observe(c->set, NULL, NULL);
    contract_must(c, c->b->launch(c->stream[0][0], f, &launch, &c->err));
    contract_sync(c);
    assert_int_equal(s.kernels, 2);
}

/* Two CTAs write one chunk each, and two more write a third chunk, which is sent in
   part. */
static void the_unit_sends_what_is_complete(struct contract *c)
{
    enum { THREADS = 64, BYTES = THREADS * 4 };
    static const uint32_t first[] = {0, 2, 4, 4}, chunk[] = {1, 0, 1, 1, 1, 2};
    static const uint32_t writers[] = {1, 1, 2}, piece_first[] = {0, 1, 2, 3},
                          peers[] = {1};
    device_addr from = contract_words(c, 0, WORDS), to = contract_words(c, 1, WORDS);
    const struct device_piece pieces[] = {{from, BYTES, 0, 1},
                                          {from + BYTES, BYTES, 0, 1},
                                          {from + 2 * BYTES, BYTES + 8, 0, 1}};
    const int64_t deltas[] = {(int64_t)(to - from)};
    const struct device_unit unit = {.chunk_count = 3,
                                     .cta_count = 4,
                                     .first = first,
                                     .chunk = chunk,
                                     .writers = writers,
                                     .piece_first = piece_first,
                                     .pieces = pieces,
                                     .peer_count = 1,
                                     .peers = peers,
                                     .deltas = deltas};
    const struct contract_parameters p = contract_u64_u32(from, 4 * THREADS);
    const struct device_launch launch = {.grid = {4, 1, 1},
                                         .block = {THREADS, 1, 1},
                                         .parameters = p.block,
                                         .parameter_bytes = p.bytes,
                                         .unit = &unit};
    struct device_function *f;
    uint32_t out[4 * THREADS];

    if (!c->b->has_unit)
        return;
    contract_must(c, c->b->fill(c->stream[0][0], from, 0, WORDS * 4, &c->err));
    contract_must(c, c->b->fill(c->stream[1][0], to, 0xff, WORDS * 4, &c->err));
    contract_sync(c);
    contract_must(c, c->b->function(c->module[0], "add_one", &f, &c->err));
    contract_must(c, c->b->launch(c->stream[0][0], f, &launch, &c->err));
    contract_sync(c);
    contract_get(c, 1, to, out, 4 * THREADS);
    for (uint32_t i = 0; i < 4 * THREADS; i++)
        assert_int_equal(out[i], i < 3 * THREADS + 2 ? 1 : 0xffffffff);
}

/* A mix of all operations. Returns the time at its end. */
static uint64_t play(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS), b = contract_words(c, 1, WORDS);
    const struct contract_parameters add = contract_u64_u32(a, WORDS);
    struct contract_parameters carry = {0}, count = {0};

    contract_add(&carry, &b, 8);
    contract_add(&carry, &a, 8);
    contract_add(&carry, &(uint32_t){WORDS}, 4);
    contract_add(&count, &a, 8);
    contract_must(c, c->b->fill(c->stream[0][0], a, 0, WORDS * 4, &c->err));
    contract_run(c, 0, 0, "add_one", WORDS / 64, 64, &add);
    contract_run(c, 0, 0, "carry", WORDS / 64, 64, &carry);
    contract_sync(c);
    for (unsigned d = 0; d < 2; d++)
        contract_run(c, d, 1, "count", 7, 96, &count);
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, a), 1 + 2 * 7 * 96 * 3);
    return c->b->now_ns(c->set);
}

static void the_same_seed_gives_the_same_run(struct contract *c)
{
    uint64_t first = play(c);
    struct contract again;

    if (!c->b->is_virtual)
        return;
    contract_open(&again, c->keeper, 1, 0);
    uint64_t second = play(&again);

    contract_close(&again);
    assert_int_equal(first, second);
    contract_open(&again, c->keeper, 77, 0);
    play(&again); /* another schedule, the same result */
    contract_close(&again);
}

const struct contract_promise contract_watch[] = {
    {"elapsed time grows with work", elapsed_time_grows_with_work, false},
    {"an event never recorded has no time", an_event_never_recorded_has_no_time, false},
    {"traffic is counted", traffic_is_counted, true},
    {"an observer receives every span", an_observer_receives_every_span, true},
    {"the unit sends what is complete", the_unit_sends_what_is_complete, true},
    {"the same seed gives the same run", the_same_seed_gives_the_same_run, true},
    {NULL, NULL, false},
};
