/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of an agent, enumerated as the agent does. All slices together send exactly the
   bytes of the pieces, once. A large chunk is divided among all CTAs of the agent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "transfer/methods/slices.h"

enum { MB = 1 << 20, CHUNKS = 3, CHUNK = 4 * MB, PIECES_MAX = 4000, ROUND = 64 << 10 };

/* Chunks of one array. The device owns these pieces and sends to three peers. */
struct owned {
    struct transfer_ctas ctas;
    uint32_t list[CHUNKS + 1], writers[CHUNKS], first[CHUNKS + 1];
    struct proact_piece piece[PIECES_MAX];
    struct transfer_tables tables;
    struct transfer_binding b;
};

static void owned_begin(struct owned *o)
{
    memset(o, 0, sizeof *o);
    o->ctas.end = 1;
    o->list[0] = CHUNKS;
    for (uint32_t c = 0; c < CHUNKS; c++) {
        o->list[1 + c] = c;
        o->writers[c] = 10 + c;
    }
    o->b.slot_count = 1;
    o->b.slot[0].tables = &o->tables;
}

static void owned_end(struct owned *o)
{
    o->tables.table[0] = (struct transfer_table){.cta_count = 1,
                                                 .chunk_count = CHUNKS,
                                                 .list_words = CHUNKS + 1,
                                                 .ctas_count = 1,
                                                 .sent_chunks = CHUNKS,
                                                 .ctas = &o->ctas,
                                                 .chunk = o->list,
                                                 .writers = o->writers,
                                                 .piece_first = o->first,
                                                 .piece = o->piece,
                                                 .piece_count = o->first[CHUNKS]};
}

static void add(struct owned *o, uint32_t chunk, uint64_t first, uint32_t bytes,
                unsigned peers)
{
    uint32_t p = o->first[chunk + 1];

    assert_true(p < PIECES_MAX);
    o->piece[p] = (struct proact_piece){first, bytes, 0, (unsigned short)peers};
    for (uint32_t c = chunk; c < CHUNKS; c++)
        o->first[c + 1]++;
}

/* Counts how often each byte goes to each peer. */
static void count(unsigned char *sent, uint64_t first, uint64_t bytes, unsigned peers)
{
    for (uint64_t byte = first; byte < first + bytes; byte++)
        sent[byte] = (unsigned char)(sent[byte] + peers);
}

static void count_small(const struct owned *o, unsigned char *sent, uint32_t piece,
                        uint32_t end)
{
    for (; piece < end; piece++) {
        assert_true(o->piece[piece].bytes <= PROACT_SMALL_PIECE_BYTES);
        count(sent, o->piece[piece].first_byte, o->piece[piece].bytes,
              o->piece[piece].peer_count);
    }
}

/* Enumerates a slice as kernels/agent.cu does. Returns the bytes sent to all peers
   together. */
static uint64_t walk(const struct owned *o, const struct agent_slice *s,
                     unsigned char *sent)
{
    struct proact_piece run = s->run;
    uint32_t next = s->next, left = s->left;
    uint64_t bytes = 0;

    for (;; next++) {
        if (run.bytes <= PROACT_SMALL_PIECE_BYTES && s->end - next + 1 > run.bytes) {
            count_small(o, sent, next - 1, s->end);
            return bytes;
        }
        assert_true(run.bytes > 0);
        count(sent, run.first_byte, run.bytes, run.peer_count);
        bytes += (uint64_t)run.bytes * run.peer_count;
        if (next == s->end) {
            assert_int_equal(left, 0);
            return bytes;
        }
        run = o->piece[next];
        run.bytes = run.bytes < left ? run.bytes : left;
        left -= run.bytes;
    }
}

/* Returns the number of slices. *least and *most receive the bytes of the smallest and the
   largest CTA. */
static uint64_t check(struct owned *o, unsigned ctas, uint64_t *least, uint64_t *most)
{
    unsigned char *sent = must_calloc(CHUNKS, CHUNK), *all = must_calloc(CHUNKS, CHUNK);
    struct agent_slice *slice;
    uint64_t slices;
    uint32_t chunk = 0;

    owned_end(o);
    slices_list(&o->b, 0, ctas, &slice, &slices);
    *least = UINT64_MAX;
    *most = 0;
    for (uint64_t i = 0; i < slices; i++) {
        uint64_t bytes = walk(o, &slice[i], sent);

        assert_true(slice[i].chunk >= chunk); /* the agent awaits chunks in this order */
        chunk = slice[i].chunk;
        assert_int_equal(slice[i].slot, 0);
        assert_int_equal(slice[i].writers, 10 + chunk);
        *least = bytes < *least ? bytes : *least;
        *most = bytes > *most ? bytes : *most;
    }
    for (uint32_t p = 0; p < o->first[CHUNKS]; p++)
        count(all, o->piece[p].first_byte, o->piece[p].bytes, o->piece[p].peer_count);
    assert_memory_equal(sent, all, (size_t)CHUNKS * CHUNK);
    free(slice);
    free(sent);
    free(all);
    return slices;
}

/* All CTAs send equal parts of a large chunk, while each part is worth the start of a
   transfer. */
static void a_large_chunk_is_divided(void **state)
{
    static const struct {
        unsigned ctas;
        uint32_t bytes, peers;
        uint64_t slices, each; /* per chunk */
    } cases[] = {
        {8, 4 * MB, 1, 8, 512 << 10},        {1, 4 * MB, 1, 1, 4 * MB},
        {32, 4 * MB, 1, 16, 256 << 10},      {8, MB, 1, 4, 256 << 10},
        {8, 256 << 10, 1, 1, 256 << 10},     {8, MB, 3, 8, 3 * (128 << 10)},
        {8, 64 << 10, 3, 1, 3 * (64 << 10)}, {2, 4 * MB, 3, 2, 6 * MB},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct owned *o = must_calloc(1, sizeof *o);
        uint64_t least, most;

        owned_begin(o);
        for (uint32_t c = 0; c < CHUNKS; c++)
            add(o, c, (uint64_t)c * CHUNK, cases[i].bytes, cases[i].peers);
        assert_int_equal(check(o, cases[i].ctas, &least, &most), CHUNKS * cases[i].slices);
        assert_int_equal(most, cases[i].each);
        assert_int_equal(least, cases[i].each);
        free(o);
    }
}

/* A remainder of a few bytes would otherwise count as one of many small pieces. */
static void a_small_remainder_is_not_separate(void **state)
{
    struct owned *o = must_calloc(1, sizeof *o);
    uint64_t least, most;

    (void)state;
    owned_begin(o);
    add(o, 0, 0, 8 * ROUND + 8, 1);
    for (unsigned i = 0; i < 40; i++)
        add(o, 0, 9 * ROUND + i * 14000, 13000, 1);
    assert_int_equal(check(o, 2, &least, &most), 2);
    assert_int_equal(most, 8 * ROUND + 8);
    free(o);
}

/* As many pieces as fit. Large ones precede small ones, as in tables. */
static void draw_chunk(uint64_t *r, struct owned *o, uint32_t chunk, uint32_t pieces)
{
    static const uint32_t sizes[] = {2000000, 70000, 5000, 160, 8};
    uint64_t at = (uint64_t)chunk * CHUNK + random_below(r, 40),
             end = at - at % CHUNK + CHUNK;
    const uint32_t size = sizes[random_below(r, 5)];

    for (uint32_t i = 0; i < pieces; i++) {
        bool is_small = i > pieces / 2;
        uint32_t bytes =
            1 + (uint32_t)random_below(r, is_small ? PROACT_SMALL_PIECE_BYTES : size);

        bytes +=
            !is_small && bytes <= PROACT_SMALL_PIECE_BYTES ? PROACT_SMALL_PIECE_BYTES : 0;
        if (at + bytes > end)
            return;
        add(o, chunk, at, bytes, 1 + (unsigned)random_below(r, 3));
        at += bytes + random_below(r, 20);
    }
}

static void every_byte_goes_once(void **state)
{
    uint64_t r = 11;

    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        const unsigned ctas = 1 + (unsigned)random_below(&r, 32);
        struct owned *o = must_calloc(1, sizeof *o);
        uint64_t least, most;

        owned_begin(o);
        for (uint32_t c = 0; c < CHUNKS; c++)
            draw_chunk(&r, o, c, 1 + (uint32_t)random_below(&r, i % 2 ? 5 : 1300));
        uint64_t slices = check(o, ctas, &least, &most);

        assert_true(slices <= (uint64_t)CHUNKS * ctas);
        /* At most an equal part, one iteration, and a piece of 32 bytes to three peers. */
        assert_true(ctas == 1 || most <= 3 * (uint64_t)CHUNK / 2 +
                                             3 * (ROUND + PROACT_SMALL_PIECE_BYTES));
        free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_large_chunk_is_divided),
                                       cmocka_unit_test(a_small_remainder_is_not_separate),
                                       cmocka_unit_test(every_byte_goes_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
