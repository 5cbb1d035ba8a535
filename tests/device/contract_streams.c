/* SPDX-License-Identifier: Apache-2.0 */
/* Order within a stream, by events, and by waits for words in memory. */
#include "device/contract.h"

enum { WORDS = 3000, LONG = 20000 };

static struct contract_parameters loops(uint32_t n)
{
    struct contract_parameters p = {0};

    contract_add(&p, &n, 4);
    return p;
}

static void clear(struct contract *c, unsigned device, device_addr a, size_t bytes)
{
    contract_must(c, c->b->fill(c->stream[device][0], a, 0, bytes, &c->err));
}

static void a_stream_keeps_order(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS), copy = contract_words(c, 0, WORDS);
    const struct contract_parameters add = contract_u64_u32(a, WORDS);
    uint32_t out[WORDS];

    clear(c, 0, a, sizeof out);
    for (int i = 0; i < 3; i++)
        contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
    contract_must(c, c->b->copy(c->stream[0][0], copy, a, sizeof out, &c->err));
    contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
    contract_get(c, 0, copy, out, WORDS);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(out[i], 3);
    assert_int_equal(contract_word(c, 0, a + 4 * (WORDS - 1)), 4);
}

static void an_event_orders_streams(struct contract *c)
{
    for (unsigned device = 0; device < 2; device++) { /* device of the waiting stream */
        device_addr a = contract_words(c, 0, WORDS), b = contract_words(c, device, WORDS);
        const struct contract_parameters add = contract_u64_u32(a, WORDS),
                                         busy = loops(LONG);
        struct device_event *event;

        contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
        clear(c, 0, a, WORDS * 4);
        contract_run(c, 0, 0, "busy", 1, 32, &busy);
        contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
        contract_must(c, c->b->record(c->stream[0][0], event, &c->err));
        contract_must(c, c->b->wait_event(c->stream[device][1], event, &c->err));
        contract_must(c, c->b->copy(c->stream[device][1], b, a, WORDS * 4, &c->err));
        contract_sync(c);
        assert_int_equal(contract_word(c, device, b + 4 * (WORDS - 1)), 1);
        c->b->event_destroy(event);
    }
}

/* A wait refers to the preceding record, not to a later record of the same event. */
static void an_event_may_be_recorded_again(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS), b = contract_words(c, 1, WORDS);
    const struct contract_parameters add = contract_u64_u32(a, WORDS);
    struct device_event *event, *back;

    contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
    contract_must(c, c->b->event_create(c->set, 1, false, &back, &c->err));
    assert_int_equal(c->b->record(c->stream[1][0], event, &c->err), PROACT_EINVAL);
    clear(c, 0, a, WORDS * 4);
    for (uint32_t i = 1; i <= 3; i++) {
        contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
        contract_must(c, c->b->record(c->stream[0][0], event, &c->err));
        contract_must(c, c->b->wait_event(c->stream[1][0], event, &c->err));
        contract_must(c, c->b->copy(c->stream[1][0], b, a, WORDS * 4, &c->err));
        contract_must(c, c->b->record(c->stream[1][0], back, &c->err));
        contract_must(c, c->b->wait_event(c->stream[0][0], back, &c->err));
        assert_int_equal(contract_word(c, 1, b), i);
    }
    contract_sync(c);
    c->b->event_destroy(event);
    c->b->event_destroy(back);
}

/* The operations before the event are visible in host-accessible memory, while another
   stream continues. */
static void an_event_is_waited_for(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS), shared;
    const struct contract_parameters add = contract_u64_u32(a, WORDS), busy = loops(LONG);
    struct device_event *event;

    if (!c->b->await_event || !c->b->alloc_shared)
        return;
    contract_must(c,
                  c->b->alloc_shared(c->set, 0, (size_t)WORDS * 4, true, &shared, &c->err));
    contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
    clear(c, 0, a, (size_t)WORDS * 4);
    for (uint32_t i = 1; i <= 3; i++) {
        contract_run(c, 0, 0, "busy", 1, 32, &busy);
        contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
        contract_must(c,
                      c->b->copy(c->stream[0][0], shared, a, (size_t)WORDS * 4, &c->err));
        contract_must(c, c->b->record(c->stream[0][0], event, &c->err));
        contract_run(c, 0, 1, "busy", 1, 32, &busy);
        contract_must(c, c->b->await_event(event, &c->err));
        for (int n = 0; n < WORDS; n++)
            assert_int_equal(((volatile uint32_t *)(uintptr_t)shared)[n], i);
    }
    contract_sync(c);
    c->b->event_destroy(event);
    c->b->free(c->set, 0, shared);
}

/* A query does not wait. A stream without operations is done. */
static void progress_is_queried(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS), shared;
    const struct contract_parameters add = contract_u64_u32(a, WORDS), busy = loops(LONG);
    struct device_stream *s = c->stream[0][0];
    struct device_event *event;
    bool was_under_way = false;

    if (!c->b->progress || !c->b->alloc_shared)
        return;
    contract_must(c,
                  c->b->alloc_shared(c->set, 0, (size_t)WORDS * 4, true, &shared, &c->err));
    contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
    clear(c, 0, a, (size_t)WORDS * 4);
    contract_sync(c);
    assert_int_equal(c->b->progress(c->set, c->stream[0][1], NULL), PROACT_PROGRESS_DONE);
    assert_int_equal(c->b->progress(c->set, NULL, NULL), PROACT_PROGRESS_DONE);
    for (int by = 0; by < 3; by++) {
        enum proact_progress now;

        contract_run(c, 0, 0, "busy", 1, 32, &busy);
        contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
        contract_must(c, c->b->copy(s, shared, a, (size_t)WORDS * 4, &c->err));
        contract_must(c, c->b->record(s, event, &c->err));
        while ((now = c->b->progress(c->set, by == 1 ? s : NULL, by == 2 ? event : NULL)) ==
               PROACT_PROGRESS_RUNNING)
            was_under_way = true;
        assert_int_equal(now, PROACT_PROGRESS_DONE);
        for (int n = 0; n < WORDS; n++)
            assert_int_equal(((volatile uint32_t *)(uintptr_t)shared)[n], by + 1);
    }
    assert_true(was_under_way);
    contract_sync(c);
    c->b->event_destroy(event);
    c->b->free(c->set, 0, shared);
}

/* A loop of queries might never end, so the answer is unknown. */
static void progress_behind_a_wait_is_unknown(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1);

    if (!c->b->progress)
        return;
    clear(c, 0, word, 4);
    contract_sync(c);
    contract_must(c, c->b->wait_value(c->stream[0][1], word, 1, NULL, &c->err));
    assert_int_equal(c->b->progress(c->set, c->stream[0][1], NULL),
                     PROACT_PROGRESS_UNKNOWN);
    contract_must(c, c->b->write_value(c->stream[0][0], word, 1, &c->err));
    contract_sync(c);
    assert_int_equal(c->b->progress(c->set, c->stream[0][1], NULL), PROACT_PROGRESS_DONE);
}

/* The awaited write may never come. The wait then fails as synchronize does. */
static void an_event_behind_a_wait_is_watched(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1);
    struct device_event *event;

    if (!c->b->await_event)
        return;
    clear(c, 0, word, 4);
    contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
    contract_must(c, c->b->wait_value(c->stream[0][1], word, 1, NULL, &c->err));
    contract_must(c, c->b->record(c->stream[0][1], event, &c->err));
    contract_must(c, c->b->write_value(c->stream[0][0], word, 1, &c->err));
    contract_must(c, c->b->await_event(event, &c->err));
    c->b->event_destroy(event);
}

/* The waiting stream is queued first. The word is on its device, the writer on either
   device. */
static void a_value_orders_streams(struct contract *c)
{
    for (unsigned writer = 0; writer < 2; writer++) {
        device_addr word = contract_words(c, 1, 1), a = contract_words(c, 1, WORDS);
        const struct contract_parameters add = contract_u64_u32(a, WORDS),
                                         busy = loops(LONG);
        uint32_t out[WORDS];

        clear(c, 1, word, 4);
        clear(c, 1, a, sizeof out);
        contract_sync(c);
        contract_must(c, c->b->wait_value(c->stream[1][1], word, 5, NULL, &c->err));
        contract_run(c, 1, 1, "add_one", WORDS / 100, 100, &add);
        contract_run(c, writer, 0, "busy", 1, 32, &busy);
        contract_must(c, c->b->fill(c->stream[writer][0], a, 1, sizeof out, &c->err));
        contract_must(c, c->b->write_value(c->stream[writer][0], word, 6, &c->err));
        contract_sync(c);
        contract_get(c, 1, a, out, WORDS);
        assert_int_equal(out[0], 0x01010102);
        assert_int_equal(out[WORDS - 1], 0x01010102);
    }
}

static void values_are_compared_by_signed_distance(struct contract *c)
{
    static const uint32_t pairs[][2] = {{3, 3}, {4, 3}, {2, 0xfffffffe}, {0x80000002, 3}};
    device_addr word = contract_words(c, 0, 1), a = contract_words(c, 0, 1);
    uint32_t rounds = sizeof pairs / sizeof *pairs;

    clear(c, 0, a, 4);
    for (uint32_t i = 0; i < rounds; i++) {
        const struct contract_parameters add = contract_u64_u32(a, 1);

        contract_must(c, c->b->write_value(c->stream[0][0], word, pairs[i][0], &c->err));
        contract_must(c,
                      c->b->wait_value(c->stream[0][0], word, pairs[i][1], NULL, &c->err));
        contract_run(c, 0, 0, "add_one", 1, 1, &add);
    }
    assert_int_equal(contract_word(c, 0, a), rounds);
}

/* The comparison is cyclic: 0xfffffffe is before 1. */
static void a_value_before_the_turn_is_waited_for(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1), a = contract_words(c, 0, 1);
    const struct contract_parameters add = contract_u64_u32(a, 1), busy = loops(LONG);

    contract_must(c, c->b->write_value(c->stream[0][0], word, 0xfffffffe, &c->err));
    contract_sync(c);
    contract_must(c, c->b->wait_value(c->stream[0][1], word, 1, NULL, &c->err));
    contract_run(c, 0, 1, "add_one", 1, 1, &add);
    contract_run(c, 0, 0, "busy", 1, 32, &busy);
    contract_must(c, c->b->fill(c->stream[0][0], a, 0, 4, &c->err));
    contract_must(c, c->b->write_value(c->stream[0][0], word, 1, &c->err));
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, a), 1);
}

static void time_goes_on(struct contract *c)
{
    const struct contract_parameters busy = loops(LONG);
    uint64_t before;

    contract_sync(c);
    before = c->b->now_ns(c->set);
    contract_run(c, 0, 0, "busy", 1, 32, &busy);
    contract_sync(c);
    assert_true(c->b->now_ns(c->set) > before);
}

enum { LONG_HOLD_MS = 5000, SHORT_HOLD_MS = 20 };

static struct device_event *hold_stream(struct contract *c, int stream, unsigned limit_ms)
{
    struct device_event *event;

    contract_must(c, c->b->event_create(c->set, 0, false, &event, &c->err));
    contract_must(c, c->b->hold(c->stream[0][stream], limit_ms * 1000000ull, &c->err));
    contract_must(c, c->b->record(c->stream[0][stream], event, &c->err));
    return event;
}

static struct device_event *hold(struct contract *c, unsigned limit_ms)
{
    return hold_stream(c, 0, limit_ms);
}

/* Other streams continue. */
static void a_blocked_stream_waits(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1);
    const struct contract_parameters busy = loops(LONG);
    enum proact_progress now;

    if (!c->b->hold)
        return;
    clear(c, 0, word, 4);
    contract_sync(c);
    struct device_event *event = hold(c, LONG_HOLD_MS);

    contract_run(c, 0, 1, "busy", 1, 32, &busy);
    while (c->b->progress(c->set, c->stream[0][1], NULL) == PROACT_PROGRESS_RUNNING)
        ;
    assert_int_equal(c->b->progress(c->set, NULL, event), PROACT_PROGRESS_RUNNING);
    c->b->let_go(c->set);
    while ((now = c->b->progress(c->set, NULL, event)) == PROACT_PROGRESS_RUNNING)
        ;
    assert_int_equal(now, PROACT_PROGRESS_DONE);
    contract_sync(c);
    c->b->event_destroy(event);
}

/* A release does not end a later hold, and a later hold does not cancel the release. */
static void a_release_ends_earlier_holds(struct contract *c)
{
    if (!c->b->hold)
        return;
    struct device_event *first = hold_stream(c, 0, LONG_HOLD_MS);

    c->b->let_go(c->set);
    struct device_event *second = hold_stream(c, 1, LONG_HOLD_MS);

    contract_must(c, c->b->await_event(first, &c->err));
    assert_int_equal(c->b->progress(c->set, NULL, second), PROACT_PROGRESS_RUNNING);
    c->b->let_go(c->set);
    contract_sync(c);
    c->b->event_destroy(first);
    c->b->event_destroy(second);
}

/* The releasing thread may be blocked in the driver. */
static void a_hold_ends_by_itself(struct contract *c)
{
    if (!c->b->hold)
        return;
    struct device_event *event = hold(c, SHORT_HOLD_MS);

    assert_int_equal(c->b->progress(c->set, NULL, event), PROACT_PROGRESS_RUNNING);
    contract_sync(c);
    assert_int_equal(c->b->progress(c->set, NULL, event), PROACT_PROGRESS_DONE);
    c->b->event_destroy(event);
}

const struct contract_promise contract_streams[] = {
    {"a stream keeps order", a_stream_keeps_order, false},
    {"an event orders streams", an_event_orders_streams, true},
    {"an event may be recorded again", an_event_may_be_recorded_again, true},
    {"an event is waited for", an_event_is_waited_for, false},
    {"an event behind a wait is watched", an_event_behind_a_wait_is_watched, false},
    {"progress is queried", progress_is_queried, false},
    {"progress behind a wait is unknown", progress_behind_a_wait_is_unknown, false},
    {"a value orders streams", a_value_orders_streams, true},
    {"values are compared by signed distance", values_are_compared_by_signed_distance,
     false},
    {"a value before the turn is waited for", a_value_before_the_turn_is_waited_for, false},
    {"a held stream waits", a_blocked_stream_waits, false},
    {"a release ends earlier holds", a_release_ends_earlier_holds, false},
    {"a hold ends by itself", a_hold_ends_by_itself, false},
    {"time goes on", time_goes_on, false},
    {NULL, NULL, false},
};
