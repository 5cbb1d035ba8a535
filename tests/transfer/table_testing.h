/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture: explicit maps, and the expected content of their tables. */

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

/* An explicit map. */
struct spelled {
    uint32_t ctas;
    unsigned count[CTAS_MAX];
    bool in_rows[CTAS_MAX]; /* the map reports it as a strided range */
    struct range range[CTAS_MAX][RANGES_MAX];
};

/* The ranges within the array. */
static inline void spell(const struct spelled *s, uint64_t array_bytes,
                         struct cta_runs *out)
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

static inline enum proact_status build_reached(struct built *b, struct spelled *s,
                                               uint64_t array_bytes, unsigned devices,
                                               uint64_t rise_bytes,
                                               const struct transfer_need *needs,
                                               const uint32_t *reached)
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
                                                 .needs = needs,
                                                 .reached = reached};
    return transfer_table_build(&b->request, b->table, &b->err);
}

/* Each device reaches all others. */
static inline enum proact_status build_for(struct built *b, struct spelled *s,
                                           uint64_t array_bytes, unsigned devices,
                                           uint64_t rise_bytes,
                                           const struct transfer_need *needs)
{
    return build_reached(b, s, array_bytes, devices, rise_bytes, needs, NULL);
}

/* The chunk's bytes. An empty chunk may precede or follow the bytes that a device
   writes. */
static inline struct range chunk_range(const struct transfer_table *t, uint32_t chunk)
{
    if (!t->end)
        return (struct range){(uint64_t)chunk * CHUNK, CHUNK};
    uint64_t first = chunk ? t->end[chunk - 1] : 0;

    return (struct range){first, t->end[chunk] - first};
}

static inline void clear(struct built *b)
{
    for (unsigned d = 0; d < DEVICES_MAX; d++)
        transfer_table_clear(&b->table[d]);
    cta_runs_clear(&b->written);
}

static inline bool writes_byte(const struct spelled *s, uint32_t cta, uint64_t byte)
{
    for (unsigned i = 0; i < s->count[cta]; i++)
        if (byte >= s->range[cta][i].first &&
            byte - s->range[cta][i].first < s->range[cta][i].bytes)
            return true;
    return false;
}

static inline bool writes_chunk(const struct spelled *s, uint32_t cta, struct range chunk,
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

/* Number of chunks that a CTA counts in, and the list of them. */
static inline const uint32_t *list_of(const struct transfer_table *t, uint32_t cta)
{
    uint32_t n = 0;

    while (t->ctas[n].end <= cta)
        n++;
    return &t->chunk[t->ctas[n].list];
}

/* Expects the longest range of CTAs without chunks. */
static inline void check_silent_range(const struct transfer_table *t)
{
    uint32_t run = 0;

    assert_true(t->silent_first + t->silent_count <= t->cta_count);
    for (uint32_t cta = 0; cta < t->cta_count; cta++) {
        bool has_chunks = list_of(t, cta)[0] > 0;

        run = has_chunks ? 0 : run + 1;
        assert_true(run <= t->silent_count);
        assert_false(has_chunks && cta - t->silent_first < t->silent_count);
    }
}

/* Every CTA counts each chunk that it writes and that is sent, exactly once. Each counter's
   start value is that count. */
static inline void rows_are_right(const struct spelled *s, const struct built *b,
                                  unsigned device)
{
    const struct transfer_table *t = &b->table[device];
    uint32_t first = b->cta_first[device];

    assert_int_equal(t->cta_count, b->cta_first[device + 1] - first);
    assert_int_equal(t->ctas_count ? t->ctas[t->ctas_count - 1].end : 0, t->cta_count);
    check_silent_range(t);
    for (uint32_t c = 0; c < t->chunk_count; c++) {
        bool is_sent = transfer_table_sends(t, c);
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

/* Peers of each device, any of which may be out of reach. */
static inline void draw_reached(uint64_t *r, uint32_t *reached, unsigned devices)
{
    for (unsigned d = 0; d < devices; d++)
        reached[d] = (uint32_t)random_below(r, 1u << (devices - 1));
}

static inline void draw_needs(uint64_t *r, struct transfer_need *needs,
                              uint64_t array_bytes, unsigned devices)
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
