/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of who writes what, against a count of every byte and every CTA by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "transfer/table/transfer_table.h"

enum { CHUNK = 4096, DEVICES_MAX = 16, RANGES_MAX = 6, CTAS_MAX = 40 };

struct range {
    uint64_t first, bytes;
};

/* A map spelled out. */
struct spelled {
    uint32_t ctas;
    unsigned count[CTAS_MAX];
    bool in_rows[CTAS_MAX]; /* it is said at once */
    struct range range[CTAS_MAX][RANGES_MAX];
};

/* What lies in the array. */
static void spell(const struct spelled *s, uint64_t array_bytes, struct cta_runs *out)
{
    for (uint32_t cta = 0; cta < s->ctas; cta++) {
        struct rows rows[RANGES_MAX];
        uint32_t count = 0;

        for (unsigned i = 0; i < s->count[cta]; i++) {
            struct range is = s->range[cta][i];

            if (is.first < array_bytes && is.bytes > array_bytes - is.first)
                is.bytes = array_bytes - is.first;
            if (is.first < array_bytes && is.bytes &&
                (!s->in_rows[cta] || !count ||
                 !rows_go_on(&rows[count - 1], is.first, is.bytes)))
                rows[count++] = rows_one(is.first, is.bytes);
        }
        if (count)
            cta_runs_add(out, (struct cta_run){cta, 1, 0, count, 0}, rows, 0);
    }
}

struct built {
    uint32_t cta_first[DEVICES_MAX + 1];
    struct transfer_table table[DEVICES_MAX];
    struct transfer_table_request request;
    struct cta_runs written;
    struct proact_error err;
};

static enum proact_status build_for(struct built *b, struct spelled *s,
                                    uint64_t array_bytes, unsigned devices,
                                    uint64_t rise_bytes, const struct transfer_need *needs)
{
    *b = (struct built){.err = {""}};
    spell(s, array_bytes, &b->written);
    for (unsigned d = 0; d <= devices; d++)
        b->cta_first[d] = s->ctas * d / devices;
    b->request = (struct transfer_table_request){.array = "a",
                                                 .array_bytes = array_bytes,
                                                 .chunk_bytes = CHUNK,
                                                 .rise_bytes = rise_bytes,
                                                 .device_count = devices,
                                                 .cta_first = b->cta_first,
                                                 .written = &b->written,
                                                 .needs = needs};
    return transfer_table_build(&b->request, b->table, &b->err);
}

/* The chunk's bytes; an empty one may stand before or behind what a device writes. */
static struct range chunk_range(const struct transfer_table *t, uint32_t chunk)
{
    if (!t->end)
        return (struct range){(uint64_t)chunk * CHUNK, CHUNK};
    uint64_t first = chunk ? t->end[chunk - 1] : 0;

    return (struct range){first, t->end[chunk] - first};
}

static void clear(struct built *b)
{
    for (unsigned d = 0; d < DEVICES_MAX; d++)
        transfer_table_clear(&b->table[d]);
    cta_runs_clear(&b->written);
}

static bool writes_byte(const struct spelled *s, uint32_t cta, uint64_t byte)
{
    for (unsigned i = 0; i < s->count[cta]; i++)
        if (byte >= s->range[cta][i].first &&
            byte - s->range[cta][i].first < s->range[cta][i].bytes)
            return true;
    return false;
}

static bool writes_chunk(const struct spelled *s, uint32_t cta, struct range chunk,
                         uint64_t array_bytes)
{
    for (unsigned i = 0; i < s->count[cta]; i++) {
        uint64_t first = s->range[cta][i].first, bytes = s->range[cta][i].bytes;
        uint64_t low = chunk.first, end = low + chunk.bytes;
        uint64_t high = end < array_bytes ? end : array_bytes;

        if (bytes && low < high && first < high && (first >= low || bytes > low - first))
            return true;
    }
    return false;
}

/* How many chunks a CTA counts in, and which. */
static const uint32_t *list_of(const struct transfer_table *t, uint32_t cta)
{
    uint32_t n = 0;

    while (t->ctas[n].end <= cta)
        n++;
    return &t->chunk[t->ctas[n].list];
}

/* The longest run of CTAs without rows. */
static void quiet_is_right(const struct transfer_table *t)
{
    uint32_t run = 0;

    assert_true(t->quiet + t->quiet_count <= t->cta_count);
    for (uint32_t cta = 0; cta < t->cta_count; cta++) {
        bool has_rows = list_of(t, cta)[0] > 0;

        run = has_rows ? 0 : run + 1;
        assert_true(run <= t->quiet_count);
        assert_false(has_rows && cta - t->quiet < t->quiet_count);
    }
}

/* Every CTA counts down each chunk that it writes into, and that goes anywhere, once, and
   each counter starts from that. */
static void rows_are_right(const struct spelled *s, const struct built *b, unsigned device)
{
    const struct transfer_table *t = &b->table[device];
    uint32_t first = b->cta_first[device];

    assert_int_equal(t->cta_count, b->cta_first[device + 1] - first);
    assert_int_equal(t->ctas_count ? t->ctas[t->ctas_count - 1].end : 0, t->cta_count);
    quiet_is_right(t);
    for (uint32_t c = 0; c < t->chunk_count; c++) {
        bool is_sent = t->piece_first[c + 1] > t->piece_first[c];
        uint32_t writers = 0;

        for (uint32_t cta = 0; cta < t->cta_count; cta++) {
            const uint32_t *list = list_of(t, cta);
            uint32_t rows = 0;

            for (uint32_t r = 1; r <= list[0]; r++)
                rows += list[r] == c;
            assert_int_equal(rows,
                             is_sent && writes_chunk(s, first + cta, chunk_range(t, c),
                                                     b->request.array_bytes));
            writers += rows;
        }
        assert_int_equal(t->writers[c], writers);
        assert_int_equal(transfer_table_writers(t, c, NULL, 0), writers);
    }
}

/* The peers of a device, in its own numbers, that need the byte; a bit each. */
static uint32_t wanted(const struct built *b, unsigned device, uint64_t byte)
{
    const unsigned devices = b->request.device_count;
    uint32_t peers = 0;

    for (unsigned i = 0; i + 1 < devices; i++) {
        const struct transfer_need *need =
            b->request.needs ? &b->request.needs[(device + 1 + i) % devices] : NULL;
        bool wants = !need || need->all;

        for (size_t n = 0; need && n < need->spans.count; n++)
            wants |= byte >= need->spans.span[n].first && byte < need->spans.span[n].end;
        peers |= wants ? 1u << i : 0;
    }
    return peers;
}

/* Takes what goes to some peers from what is to go; nothing goes twice, or for nothing. */
static void take(uint32_t *left, uint64_t first, uint64_t bytes, struct transfer_peers to)
{
    const uint32_t peers = ((1u << to.count) - 1) << to.first;

    assert_true(to.count > 0);
    for (uint64_t byte = first; byte < first + bytes; byte++) {
        assert_int_equal(left[byte] & peers, peers);
        left[byte] &= ~peers;
    }
}

/* What goes to whom, if the device owns it. */
static uint64_t expect(const struct spelled *s, const struct built *b, unsigned device,
                       uint32_t *left)
{
    const struct transfer_table *t = &b->table[device];
    uint64_t bytes = 0;

    for (uint64_t byte = 0; byte < b->request.array_bytes; byte++) {
        size_t at = spans_from(&t->owned, byte);
        bool owned = false;

        for (uint32_t cta = b->cta_first[device]; cta < b->cta_first[device + 1]; cta++)
            owned |= writes_byte(s, cta, byte);
        assert_int_equal(owned, at < t->owned.count && t->owned.span[at].first <= byte);
        left[byte] = owned ? wanted(b, device, byte) : 0;
        bytes += (uint64_t)__builtin_popcount(left[byte]);
    }
    return bytes;
}

static void nothing_left(const struct built *b, const uint32_t *left)
{
    for (uint64_t byte = 0; byte < b->request.array_bytes; byte++)
        assert_int_equal(left[byte], 0);
}

/* Pieces lie within their chunk, small ones behind the others, and send what the device
   owns to who needs it; so do the stretches that are made of them. */
static void pieces_are_right(const struct spelled *s, const struct built *b,
                             unsigned device)
{
    const struct transfer_table *t = &b->table[device];
    uint32_t *left = must_calloc(b->request.array_bytes, sizeof *left);
    uint64_t bytes = expect(s, b, device, left), to_peers = 0;
    uint32_t chunks = 0;

    assert_int_equal(t->piece_first[t->chunk_count], t->piece_count);
    for (uint32_t c = 0; c < t->chunk_count; c++) {
        uint32_t peers = 0;

        chunks += t->piece_first[c + 1] > t->piece_first[c];
        for (uint32_t p = t->piece_first[c]; p < t->piece_first[c + 1]; p++) {
            struct range chunk = chunk_range(t, c);
            const struct proact_piece *piece = &t->piece[p];

            assert_true(piece->first_byte >= chunk.first);
            assert_true(piece->first_byte - chunk.first + piece->bytes <= chunk.bytes);
            assert_true(p == t->piece_first[c] || piece[-1].bytes > PROACT_SMALL ||
                        piece->bytes <= PROACT_SMALL);
            take(left, piece->first_byte, piece->bytes, transfer_piece_peers(piece));
            peers |= ((1u << piece->peer_count) - 1) << piece->first_peer;
        }
        to_peers += (uint64_t)__builtin_popcount(peers);
    }
    nothing_left(b, left);
    expect(s, b, device, left);
    for (uint32_t r = 0; r < t->send_count; r++)
        take(left, t->send[r].first, t->send[r].bytes, t->send[r].to);
    nothing_left(b, left);
    assert_int_equal(t->bytes, bytes);
    assert_int_equal(t->chunks, to_peers);
    assert_int_equal(t->sent_chunks, chunks);
    free(left);
}

/* Rows between `low` and `high`, often where those of the CTA before it go on. */
static void draw_rows(uint64_t *r, struct spelled *s, uint32_t cta, uint64_t low,
                      uint64_t high)
{
    const struct range *before = cta && s->in_rows[cta - 1] ? s->range[cta - 1] : NULL;
    unsigned count = 2 + (unsigned)random_below(r, RANGES_MAX - 1);
    uint64_t pitch = 2 + random_below(r, (high - low) / count - 2);
    uint64_t bytes = pitch - 1;
    uint64_t first = low + random_below(r, high - low - (count - 1) * pitch - bytes + 1);

    if (before && random_below(r, 4)) {
        count = random_below(r, 4) ? s->count[cta - 1] : count;
        pitch = random_below(r, 4) ? before[1].first - before[0].first : pitch;
        first = before[0].first + before[0].bytes;
    }
    bytes = 1 + random_below(r, pitch - 1) / (random_below(r, 2) ? 8 : 1);
    if (first < low || first + (count - 1) * pitch + bytes > high)
        return;
    s->count[cta] = count;
    s->in_rows[cta] = true;
    for (unsigned i = 0; i < count; i++)
        s->range[cta][i] = (struct range){first + i * pitch, bytes};
}

/* Ranges of any length, some beyond the end, some empty; a device's own may overlap. */
static void draw(uint64_t *r, struct spelled *s, uint64_t array_bytes, unsigned devices)
{
    *s = (struct spelled){.ctas = 1 + (uint32_t)random_below(r, CTAS_MAX)};
    for (unsigned d = 0; d < devices; d++) {
        uint64_t low = array_bytes * d / devices, high = array_bytes * (d + 1) / devices;

        for (uint32_t cta = s->ctas * d / devices; cta < s->ctas * (d + 1) / devices;
             cta++) {
            if (high - low > 4 * RANGES_MAX && random_below(r, 3))
                draw_rows(r, s, cta, low, high);
            if (s->in_rows[cta])
                continue;
            s->count[cta] = (unsigned)random_below(r, RANGES_MAX + 1);
            for (unsigned i = 0; i < s->count[cta]; i++) {
                uint64_t first = low + random_below(r, high - low);
                uint64_t room = d + 1 == devices ? 2 * CHUNK : high - first;

                s->range[cta][i] = (struct range){first, random_below(r, room + 1)};
            }
        }
    }
}

static void draw_needs(uint64_t *r, struct transfer_need *needs, uint64_t array_bytes,
                       unsigned devices)
{
    for (unsigned d = 0; d < devices; d++) {
        needs[d].all = !random_below(r, 6);
        for (uint64_t n = random_below(r, 4); n > 0; n--) {
            uint64_t first = random_below(r, array_bytes);

            spans_add(&needs[d].spans, first,
                      first + 1 + random_below(r, array_bytes - first));
        }
    }
}

static void any_map_gives_the_tables_that_counting_gives(void **state)
{
    static const unsigned device_counts[] = {1, 2, 3, 4, 8, 16};
    static const uint64_t rises[] = {0, CHUNK / 2, 64};
    uint64_t r = 7;

    (void)state;
    for (unsigned i = 0; i < 120; i++) {
        unsigned devices = device_counts[i % 6];
        uint64_t bytes = 16 + random_below(&r, (i % 4 ? 5 : 40) * CHUNK);
        struct transfer_need needs[DEVICES_MAX] = {0};
        struct spelled s;
        struct built b;

        draw(&r, &s, bytes, devices);
        draw_needs(&r, needs, bytes, devices);
        assert_int_equal(
            build_for(&b, &s, bytes, devices, rises[i / 6 % 3], i % 2 ? needs : NULL),
            PROACT_OK);
        for (unsigned d = 0; d < devices; d++) {
            rows_are_right(&s, &b, d);
            pieces_are_right(&s, &b, d);
        }
        for (unsigned d = 0; d < devices; d++)
            spans_clear(&needs[d].spans);
        clear(&b);
    }
}

/* Tiles of a matrix, some rows each, line by line or column by column, forth or back: runs
   of many CTAs, which go on in the same chunks as long as the pitch has it. */
static uint64_t draw_tiles(uint64_t *r, struct spelled *s)
{
    static const uint64_t pitches[] = {CHUNK, CHUNK / 2, 2 * CHUNK, CHUNK + 512, 6144, 300};
    const uint64_t pitch = pitches[random_below(r, 6)], start = random_below(r, CHUNK);
    const uint32_t across =
                       1 + (uint32_t)random_below(r, random_below(r, 3) ? 8 : CTAS_MAX),
                   down = 1 + (uint32_t)random_below(r, CTAS_MAX / across);
    const unsigned height = 1 + (unsigned)random_below(r, RANGES_MAX);
    const uint64_t width = pitch / across, bytes = 1 + random_below(r, width);
    const bool columns = random_below(r, 2), back = random_below(r, 2);

    *s = (struct spelled){.ctas = across * down};
    for (uint32_t cta = 0; cta < s->ctas; cta++) {
        const uint32_t n = back ? s->ctas - 1 - cta : cta;
        const uint32_t x = columns ? n / down : n % across,
                       y = columns ? n % down : n / across;

        s->in_rows[cta] = true;
        s->count[cta] = height;
        for (unsigned k = 0; k < height; k++)
            s->range[cta][k] =
                (struct range){start + (y * height + k) * pitch + x * width, bytes};
    }
    return start + down * height * pitch;
}

static void tiles_give_the_tables_that_counting_gives(void **state)
{
    static const uint64_t rises[] = {0, 0, CHUNK / 2};
    uint64_t r = 5;

    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        const unsigned devices = 1 + (unsigned)random_below(&r, 3);
        struct transfer_need needs[DEVICES_MAX] = {0};
        struct spelled s;
        struct built b;
        const uint64_t bytes = draw_tiles(&r, &s);

        draw_needs(&r, needs, bytes, devices);
        assert_int_equal(
            build_for(&b, &s, bytes, devices, rises[i % 3], i % 2 ? needs : NULL),
            PROACT_OK);
        for (unsigned d = 0; d < devices; d++) {
            rows_are_right(&s, &b, d);
            spans_clear(&needs[d].spans);
        }
        clear(&b);
    }
}

/* 1, 1.5, and 2 with the rest, which is less than half of the next. */
static void chunks_rise_within_a_share(void **state)
{
    static const uint64_t ends[] = {0, CHUNK, CHUNK * 5 / 2, CHUNK * 11 / 2, CHUNK * 6};
    struct spelled s = {.ctas = 2,
                        .count = {1, 1},
                        .range = {{{0, CHUNK * 11 / 2}}, {{CHUNK * 11 / 2, CHUNK / 2}}}};
    struct built b;

    (void)state;
    assert_int_equal(build_for(&b, &s, CHUNK * 6, 2, CHUNK / 2, NULL), PROACT_OK);
    assert_int_equal(b.table[0].chunk_count, 5);
    for (unsigned c = 0; c < 5; c++)
        assert_int_equal(b.table[0].end[c], ends[c]);
    assert_int_equal(b.table[0].sent_chunks, 3);
    clear(&b);
}

static void a_straddling_chunk_is_sent_in_parts(void **state)
{
    struct spelled s = {.ctas = 2, .count = {1, 1}, .range = {{{0, 6000}}, {{6000, 4001}}}};
    struct built b;

    (void)state;
    assert_int_equal(build_for(&b, &s, 10000, 2, 0, NULL), PROACT_OK);
    assert_int_equal(b.table[0].piece_count, 2);
    assert_int_equal(b.table[0].piece[1].first_byte, 4096);
    assert_int_equal(b.table[0].piece[1].bytes, 6000 - 4096);
    assert_int_equal(b.table[1].piece[0].first_byte, 6000);
    assert_int_equal(b.table[1].piece[0].bytes, 8192 - 6000);
    assert_int_equal(b.table[1].piece[1].bytes, 10000 - 8192);
    assert_int_equal(b.table[0].send_count, 1);
    assert_int_equal(b.table[0].bytes + b.table[1].bytes, 10000);
    clear(&b);
}

static void two_devices_may_not_own_a_byte(void **state)
{
    struct spelled s = {.ctas = 4,
                        .count = {1, 1, 1, 1},
                        .range = {{{0, 100}}, {{8000, 1001}}, {{500, 10}}, {{9000, 8}}}};
    struct built b;

    (void)state;
    assert_int_equal(build_for(&b, &s, 10000, 2, 0, NULL), PROACT_EINVAL);
    assert_string_equal(b.err.text, "array 'a': its map gives byte 9000 both to CTA 1 on "
                                    "device 0 and to CTA 3 on device 1");
    clear(&b);
    s.range[1][0].bytes = 1000;
    assert_int_equal(build_for(&b, &s, 10000, 2, 0, NULL), PROACT_OK);
    clear(&b);
    s.range[1][0].bytes = 1001; /* the same two on one device are nobody's business */
    assert_int_equal(build_for(&b, &s, 10000, 1, 0, NULL), PROACT_OK);
    clear(&b);
}

/* A long range of one device that hides behind a longer one of another. */
static void a_conflict_is_found_behind_longer_ranges(void **state)
{
    uint64_t r = 11;

    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        struct spelled s = {.ctas = 6};
        struct built b;
        bool shared = false;

        for (uint32_t cta = 0; cta < s.ctas; cta++) {
            s.count[cta] = 1;
            s.range[cta][0] =
                (struct range){random_below(&r, 300), 1 + random_below(&r, 60)};
        }
        for (uint64_t byte = 0; byte < 400; byte++) {
            unsigned owners = 0;

            for (uint32_t d = 0; d < 3; d++)
                owners += writes_byte(&s, 2 * d, byte) || writes_byte(&s, 2 * d + 1, byte);
            shared |= owners > 1;
        }
        assert_int_equal(build_for(&b, &s, 400, 3, 0, NULL),
                         shared ? PROACT_EINVAL : PROACT_OK);
        clear(&b);
    }
}

static void even_maps_are_told_by_numbers(void **state)
{
    static const uint32_t runs[] = {512, 4096, 1024, 700, 8192};
    struct spelled s = {.ctas = CTAS_MAX};
    struct built b;

    (void)state;
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        for (uint32_t c = 0; c < CTAS_MAX; c++) {
            s.count[c] = 1;
            s.range[c][0] = (struct range){(uint64_t)c * runs[i], runs[i]};
        }
        assert_int_equal(build_for(&b, &s, (uint64_t)CTAS_MAX * runs[i], 3, 0, NULL),
                         PROACT_OK);
        for (unsigned d = 0; d < 3; d++) {
            uint32_t ahead = 0, regular = transfer_table_regular(&b.table[d], &ahead);

            assert_int_equal(regular != 0, i < 3);
            for (uint32_t c = 0; c < b.table[d].cta_count && regular; c++)
                assert_int_equal(list_of(&b.table[d], c)[1], (c + ahead) >> (regular - 1));
        }
        clear(&b);
    }
    s.count[7] = 0; /* writes nothing */
    assert_int_equal(build_for(&b, &s, (uint64_t)CTAS_MAX * 8192, 1, 0, NULL), PROACT_OK);
    assert_int_equal(transfer_table_regular(&b.table[0], &s.count[0]), 0);
    clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_map_gives_the_tables_that_counting_gives),
        cmocka_unit_test(tiles_give_the_tables_that_counting_gives),
        cmocka_unit_test(chunks_rise_within_a_share),
        cmocka_unit_test(a_straddling_chunk_is_sent_in_parts),
        cmocka_unit_test(two_devices_may_not_own_a_byte),
        cmocka_unit_test(a_conflict_is_found_behind_longer_ranges),
        cmocka_unit_test(even_maps_are_told_by_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
