/* SPDX-License-Identifier: Apache-2.0 */
/* Captured operations run when their graph is launched, and not before. */
#include "device/contract.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { WORDS = 3000 };

static void clear(struct contract *c, unsigned device, device_addr a)
{
    contract_must(c, c->b->fill(c->stream[device][0], a, 0, WORDS * 4, &c->err));
    contract_sync(c);
}

static void add_one(struct contract *c, unsigned device, unsigned stream, device_addr a)
{
    const struct contract_parameters p = contract_u64_u32(a, WORDS);

    contract_run(c, device, stream, "add_one", WORDS / 100, 100, &p);
}

static void a_graph_does_again_what_was_captured(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS), copy = contract_words(c, 0, WORDS);
    struct device_graph *g;

    clear(c, 0, a);
    clear(c, 0, copy);
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    add_one(c, 0, 0, a);
    add_one(c, 0, 0, a);
    contract_must(c, c->b->copy(c->stream[0][0], copy, a, WORDS * 4, &c->err));
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, a), 0);
    for (uint32_t i = 1; i <= 5; i++)
        contract_must(c, c->b->graph_launch(g, &c->err));
    assert_int_equal(contract_word(c, 0, a + 4 * (WORDS - 1)), 10);
    assert_int_equal(contract_word(c, 0, copy), 10);
    c->b->graph_destroy(g);
}

/* A graph is ordered with all earlier and later operations of every stream. */
/* Fills of words or bytes, few or many, with kernels or by the driver. */
static void a_graph_fills_what_it_is_given(struct contract *c)
{
    static const struct {
        size_t first, bytes;
        unsigned char value;
    } fills[] = {
        {4, 8, 0xA5}, {13, 5, 7}, {20, 3, 0}, {100, 70001, 0xFF}, {80000, 600000, 3}};
    enum { BYTES = 700000, FILLS = sizeof fills / sizeof *fills };
    unsigned char *has = must_calloc(BYTES, 1), *wanted = must_calloc(BYTES, 1);
    device_addr a = contract_words(c, 0, BYTES / 4);
    struct device_graph *g;

    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], a, 0x11, BYTES, &c->err));
    memset(wanted, 0x11, BYTES);
    for (int i = 0; i < FILLS; i++) {
        contract_must(c, c->b->fill(c->stream[0][0], a + fills[i].first, fills[i].value,
                                    fills[i].bytes, &c->err));
        memset(wanted + fills[i].first, fills[i].value, fills[i].bytes);
    }
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    contract_must(c, c->b->graph_launch(g, &c->err));
    contract_get(c, 0, a, (uint32_t *)has, BYTES / 4);
    assert_memory_equal(has, wanted, BYTES);
    c->b->graph_destroy(g);
    free(has);
    free(wanted);
}

static void a_graph_has_its_place(struct contract *c)
{
    device_addr a = contract_words(c, 0, WORDS), copy = contract_words(c, 0, WORDS);
    struct contract_parameters busy = {0};
    struct device_graph *g;

    contract_add(&busy, &(uint32_t){200000}, 4);
    clear(c, 0, a);
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    add_one(c, 0, 0, a);
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    for (int i = 0; i < 2; i++) {
        contract_run(c, 0, 1, "busy", 1, 32, &busy);
        contract_must(c, c->b->fill(c->stream[0][1], a, 1, WORDS * 4, &c->err));
        contract_must(c, c->b->graph_launch(g, &c->err));
        contract_must(c, c->b->copy(c->stream[0][1], copy, a, WORDS * 4, &c->err));
        contract_sync(c);
        assert_int_equal(contract_word(c, 0, copy + 4 * (WORDS - 1)), 0x01010102);
    }
    c->b->graph_destroy(g);
}

/* Streams of both devices, ordered by events within the graph. Records before the capture
   do not count. */
static void a_graph_spans_devices(struct contract *c)
{
    device_addr a[2] = {contract_words(c, 0, WORDS), contract_words(c, 1, WORDS)};
    struct device_event *made, *sent;
    struct device_graph *g;
    struct contract_parameters busy = {0};

    contract_add(&busy, &(uint32_t){20000}, 4);
    for (unsigned d = 0; d < 2; d++)
        clear(c, d, a[d]);
    contract_must(c, c->b->event_create(c->set, 0, false, &made, &c->err));
    contract_must(c, c->b->event_create(c->set, 1, false, &sent, &c->err));
    contract_must(c, c->b->record(c->stream[1][0], sent, &c->err));
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_must(c, c->b->wait_event(c->stream[0][0], sent, &c->err));
    contract_run(c, 0, 0, "busy", 1, 32, &busy);
    add_one(c, 0, 0, a[0]);
    contract_must(c, c->b->copy(c->stream[0][0], a[1], a[0], WORDS * 4, &c->err));
    contract_must(c, c->b->record(c->stream[0][0], made, &c->err));
    contract_must(c, c->b->wait_event(c->stream[1][1], made, &c->err));
    add_one(c, 1, 1, a[1]);
    contract_must(c, c->b->copy(c->stream[1][1], a[0], a[1], WORDS * 4, &c->err));
    contract_must(c, c->b->record(c->stream[1][1], sent, &c->err));
    contract_must(c, c->b->wait_event(c->stream[0][1], sent, &c->err));
    add_one(c, 0, 1, a[0]);
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    for (int i = 0; i < 4; i++)
        contract_must(c, c->b->graph_launch(g, &c->err));
    contract_must(c, c->b->wait_event(c->stream[1][0], sent, &c->err));
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, a[0] + 4 * (WORDS - 1)), 12);
    assert_int_equal(contract_word(c, 1, a[1]), 11);
    c->b->graph_destroy(g);
    c->b->event_destroy(made);
    c->b->event_destroy(sent);
}

/* Copies between two buffers, more often than a driver's queue has entries. */
static void copy_often(struct contract *c, unsigned d, device_addr a, device_addr b)
{
    enum { OFTEN = 1500 };

    for (int i = 0; i < OFTEN; i++)
        contract_must(
            c, c->b->copy(c->stream[d][0], i % 2 ? a : b, i % 2 ? b : a, 4, &c->err));
}

/* The device that is launched first waits for the other one, with many operations after the
   wait. */
static void a_long_graph_spans_devices(struct contract *c)
{
    device_addr a[2] = {contract_words(c, 0, WORDS), contract_words(c, 1, WORDS)};
    device_addr b[2] = {contract_words(c, 0, WORDS), contract_words(c, 1, WORDS)};
    struct device_event *made[2];
    struct device_graph *g;

    for (unsigned d = 0; d < 2; d++) {
        clear(c, d, a[d]);
        clear(c, d, b[d]);
        contract_must(c, c->b->event_create(c->set, d, false, &made[d], &c->err));
    }
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    add_one(c, 1, 0, a[1]);
    contract_must(c, c->b->record(c->stream[1][0], made[1], &c->err));
    contract_must(c, c->b->wait_event(c->stream[0][0], made[1], &c->err));
    contract_must(c, c->b->copy(c->stream[0][0], a[0], a[1], 4, &c->err));
    copy_often(c, 0, a[0], b[0]);
    contract_must(c, c->b->record(c->stream[0][0], made[0], &c->err));
    contract_must(c, c->b->wait_event(c->stream[1][0], made[0], &c->err));
    contract_must(c, c->b->copy(c->stream[1][0], a[1], b[0], 4, &c->err));
    copy_often(c, 1, a[1], b[1]);
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    for (uint32_t i = 1; i <= 3; i++) {
        contract_must(c, c->b->graph_launch(g, &c->err));
        contract_sync(c);
        assert_int_equal(contract_word(c, 1, b[1]), i);
    }
    c->b->graph_destroy(g);
    for (unsigned d = 0; d < 2; d++)
        c->b->event_destroy(made[d]);
}

/* A stream's wait precedes what it then records, for its own or another device, also
   without other operations between. */
static void hand_order_on(struct contract *c, unsigned to)
{
    device_addr made = contract_words(c, 1, WORDS), noted = contract_words(c, to, WORDS);
    struct device_event *first, *second;
    struct device_graph *g;
    struct contract_parameters busy = {0};

    contract_add(&busy, &(uint32_t){20000}, 4);
    clear(c, 1, made);
    clear(c, to, noted);
    contract_must(c, c->b->event_create(c->set, 1, false, &first, &c->err));
    contract_must(c, c->b->event_create(c->set, 0, false, &second, &c->err));
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_run(c, 1, 0, "busy", 1, 32, &busy);
    add_one(c, 1, 0, made);
    contract_must(c, c->b->record(c->stream[1][0], first, &c->err));
    contract_must(c, c->b->wait_event(c->stream[0][0], first, &c->err));
    contract_must(c, c->b->record(c->stream[0][0], second, &c->err));
    contract_must(c, c->b->wait_event(c->stream[to][1], second, &c->err));
    contract_must(c, c->b->copy(c->stream[to][1], noted, made, WORDS * 4, &c->err));
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    contract_must(c, c->b->graph_launch(g, &c->err));
    contract_sync(c);
    assert_int_equal(contract_word(c, to, noted), 1);
    c->b->graph_destroy(g);
    c->b->event_destroy(first);
    c->b->event_destroy(second);
}

static void a_graph_hands_order_on(struct contract *c)
{
    hand_order_on(c, 0);
    hand_order_on(c, 1);
}

/* A record is visible to the other device immediately, not after the stream's next wait:
   that wait depends on the other device. */
static void a_graph_holds_no_news_back(struct contract *c)
{
    device_addr a = contract_words(c, 1, WORDS), b = contract_words(c, 0, WORDS);
    struct device_event *news, *answer, *passed;
    struct device_graph *g;

    clear(c, 1, a);
    clear(c, 0, b);
    contract_must(c, c->b->event_create(c->set, 0, false, &news, &c->err));
    contract_must(c, c->b->event_create(c->set, 1, false, &answer, &c->err));
    contract_must(c, c->b->event_create(c->set, 0, false, &passed, &c->err));
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    add_one(c, 0, 0, b);
    contract_must(c, c->b->record(c->stream[0][0], news, &c->err));
    contract_must(c, c->b->wait_event(c->stream[1][0], news, &c->err));
    add_one(c, 1, 0, a);
    contract_must(c, c->b->record(c->stream[1][0], answer, &c->err));
    contract_must(c, c->b->wait_event(c->stream[0][1], answer, &c->err));
    add_one(c, 0, 1, b);
    contract_must(c, c->b->record(c->stream[0][1], passed, &c->err));
    contract_must(c, c->b->wait_event(c->stream[0][0], passed, &c->err));
    add_one(c, 0, 0, b);
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    contract_must(c, c->b->graph_launch(g, &c->err));
    contract_sync(c);
    assert_int_equal(contract_word(c, 0, b), 3);
    c->b->graph_destroy(g);
    c->b->event_destroy(news);
    c->b->event_destroy(answer);
    c->b->event_destroy(passed);
}

/* A stream waits within a graph for a word that the graph itself writes. */
static void a_graph_waits_for_words(struct contract *c)
{
    device_addr word = contract_words(c, 0, 1), a = contract_words(c, 0, WORDS);
    struct device_event *noted;
    struct device_graph *g;

    contract_must(c, c->b->event_create(c->set, 0, false, &noted, &c->err));
    clear(c, 0, a);
    contract_must(c, c->b->fill(c->stream[0][0], word, 0, 4, &c->err));
    contract_sync(c);
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_must(c, c->b->wait_value(c->stream[0][1], word, 3, NULL, &c->err));
    add_one(c, 0, 1, a);
    contract_must(c, c->b->record(c->stream[0][1], noted, &c->err));
    contract_must(c, c->b->write_value(c->stream[0][0], word, 3, &c->err));
    contract_must(c, c->b->wait_event(c->stream[0][0], noted, &c->err));
    contract_must(c, c->b->fill(c->stream[0][0], word, 0, 4, &c->err));
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    for (int i = 0; i < 3; i++)
        contract_must(c, c->b->graph_launch(g, &c->err));
    assert_int_equal(contract_word(c, 0, a), 3);
    c->b->graph_destroy(g);
    c->b->event_destroy(noted);
}

/* Operations during an interruption of the capture run once, before the graph. Memory that
   they allocate and write is used by the graph. */
static void a_paused_capture_takes_nothing(struct contract *c)
{
    static const uint32_t words[WORDS] = {5};
    device_addr a = contract_words(c, 0, WORDS), b;
    struct device_event *noted;
    struct device_graph *g;
    uint32_t word;

    clear(c, 0, a);
    contract_must(c, c->b->event_create(c->set, 0, false, &noted, &c->err));
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    add_one(c, 0, 0, a);
    c->b->capture_pause(c->set);
    b = contract_words(c, 0, WORDS);
    contract_must(c, c->b->write(c->stream[0][0], b, words, sizeof words, &c->err));
    add_one(c, 0, 0, b);
    contract_must(c, c->b->record(c->stream[0][0], noted, &c->err));
    contract_must(c, c->b->wait_event(c->stream[0][1], noted, &c->err));
    contract_must(c, c->b->read(c->stream[0][1], &word, b, sizeof word, &c->err));
    c->b->capture_resume(c->set);
    assert_int_equal(word, 6);
    add_one(c, 0, 0, b);
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    for (int i = 0; i < 2; i++)
        contract_must(c, c->b->graph_launch(g, &c->err));
    assert_int_equal(contract_word(c, 0, a), 2);
    assert_int_equal(contract_word(c, 0, b), 8);
    c->b->graph_destroy(g);
    c->b->event_destroy(noted);
}

const struct contract_promise contract_graphs[] = {
    {"a graph does again what was captured", a_graph_does_again_what_was_captured, false},
    {"a graph has its place", a_graph_has_its_place, false},
    {"a graph fills what it is given", a_graph_fills_what_it_is_given, false},
    {"a graph spans devices", a_graph_spans_devices, true},
    {"a long graph spans devices", a_long_graph_spans_devices, true},
    {"a graph hands order on", a_graph_hands_order_on, true},
    {"a graph holds no news back", a_graph_holds_no_news_back, true},
    {"a graph waits for words", a_graph_waits_for_words, false},
    {"a paused capture takes nothing", a_paused_capture_takes_nothing, false},
    {NULL, NULL, false},
};
