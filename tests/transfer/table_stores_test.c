/* SPDX-License-Identifier: Apache-2.0 */
/* Peers of stores, compared with the needs of every byte. */
#include "transfer/table_testing.h"

enum { ARRAY_BYTES = 1 << 14, DEVICES = 4 };

struct stored {
    struct cta_runs written;
    struct transfer_need need[DEVICES];
    uint32_t reached[DEVICES]; /* used if has_reached */
    bool has_reached;
    uint32_t cta_first[DEVICES + 1];
    struct transfer_table table[DEVICES];
};

static void stored_build(struct stored *s, uint32_t ctas, bool has_needs)
{
    struct proact_error err = {""};

    for (unsigned d = 0; d <= DEVICES; d++)
        s->cta_first[d] = ctas * d / DEVICES;
    if (transfer_table_build(
            &(struct transfer_table_request){.array = "a",
                                             .array_bytes = ARRAY_BYTES,
                                             .chunk_bytes = CHUNK,
                                             .device_count = DEVICES,
                                             .cta_first = s->cta_first,
                                             .written = &s->written,
                                             .needs = has_needs ? s->need : NULL,
                                             .reached = s->has_reached ? s->reached : NULL,
                                             .by_store = true},
            s->table, &err))
        fail_msg("%s", err.text);
}

static void stored_clear(struct stored *s)
{
    for (unsigned d = 0; d < DEVICES; d++) {
        spans_clear(&s->need[d].spans);
        transfer_table_clear(&s->table[d]);
    }
    cta_runs_clear(&s->written);
}

/* Peers of `device` within reach. */
static uint32_t reached_by(const struct stored *s, unsigned device)
{
    return s->has_reached ? s->reached[device] : (1u << (DEVICES - 1)) - 1;
}

/* Peers of `device` within reach that need the byte. */
static uint32_t peers_of_byte(const struct stored *s, unsigned device, uint64_t byte)
{
    uint32_t peers = 0;

    for (unsigned i = 0; i + 1 < DEVICES; i++) {
        const struct transfer_need *need = &s->need[(device + 1 + i) % DEVICES];
        const size_t at = spans_from(&need->spans, byte);

        if (need->all || (at < need->spans.count && need->spans.span[at].first <= byte))
            peers |= 1u << i;
    }
    return peers & reached_by(s, device);
}

/* What the kernel sends a store to that byte to. */
static uint32_t peers_of_store(const struct transfer_table *t, uint32_t cta, uint64_t byte)
{
    const struct proact_stores *s = &t->stores;
    const uint32_t line = (uint32_t)(byte / PROACT_LINE_BYTES);
    uint32_t peers = 0;

    if (cta - s->unsent_first < s->unsent_count)
        return 0;
    if (!s->region_count)
        return t->store_peers ? t->store_peers[cta] : (1u << (DEVICES - 1)) - 1;
    for (uint32_t i = 0; i < s->region_count; i++)
        if (line - s->region[i].first_line < s->region[i].lines)
            peers |= s->region[i].peers;
    return peers;
}

/* Expects that each needed store is sent, that no line or CTA without need is, that none
   goes out of reach, and the number of bytes. */
static void stores_are_right(const struct stored *s, unsigned device)
{
    const struct transfer_table *t = &s->table[device];
    uint64_t bytes = 0;

    for (uint32_t cta = 0; cta < t->cta_count; cta++) {
        struct cta_runs_walk w = cta_runs_walk(&s->written, s->cta_first[device] + cta,
                                               s->cta_first[device] + cta + 1);
        uint32_t all = 0;

        for (struct span b; cta_runs_span(&w, &b);)
            for (uint64_t byte = b.first; byte < b.end; byte++) {
                const uint32_t needed = peers_of_byte(s, device, byte),
                               sent = peers_of_store(t, cta, byte);

                assert_int_equal(needed & ~sent, 0);
                assert_int_equal(sent & ~reached_by(s, device), 0);
                bytes += (uint64_t)__builtin_popcount(sent);
                all |= needed;
            }
        if (t->store_peers)
            assert_int_equal(t->store_peers[cta], all);
    }
    if (!t->stores.region_count)
        assert_int_equal(t->store_bytes, bytes);
    else /* a CTA without need may share a line with one that has some */
        assert_true(t->store_bytes >= bytes);
    assert_true(bytes >= t->bytes - t->copied_bytes);
}

/* A run of CTAs: contiguous, or tiles of some rows that lie next to each other. */
static uint32_t draw_run(uint64_t *r, struct cta_runs *out)
{
    const uint64_t bytes = 4 + 4 * random_below(r, 40), rows = 1 + random_below(r, 6);
    const uint32_t ctas = (uint32_t)(ARRAY_BYTES / (bytes * rows));
    const struct rows tile = {0, bytes, rows > 1 ? ctas * bytes : 0, (uint32_t)rows};

    cta_runs_add(out, (struct cta_run){0, ctas, 0, 1, bytes}, &tile, 0);
    return ctas;
}

static void needed_stores_are_sent(void **state)
{
    uint64_t r = 1;

    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        struct stored s = {.cta_first = {0}};
        const uint32_t ctas = draw_run(&r, &s.written);

        draw_needs(&r, s.need, ARRAY_BYTES, DEVICES);
        for (unsigned d = 0; d < DEVICES && i % 3; d++)
            s.need[d].all = false;
        draw_reached(&r, s.reached, DEVICES);
        s.has_reached = i % 2;
        stored_build(&s, ctas, true);
        for (unsigned d = 0; d < DEVICES; d++)
            stores_are_right(&s, d);
        stored_clear(&s);
    }
}

/* The interior of a stencil stores to no peer, and each boundary to its neighbour. */
static void a_boundary_goes_to_its_neighbour(void **state)
{
    enum { BYTES = 128, CTAS = ARRAY_BYTES / BYTES, EACH = CTAS / DEVICES };
    struct stored s = {.cta_first = {0}};
    const struct rows row = rows_one(0, BYTES);

    (void)state;
    cta_runs_add(&s.written, (struct cta_run){0, CTAS, 0, 1, BYTES}, &row, 0);
    for (unsigned d = 0; d < DEVICES; d++)
        spans_add(&s.need[d].spans, d ? d * EACH * BYTES - 4 : 0,
                  (d + 1) * EACH * BYTES + (d + 1 < DEVICES ? 4 : 0));
    stored_build(&s, CTAS, true);
    for (unsigned d = 0; d < DEVICES; d++) {
        const struct proact_stores *is = &s.table[d].stores;
        const bool has_left = d > 0, has_right = d + 1 < DEVICES;

        stores_are_right(&s, d);
        assert_int_equal(is->unsent_first, has_left);
        assert_int_equal(is->unsent_count, EACH - has_left - has_right);
        assert_int_equal(is->region_count, has_left + has_right);
        assert_int_equal(s.table[d].store_bytes,
                         (has_left + has_right) * PROACT_LINE_BYTES);
        if (has_right)
            assert_int_equal(is->region[has_left].peers, 1u << 0);
        if (has_left)
            assert_int_equal(is->region[0].peers, 1u << (DEVICES - 2));
    }
    stored_clear(&s);
}

/* A peer out of reach gets no store, also if every peer needs every byte. */
static void peers_out_of_reach_get_none(void **state)
{
    struct stored s = {.has_reached = true, .reached = {5, 7, 0, 7}};
    const struct rows row = rows_one(0, 64);

    (void)state;
    cta_runs_add(&s.written, (struct cta_run){0, 64, 0, 1, 64}, &row, 0);
    stored_build(&s, 64, false);
    assert_int_equal(s.table[0].stores.region_count, 1);
    assert_int_equal(s.table[0].stores.region[0].peers, 5);
    assert_int_equal(s.table[0].store_bytes, 2 * 16 * 64);
    assert_int_equal(s.table[0].copied_bytes, 16 * 64);
    assert_null(s.table[1].store_peers);
    assert_int_equal(s.table[2].stores.unsent_count, 16);
    assert_int_equal(s.table[2].store_bytes, 0);
    assert_int_equal(s.table[2].copied_bytes, 3 * 16 * 64);
    stored_clear(&s);
}

/* Without known readers every store goes to every peer; without readers, to none. */
static void unknown_readers_get_all(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct stored s = {.cta_first = {0}};
        const struct rows row = rows_one(0, 64);

        cta_runs_add(&s.written, (struct cta_run){0, 64, 0, 1, 64}, &row, 0);
        stored_build(&s, 64, known);
        for (unsigned d = 0; d < DEVICES; d++) {
            assert_int_equal(s.table[d].store_peers != NULL, known);
            assert_int_equal(s.table[d].stores.region_count, 0);
            assert_int_equal(s.table[d].stores.unsent_count, known ? 16 : 0);
            assert_int_equal(s.table[d].store_bytes, known ? 0 : 3 * 16 * 64);
        }
        stored_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needed_stores_are_sent),
        cmocka_unit_test(a_boundary_goes_to_its_neighbour),
        cmocka_unit_test(peers_out_of_reach_get_none),
        cmocka_unit_test(unknown_readers_get_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
