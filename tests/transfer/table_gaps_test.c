/* SPDX-License-Identifier: Apache-2.0 */
/* Closing of small gaps between the ranges that a device writes. A gap is closed if the
   device reads it and no CTA writes it. */
#include "table_testing.h"

enum { GAP_MAX = ROWS_GAP_NARROW, BYTES = 3 * CHUNK };

/* Tables with the read set of each device; build_for() has none. */
struct closed {
    struct transfer_need reads[DEVICES_MAX];
    struct transfer_table table[DEVICES_MAX];
};

static enum proact_status close_gaps(struct built *b, struct closed *c)
{
    struct transfer_table_request request = b->request;

    request.reads = c->reads;
    return transfer_table_build(&request, c->table, &b->err);
}

static void drop(struct built *b, struct closed *c)
{
    for (unsigned d = 0; d < DEVICES_MAX; d++) {
        transfer_table_clear(&c->table[d]);
        spans_clear(&c->reads[d].spans);
    }
    clear(b);
}

static bool holds(const struct spans *s, uint64_t byte)
{
    const size_t at = spans_from(s, byte);

    return at < s->count && s->span[at].first <= byte;
}

/* Strided words of each CTA, after those of the previous CTA. Some leave space for other
   CTAs. */
static void draw_words(uint64_t *r, struct spelled *s)
{
    uint64_t first = random_below(r, 32);

    *s = (struct spelled){.ctas = 2 + (uint32_t)random_below(r, 12)};
    for (uint32_t cta = 0; cta < s->ctas; cta++) {
        const uint64_t bytes = 1 + random_below(r, 24);
        const uint64_t pitch = bytes + 1 + random_below(r, random_below(r, 3) ? 24 : 100);

        s->in_rows[cta] = true;
        s->count[cta] = 1 + (unsigned)random_below(r, RANGES_MAX);
        for (unsigned i = 0; i < s->count[cta]; i++)
            s->range[cta][i] = (struct range){first + i * pitch, bytes};
        first += (s->count[cta] - 1) * pitch + (random_below(r, 4) ? pitch : bytes);
        if (random_below(r, 20) == 0) /* the next CTA's words lie between these */
            first -= pitch * (s->count[cta] - 1);
    }
}

static void draw_reads(uint64_t *r, struct closed *c, unsigned devices)
{
    for (unsigned d = 0; d < devices; d++) {
        c->reads[d].all = !random_below(r, 3);
        for (uint64_t n = random_below(r, 3); n > 0; n--) {
            uint64_t first = random_below(r, 400);

            spans_add(&c->reads[d].spans, first, first + 1 + random_below(r, 1000));
        }
    }
}

/* A byte of a closed gap: the device does not write it but reads it, no CTA writes it, and
   written bytes are near. */
static void gap_is_right(const struct built *b, const struct closed *c, unsigned device,
                         uint64_t byte)
{
    const struct spans *exact = &b->table[device].owned;
    const size_t next = spans_from(exact, byte);

    assert_true(c->reads[device].all || holds(&c->reads[device].spans, byte));
    for (unsigned d = 0; d < b->request.device_count; d++)
        assert_false(holds(&b->table[d].owned, byte));
    assert_in_range(next, 1, exact->count - 1);
    assert_true(exact->span[next].first - exact->span[next - 1].end <= GAP_MAX);
}

static uint64_t owned_is_right(const struct built *b, const struct closed *c,
                               unsigned device)
{
    const struct transfer_table *t = &c->table[device];
    uint64_t bytes = 0, gaps = 0;

    for (uint64_t byte = 0; byte < BYTES; byte++) {
        const bool is_owned = holds(&t->owned, byte),
                   is_written = holds(&b->table[device].owned, byte);

        assert_true(is_owned || !is_written);
        if (is_owned && !is_written)
            gap_is_right(b, c, device, byte);
        bytes += is_owned;
        gaps += is_owned && !is_written;
    }
    assert_int_equal(t->owned_bytes, bytes);
    /* Otherwise the chunk is never complete. */
    for (uint32_t n = 0; n < t->chunk_count; n++)
        assert_true(t->piece_first[n] == t->piece_first[n + 1] || t->writers[n]);
    return gaps;
}

static void closed_gaps_are_read_and_unwritten(void **state)
{
    uint64_t r = 3, gaps = 0;
    unsigned apart = 0;

    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        const unsigned devices = 1 + (unsigned)random_below(&r, 3);
        struct closed c = {0};
        struct spelled s;
        struct built b;

        draw_words(&r, &s);
        draw_reads(&r, &c, devices);
        if (build_for(&b, &s, BYTES, devices, 0, NULL)) {
            apart++; /* two devices own a byte, also with gaps closed: */
            assert_int_equal(close_gaps(&b, &c), PROACT_EINVAL);
        } else {
            assert_int_equal(close_gaps(&b, &c), PROACT_OK);
            for (unsigned d = 0; d < devices; d++)
                gaps += owned_is_right(&b, &c, d);
        }
        drop(&b, &c);
    }
    assert_true(gaps > 20000 && apart > 20 && apart < 1000);
}

/* Every second word of eight CTAs, on two devices. */
static void draw_even(struct spelled *s)
{
    *s = (struct spelled){.ctas = 8};
    for (uint32_t cta = 0; cta < s->ctas; cta++) {
        s->in_rows[cta] = true;
        s->count[cta] = 4;
        for (unsigned i = 0; i < 4; i++)
            s->range[cta][i] = (struct range){32 * cta + 8 * i, 4};
    }
}

static void build_even(struct built *b, struct closed *c)
{
    struct spelled s;

    *c = (struct closed){.reads = {{.all = true}, {.all = true}}};
    draw_even(&s);
    assert_int_equal(build_for(b, &s, 256, 2, 0, NULL), PROACT_OK);
}

static void every_second_word_is_one_range(void **state)
{
    struct closed c;
    struct built b;

    (void)state;
    build_even(&b, &c);
    assert_int_equal(b.table[0].owned.count, 16);
    assert_int_equal(close_gaps(&b, &c), PROACT_OK);
    assert_int_equal(c.table[0].owned.count, 1);
    assert_int_equal(c.table[0].owned.span[0].end, 124);
    assert_int_equal(c.table[0].piece_count, 1);
    assert_int_equal(c.table[1].owned.span[0].first, 128);
    drop(&b, &c);
}

/* Two members of each struct, of different sizes. The rows of all CTAs follow each
   other. */
static void struct_members_are_one_range(void **state)
{
    struct closed c = {.reads = {{.all = true}, {.all = true}}}, some = {0};
    struct spelled s = {.ctas = 8};
    struct built b;

    (void)state;
    for (uint32_t cta = 0; cta < s.ctas; cta++) {
        s.count[cta] = 4;
        for (unsigned i = 0; i < 4; i++)
            s.range[cta][i] =
                (struct range){64 * cta + i / 2 * 32 + i % 2 * 20 + 8, i % 2 ? 4 : 8};
    }
    assert_int_equal(build_for(&b, &s, 512, 2, 0, NULL), PROACT_OK);
    assert_int_equal(b.table[0].owned.count, 16);
    assert_int_equal(close_gaps(&b, &c), PROACT_OK);
    assert_int_equal(c.table[0].owned.count, 1);
    assert_int_equal(c.table[1].owned_bytes, 256 - 8);
    drop(&b, &c);

    spans_add(&some.reads[0].spans, 0, 200); /* not the last CTA's gaps */
    assert_int_equal(build_for(&b, &s, 512, 2, 0, NULL), PROACT_OK);
    assert_int_equal(close_gaps(&b, &some), PROACT_OK);
    assert_int_equal(some.table[0].owned.span[some.table[0].owned.count - 1].first, 252);
    assert_int_equal(some.table[1].owned.count, 16);
    drop(&b, &some);
}

/* Gaps between CTAs with different rows are closed; wide gaps remain. */
static void gaps_between_ctas_are_closed(void **state)
{
    struct closed c = {.reads = {{.all = true}}};
    struct spelled s = {.ctas = 3,
                        .count = {2, 2, 1},
                        .in_rows = {true, true, true},
                        .range = {{{0, 4}, {8, 4}}, {{40, 2}, {46, 2}}, {{113, 1}}}};
    struct built b;

    (void)state;
    assert_int_equal(build_for(&b, &s, 256, 1, 0, NULL), PROACT_OK);
    assert_int_equal(close_gaps(&b, &c), PROACT_OK);
    assert_int_equal(c.table[0].owned.count, 2);
    assert_int_equal(c.table[0].owned.span[0].end, 48);
    assert_int_equal(c.table[0].owned_bytes, 49);
    drop(&b, &c);
}

static void written_or_unread_gaps_stay_open(void **state)
{
    struct closed c = {.reads = {{.all = true}, {.all = true}}}, unread = {0};
    struct spelled s;
    struct built b;

    (void)state;
    draw_even(&s);
    s.range[7][3].first = 4; /* device 1 writes into a gap of device 0 */
    assert_int_equal(build_for(&b, &s, 256, 2, 0, NULL), PROACT_OK);
    assert_int_equal(close_gaps(&b, &c), PROACT_OK);
    assert_int_equal(c.table[0].owned.count, 16);
    drop(&b, &c);

    draw_even(&s);
    spans_add(&unread.reads[0].spans, 0, 100); /* the gaps of CTA 3 are not all read */
    assert_int_equal(build_for(&b, &s, 256, 2, 0, NULL), PROACT_OK);
    assert_int_equal(close_gaps(&b, &unread), PROACT_OK);
    assert_int_equal(unread.table[0].owned.count, 4);
    assert_int_equal(unread.table[1].owned.count, 16);
    drop(&b, &unread);
}

static void chunks_are_longer_than_gaps(void **state)
{
    struct closed c;
    struct built b;

    (void)state;
    build_even(&b, &c);
    b.request.chunk_bytes = GAP_MAX;
    assert_int_equal(close_gaps(&b, &c), PROACT_OK);
    assert_int_equal(c.table[0].owned.count, 16);
    drop(&b, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_gaps_are_read_and_unwritten),
        cmocka_unit_test(every_second_word_is_one_range),
        cmocka_unit_test(struct_members_are_one_range),
        cmocka_unit_test(gaps_between_ctas_are_closed),
        cmocka_unit_test(written_or_unread_gaps_stay_open),
        cmocka_unit_test(chunks_are_longer_than_gaps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
