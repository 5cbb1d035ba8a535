/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of writers, compared with a count of every byte and every CTA. */
#include "table_testing.h"

/* Mask of the device's peers, in its own numbering, that need the byte. */
static uint32_t wanted(const struct built *b, unsigned device, uint64_t byte)
{
    const unsigned devices = b->request.device_count;
    uint32_t peers = 0;

    for (unsigned i = 0; i + 1 < devices; i++) {
        const struct transfer_need *need =
            b->request.needs ? &b->request.needs[(device + 1 + i) % devices] : NULL;
        bool reads = !need || need->all;

        for (size_t n = 0; need && n < need->spans.count; n++)
            reads |= byte >= need->spans.span[n].first && byte < need->spans.span[n].end;
        peers |= reads ? 1u << i : 0;
    }
    return peers;
}

/* Removes the bytes sent to `to` from the bytes still due. Nothing is sent twice, or
   without need. */
static void take(uint32_t *left, uint64_t first, uint64_t bytes, struct transfer_peers to)
{
    const uint32_t peers = ((1u << to.count) - 1) << to.first;

    assert_true(to.count > 0);
    for (uint64_t byte = first; byte < first + bytes; byte++) {
        assert_int_equal(left[byte] & peers, peers);
        left[byte] &= ~peers;
    }
}

/* Bytes due to each peer, if the device owns them. */
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

/* Pieces of one chunk lie within it and go to some of the peers of `within`. Removes their
   bytes; returns their peers. */
static uint32_t chunk_is_right(const struct transfer_table *t, uint32_t chunk,
                               const uint32_t *first, const struct proact_piece *pieces,
                               uint32_t within, uint32_t *left)
{
    const struct range range = chunk_range(t, chunk);
    uint32_t peers = 0;

    for (uint32_t p = first[chunk]; p < first[chunk + 1]; p++) {
        const struct proact_piece *piece = &pieces[p];

        assert_true(piece->first_byte >= range.first);
        assert_true(piece->first_byte - range.first + piece->bytes <= range.bytes);
        take(left, piece->first_byte, piece->bytes, transfer_piece_peers(piece));
        peers |= ((1u << piece->peer_count) - 1) << piece->first_peer;
    }
    assert_int_equal(peers & ~within, 0);
    return peers;
}

static uint64_t copied_bytes(const struct transfer_table *t)
{
    uint64_t bytes = 0;

    for (uint32_t p = 0; p < t->copied_count; p++)
        bytes += (uint64_t)t->copied[p].bytes * t->copied[p].peer_count;
    return bytes;
}

/* Small pieces of a chunk are last. */
static void small_pieces_are_last(const struct transfer_table *t, uint32_t chunk)
{
    for (uint32_t p = t->piece_first[chunk] + 1; p < t->piece_first[chunk + 1]; p++)
        assert_true(t->piece[p - 1].bytes > PROACT_SMALL_PIECE_BYTES ||
                    t->piece[p].bytes <= PROACT_SMALL_PIECE_BYTES);
}

/* The pieces and the copied pieces send the bytes that the device owns to the peers that
   need them, within reach and out of reach; so do the strided copies made of them. */
static void pieces_are_right(const struct spelled *s, const struct built *b,
                             unsigned device)
{
    const struct transfer_table *t = &b->table[device];
    uint32_t *left = must_calloc(b->request.array_bytes, sizeof *left);
    const uint32_t all = (1u << (b->request.device_count - 1)) - 1;
    const uint32_t within = transfer_table_reached(&b->request, device);
    uint64_t bytes = expect(s, b, device, left), to_peers = 0, to_copied = 0;
    uint32_t chunks = 0;

    assert_int_equal(t->piece_first[t->chunk_count], t->piece_count);
    assert_int_equal(t->copied_first != NULL, within != all);
    for (uint32_t c = 0; c < t->chunk_count; c++) {
        uint32_t peers = chunk_is_right(t, c, t->piece_first, t->piece, within, left);
        uint32_t copied = t->copied_first ? chunk_is_right(t, c, t->copied_first, t->copied,
                                                           all & ~within, left)
                                          : 0;

        small_pieces_are_last(t, c);
        chunks += transfer_table_sends(t, c);
        to_peers += (uint64_t)__builtin_popcount(peers | copied);
        to_copied += (uint64_t)__builtin_popcount(copied);
    }
    nothing_left(b, left);
    expect(s, b, device, left);
    for (uint32_t r = 0; r < t->send_count; r++)
        take(left, t->send[r].first, t->send[r].bytes, t->send[r].to);
    nothing_left(b, left);
    assert_int_equal(t->bytes, bytes);
    assert_int_equal(t->chunks, to_peers);
    assert_int_equal(t->copied_chunks, to_copied);
    assert_int_equal(t->copied_bytes, copied_bytes(t));
    assert_int_equal(t->sent_chunks, chunks);
    free(left);
}

/* Rows between `low` and `high` that often continue those of the previous CTA. */
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

/* Ranges of any length; some are empty or exceed the array. Ranges of one device may
   overlap. */
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
        uint32_t reached[DEVICES_MAX];
        struct spelled s;
        struct built b;

        draw(&r, &s, bytes, devices);
        draw_needs(&r, needs, bytes, devices);
        draw_reached(&r, reached, devices);
        assert_int_equal(build_reached(&b, &s, bytes, devices, rises[i / 6 % 3],
                                       i % 2 ? needs : NULL, i / 2 % 2 ? reached : NULL),
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

/* Chunk sizes 1, 1.5 and 2. The last chunk also takes the remainder, which is less than
   half of the next size. */
static void chunks_grow_within_a_partition(void **state)
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
    s.range[1][0].bytes = 1001; /* an overlap on one device is allowed */
    assert_int_equal(build_for(&b, &s, 10000, 1, 0, NULL), PROACT_OK);
    clear(&b);
}

/* A long range of one device that precedes the end of a longer one of another device. */
static void a_conflict_after_longer_ranges_is_found(void **state)
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

static void regular_maps_are_given_by_numbers(void **state)
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
        cmocka_unit_test(chunks_grow_within_a_partition),
        cmocka_unit_test(a_straddling_chunk_is_sent_in_parts),
        cmocka_unit_test(two_devices_may_not_own_a_byte),
        cmocka_unit_test(a_conflict_after_longer_ranges_is_found),
        cmocka_unit_test(regular_maps_are_given_by_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
