/* SPDX-License-Identifier: Apache-2.0 */
/* Strided copies; every byte of both sides is checked. */
#include <stdlib.h>
#include <string.h>

#include "device/contract.h"

enum { SPACE = 1 << 16 }; /* words of a small buffer */

/* Two buffers and their expected content. */
struct pair {
    struct contract *c;
    unsigned to_device, from_device;
    device_addr to, from;
    size_t bytes;
    unsigned char *expected, *source, *noted;
};

static struct pair pair_make(struct contract *c, unsigned to, unsigned from, size_t words)
{
    struct pair p = {.c = c, .to_device = to, .from_device = from, .bytes = words * 4};

    p.to = contract_words(c, to, words);
    p.from = contract_words(c, from, words);
    p.expected = malloc(p.bytes);
    p.source = malloc(p.bytes);
    p.noted = malloc(p.bytes);
    assert_true(p.expected && p.source && p.noted);
    for (size_t i = 0; i < p.bytes; i++) {
        p.source[i] = (unsigned char)(i * 2654435761u >> 16);
        p.expected[i] = 0xee;
    }
    contract_must(c, c->b->write(c->stream[from][0], p.from, p.source, p.bytes, &c->err));
    contract_must(c, c->b->fill(c->stream[to][0], p.to, 0xee, p.bytes, &c->err));
    contract_sync(c);
    return p;
}

/* The copy with both sides moved to their start offsets. */
static struct device_rows placed(const struct pair *p, struct device_rows r)
{
    for (size_t y = 0; y < r.count && r.bytes; y++)
        memcpy(p->expected + r.to + y * r.to_pitch, p->source + r.from + y * r.from_pitch,
               r.bytes);
    r.to += p->to;
    r.from += p->from;
    return r;
}

static void pair_copy(const struct pair *p, unsigned device, struct device_rows r)
{
    struct contract *c = p->c;

    r = placed(p, r);
    contract_must(c, c->b->copy_rows(c->stream[device][0], &r, &c->err));
}

static void pair_end(const struct pair *p)
{
    struct contract *c = p->c;

    contract_sync(c);
    contract_must(
        c, c->b->read(c->stream[p->to_device][0], p->noted, p->to, p->bytes, &c->err));
    assert_memory_equal(p->noted, p->expected, p->bytes);
    contract_must(
        c, c->b->read(c->stream[p->from_device][0], p->noted, p->from, p->bytes, &c->err));
    assert_memory_equal(p->noted, p->source, p->bytes);
    c->b->free(c->set, p->to_device, p->to);
    c->b->free(c->set, p->from_device, p->from);
    free(p->expected);
    free(p->source);
    free(p->noted);
}

/* Narrow and wide rows, with pitches that are no power of two, and small gaps on one
   side. */
static const struct device_rows shapes[] = {
    {.to = 3, .from = 5, .bytes = 1, .count = 700, .to_pitch = 7, .from_pitch = 11},
    {.to = 8000, .from = 4, .bytes = 4, .count = 6000, .to_pitch = 8, .from_pitch = 20},
    {.to = 60000, .from = 0, .bytes = 8, .count = 5000, .to_pitch = 16, .from_pitch = 8},
    {.to = 144000,
     .from = 9,
     .bytes = 100,
     .count = 50,
     .to_pitch = 100,
     .from_pitch = 333},
    {.to = 150000,
     .from = 1,
     .bytes = 100,
     .count = 50,
     .to_pitch = 100,
     .from_pitch = 100},
    {.to = 160001,
     .from = 7,
     .bytes = 30000,
     .count = 2,
     .to_pitch = 30001,
     .from_pitch = 100001},
    {.to = 224000,
     .from = 1600,
     .bytes = 4800,
     .count = 5,
     .to_pitch = 4816,
     .from_pitch = 8000},
    {.to = 249600, .from = 32, .bytes = 12000, .count = 1},
    {.to = 261632, .bytes = 4, .count = 40, .to_pitch = 8, .from_pitch = 5},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void copy_of_many_shapes(struct contract *c, unsigned to, unsigned from,
                                unsigned device, bool recorded)
{
    struct pair p = pair_make(c, to, from, SPACE);
    struct device_graph *g = NULL;

    if (recorded)
        contract_must(c, c->b->capture_begin(c->set, &c->err));
    for (size_t i = 0; i < SHAPES; i++)
        pair_copy(&p, device, shapes[i]);
    if (recorded) {
        contract_must(c, c->b->capture_end(c->set, &g, &c->err));
        contract_must(c, c->b->graph_launch(g, &c->err));
    }
    pair_end(&p);
    c->b->graph_destroy(g);
}

static void rows_move_within_a_device(struct contract *c)
{
    copy_of_many_shapes(c, 0, 0, 0, false);
}

static void a_graph_moves_rows_within_a_device(struct contract *c)
{
    copy_of_many_shapes(c, 0, 0, 0, true);
}

static void a_graph_moves_rows_between_devices(struct contract *c)
{
    for (unsigned puller = 0; puller < 2; puller++)
        copy_of_many_shapes(c, 1, 0, puller, true);
}

/* A device's stream pushes to its peer and pulls from it. */
static void rows_move_between_devices(struct contract *c)
{
    for (unsigned puller = 0; puller < 2; puller++)
        copy_of_many_shapes(c, 1, 0, puller, false);
}

/* Each row belongs to its own part of a long copy, if the backend splits long copies. */
static void long_rows_move_between_devices(struct contract *c)
{
    enum { MEGABYTE = 1 << 20 };
    struct pair p = pair_make(c, 1, 0, 4 * MEGABYTE);

    pair_copy(&p, 0,
              (struct device_rows){.to = 5,
                                   .from = 2,
                                   .bytes = 700001,
                                   .count = 4,
                                   .to_pitch = 700009,
                                   .from_pitch = 4 * MEGABYTE - 77});
    pair_end(&p);
}

/* More than the backend's staging memory holds: with short rows, long rows, and a single
   row that is too long. */
static const struct device_rows long_shapes[] = {
    {.to = 5,
     .from = 2,
     .bytes = 30000,
     .count = 300,
     .to_pitch = 30008,
     .from_pitch = 30013},
    {.to = 9100000, .bytes = 100, .count = 1500, .to_pitch = 100, .from_pitch = 333},
    {.to = 9300001,
     .from = 7,
     .bytes = 700001,
     .count = 3,
     .to_pitch = 700009,
     .from_pitch = 900000},
    {.to = 12000000,
     .from = 1,
     .bytes = 1100000,
     .count = 2,
     .to_pitch = 1100001,
     .from_pitch = 1200000},
};

static void rows_from_the_host(struct contract *c, size_t words,
                               const struct device_rows *some, size_t count)
{
    struct pair p = pair_make(c, 0, 0, words);

    for (size_t i = 0; i < count; i++) {
        struct device_rows r = placed(&p, some[i]);

        r.from += (uintptr_t)p.source - p.from;
        contract_must(c, device_write_rows(c->b, c->stream[0][0], &r, &c->err));
    }
    pair_end(&p);
}

static void rows_to_the_host(struct contract *c, size_t words,
                             const struct device_rows *some, size_t count)
{
    struct pair p = pair_make(c, 0, 0, words);
    unsigned char *into = malloc(p.bytes);

    assert_non_null(into);
    memset(into, 0xee, p.bytes);
    for (size_t i = 0; i < count; i++) {
        struct device_rows r = placed(&p, some[i]);

        r.to += (uintptr_t)into - p.to;
        contract_must(c, device_read_rows(c->b, c->stream[0][0], &r, &c->err));
    }
    assert_memory_equal(into, p.expected, p.bytes);
    free(into);
    memset(p.expected, 0xee, p.bytes);
    pair_end(&p);
}

static void rows_come_from_the_host(struct contract *c)
{
    rows_from_the_host(c, SPACE, shapes, SHAPES);
    rows_from_the_host(c, 4 << 20, long_shapes, sizeof long_shapes / sizeof *long_shapes);
}

static void rows_go_to_the_host(struct contract *c)
{
    rows_to_the_host(c, SPACE, shapes, SHAPES);
    rows_to_the_host(c, 4 << 20, long_shapes, sizeof long_shapes / sizeof *long_shapes);
}

/* A written source may change immediately, and the write follows earlier operations. A read
   has the data on return. */
static void the_hosts_rows_keep_their_place(struct contract *c)
{
    enum { WORDS = 3000 };
    device_addr a = contract_words(c, 0, WORDS);
    const struct contract_parameters add = contract_u64_u32(a, WORDS);
    struct device_stream *s = c->stream[0][0];
    uint32_t out[WORDS], odd[WORDS / 2];

    contract_must(c, c->b->fill(s, a, 0, sizeof out, &c->err));
    contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
    for (uint32_t i = 0; i < WORDS / 2; i++)
        odd[i] = 100;
    contract_must(c, device_write_rows(
                         c->b, s,
                         &(struct device_rows){a + 4, (uintptr_t)odd, 4, WORDS / 2, 8, 4},
                         &c->err));
    memset(odd, 0, sizeof odd);
    contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
    contract_must(c, device_read_rows(
                         c->b, s,
                         &(struct device_rows){(uintptr_t)odd, a + 4, 4, WORDS / 2, 4, 8},
                         &c->err));
    contract_get(c, 0, a, out, WORDS);
    for (uint32_t i = 0; i < WORDS; i++) {
        assert_int_equal(out[i], i % 2 ? 101 : 2);
        assert_int_equal(odd[i / 2], 101);
    }
}

static void no_rows_are_nothing(struct contract *c)
{
    struct pair p = pair_make(c, 0, 0, SPACE);

    pair_copy(&p, 0, (struct device_rows){.bytes = 4, .to_pitch = 4, .from_pitch = 4});
    pair_copy(&p, 0, (struct device_rows){.count = 4, .to_pitch = 4, .from_pitch = 4});
    for (size_t count = 0; count <= 4; count += 4) {
        const struct device_rows none = {p.to, (uintptr_t)p.source, count ? 0 : 4, count, 4,
                                         4};
        const struct device_rows back = {
            (uintptr_t)p.source, p.to, count ? 0 : 4, count, 4, 4};

        contract_must(c, device_write_rows(c->b, c->stream[0][0], &none, &c->err));
        contract_must(c, device_read_rows(c->b, c->stream[0][0], &back, &c->err));
    }
    pair_end(&p);
}

/* A single row needs no pitch. */
static void one_row_is_a_copy(struct contract *c)
{
    struct pair p = pair_make(c, 0, 0, SPACE);

    pair_copy(&p, 0, (struct device_rows){.to = 1, .from = 6, .bytes = 999, .count = 1});
    pair_end(&p);
}

static void rows_that_overlap_are_refused(struct contract *c)
{
    struct pair p = pair_make(c, 0, 0, SPACE);
    struct device_rows r = {p.to, p.from, 8, 3, 7, 8};

    contract_refused(c, c->b->copy_rows(c->stream[0][0], &r, &c->err), PROACT_EINVAL);
    r.to_pitch = 8, r.from_pitch = 4;
    contract_refused(c, c->b->copy_rows(c->stream[0][0], &r, &c->err), PROACT_EINVAL);
    pair_end(&p);
}

/* The copy follows earlier operations and precedes later ones. */
static void rows_keep_their_place(struct contract *c)
{
    enum { WORDS = 3000 };
    device_addr a = contract_words(c, 0, WORDS), b = contract_words(c, 0, WORDS);
    const struct contract_parameters add = contract_u64_u32(a, WORDS);
    const struct device_rows odd = {b, a + 4, 4, WORDS / 2, 8, 8};
    struct device_stream *s = c->stream[0][0];
    uint32_t out[WORDS];

    contract_must(c, c->b->fill(s, a, 0, sizeof out, &c->err));
    contract_must(c, c->b->fill(s, b, 1, sizeof out, &c->err));
    contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
    contract_must(c, c->b->copy_rows(s, &odd, &c->err));
    contract_must(c, c->b->copy(s, b + 8, a, 4, &c->err));
    contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
    contract_must(c, c->b->copy(s, b + 16, a, 4, &c->err));
    contract_must(
        c, c->b->copy_rows(s, &(struct device_rows){b + 16, a, 4, 2, 16, 8}, &c->err));
    contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
    contract_get(c, 0, b, out, WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(out[i], i % 2 ? 0x01010101 : i == 4 || i == 8 ? 2 : 1);
}

/* In a graph, launched twice: copies a result of the graph's kernel to another address or
   device. */
static void replay_rows(struct contract *c, unsigned to)
{
    enum { WORDS = 3000 };
    device_addr a = contract_words(c, 0, WORDS), b = contract_words(c, to, WORDS);
    const struct contract_parameters add = contract_u64_u32(a, WORDS);
    const struct device_rows third = {b + 4, a + 8, 4, WORDS / 3, 12, 12};
    struct device_graph *g;
    uint32_t out[WORDS];

    contract_must(c, c->b->fill(c->stream[0][0], a, 0, sizeof out, &c->err));
    contract_must(c, c->b->fill(c->stream[to][0], b, 0, sizeof out, &c->err));
    contract_sync(c);
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_run(c, 0, 0, "add_one", WORDS / 100, 100, &add);
    contract_must(c, c->b->copy_rows(c->stream[0][0], &third, &c->err));
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    contract_sync(c);
    for (uint32_t round = 0; round <= 2; round++) {
        contract_get(c, to, b, out, WORDS);
        for (uint32_t i = 0; i < WORDS; i++)
            assert_int_equal(out[i], i % 3 == 1 ? round : 0);
        contract_must(c, c->b->graph_launch(g, &c->err));
        contract_sync(c);
    }
    c->b->graph_destroy(g);
}

/* Blocks of words on device 0; each is filled with its number. */
struct blocks {
    struct contract *c;
    device_addr at;
    uint32_t words, count;
};

static struct blocks blocks_make(struct contract *c, uint32_t count, uint32_t words)
{
    struct blocks b = {c, contract_words(c, 0, (size_t)count * words), words, count};
    uint32_t *out = malloc((size_t)count * words * sizeof *out);

    assert_non_null(out);
    for (uint32_t i = 0; i < count * words; i++)
        out[i] = i / words;
    contract_must(
        c, c->b->write(c->stream[0][0], b.at, out, count * words * sizeof *out, &c->err));
    contract_sync(c);
    free(out);
    return b;
}

static device_addr block_at(const struct blocks *b, uint32_t number)
{
    return b->at + (device_addr)number * b->words * 4;
}

static void block_copy(const struct blocks *b, unsigned stream, uint32_t to, uint32_t from)
{
    struct contract *c = b->c;

    contract_must(c, c->b->copy(c->stream[0][stream], block_at(b, to), block_at(b, from),
                                b->words * 4, &c->err));
}

/* Ends the capture, launches the graph, and checks the blocks from `first` on. */
static void blocks_play(const struct blocks *b, uint32_t first, const uint32_t *expected)
{
    struct contract *c = b->c;
    const uint32_t words = (b->count - first) * b->words;
    uint32_t *out = malloc(words * sizeof *out);
    struct device_graph *g;

    assert_non_null(out);
    contract_must(c, c->b->capture_end(c->set, &g, &c->err));
    contract_must(c, c->b->graph_launch(g, &c->err));
    contract_get(c, 0, block_at(b, first), out, words);
    for (uint32_t i = 0; i < words; i++)
        assert_int_equal(out[i], expected[i / b->words]);
    c->b->graph_destroy(g);
    free(out);
}

/* Each copy depends on the previous one. */
static void a_graphs_copies_follow_each_other(struct contract *c)
{
    static const uint32_t copies[][2] = {{1, 0}, {2, 1}, {3, 0}, {0, 3}, {4, 3}, {0, 4}};
    static const uint32_t expected[] = {0, 0, 0, 0x09090909};
    const struct blocks b = blocks_make(c, 5, 64);
    struct device_stream *s = c->stream[0][0];

    contract_must(c, c->b->capture_begin(c->set, &c->err));
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        block_copy(&b, 0, copies[i][0], copies[i][1]);
    contract_must(c, c->b->fill(s, block_at(&b, 4), 9, b.words * 4, &c->err));
    contract_must(c, c->b->copy(s, block_at(&b, 0), block_at(&b, 4), 4, &c->err));
    blocks_play(&b, 1, expected);
    assert_int_equal(contract_word(c, 0, b.at), 0x09090909);
    assert_int_equal(contract_word(c, 0, b.at + 4), 0);
}

/* Later copies overwrite earlier ones, which read their sources before. */
static void a_graphs_copies_overwrite_in_turn(struct contract *c)
{
    static const uint32_t copies[][2] = {{3, 0}, {3, 2}, {0, 1}, {2, 1}};
    static const uint32_t expected[] = {1, 1, 1, 2};
    const struct blocks b = blocks_make(c, 4, 64);

    contract_must(c, c->b->capture_begin(c->set, &c->err));
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        block_copy(&b, 0, copies[i][0], copies[i][1]);
    blocks_play(&b, 0, expected);
}

/* Another stream of the device waits for the copies. */
static void a_graphs_copies_are_waited_for(struct contract *c)
{
    static const uint32_t expected[] = {0, 0, 0};
    const struct blocks b = blocks_make(c, 3, 10000);
    struct device_stream *s = c->stream[0][0], *t = c->stream[0][1];
    struct device_event *copied;

    contract_must(c, c->b->event_create(c->set, 0, false, &copied, &c->err));
    contract_must(c, c->b->capture_begin(c->set, &c->err));
    contract_must(c, c->b->fill(t, block_at(&b, 2), 7, b.words * 4, &c->err));
    block_copy(&b, 0, 1, 0);
    contract_must(c, c->b->record(s, copied, &c->err));
    contract_must(c, c->b->wait_event(t, copied, &c->err));
    block_copy(&b, 1, 2, 1);
    blocks_play(&b, 0, expected);
    c->b->event_destroy(copied);
}

static void a_graph_copies_rows(struct contract *c)
{
    replay_rows(c, 0);
}

static void a_graph_copies_rows_between_devices(struct contract *c)
{
    replay_rows(c, 1);
}

const struct contract_promise contract_rows[] = {
    {"rows move within a device", rows_move_within_a_device, false},
    {"rows move between devices", rows_move_between_devices, true},
    {"long rows move between devices", long_rows_move_between_devices, true},
    {"no rows are nothing", no_rows_are_nothing, false},
    {"one row is a copy", one_row_is_a_copy, false},
    {"rows that overlap are refused", rows_that_overlap_are_refused, false},
    {"rows keep their place", rows_keep_their_place, false},
    {"rows come from the host", rows_come_from_the_host, false},
    {"rows go to the host", rows_go_to_the_host, false},
    {"the host's rows keep their place", the_hosts_rows_keep_their_place, false},
    {"a graph moves rows within a device", a_graph_moves_rows_within_a_device, false},
    {"a graph moves rows between devices", a_graph_moves_rows_between_devices, true},
    {"a graph's copies follow each other", a_graphs_copies_follow_each_other, false},
    {"a graph's copies overwrite in turn", a_graphs_copies_overwrite_in_turn, false},
    {"a graph's copies are waited for", a_graphs_copies_are_waited_for, false},
    {"a graph copies rows", a_graph_copies_rows, false},
    {"a graph copies rows between devices", a_graph_copies_rows_between_devices, true},
    {NULL, NULL, false},
};
