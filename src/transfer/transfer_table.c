/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/transfer_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "transfer/table_owned.h"
#include "transfer/table_pieces.h"

struct builder {
    const struct transfer_table_request *request;
    struct transfer_table *tables; /* of all devices, and ... */
    struct transfer_table *table;  /* ... of the one whose CTAs are walked */
    uint32_t cta, device;
    uint32_t *last_cta; /* by chunk: the CTA that was last seen to write it, + 1 */
    size_t row_capacity;
    struct table_owned owned;
};

static void add_chunks(struct builder *b, uint64_t first, uint64_t end)
{
    struct transfer_table *t = b->table;
    uint64_t chunk = table_chunk_of(b->request, t, first),
             last = table_chunk_of(b->request, t, end - 1);

    for (; chunk <= last; chunk++) {
        if (b->last_cta[chunk] == b->cta + 1)
            continue;
        b->last_cta[chunk] = b->cta + 1;
        t->chunk = must_grow(t->chunk, t->row_count, &b->row_capacity, sizeof *t->chunk);
        t->chunk[t->row_count++] = (uint32_t)chunk;
        t->writers[chunk]++;
    }
}

/* What lies in the array, of which all rows but a single one do; bytes is 0 for nothing. */
static struct rows cut_off(const struct rows *r, uint64_t limit)
{
    struct rows is = *r;

    if (r->first >= limit)
        is.bytes = 0;
    else if (r->bytes > limit - r->first)
        is.bytes = limit - r->first;
    return is;
}

/* Between their first byte and their last no chunk is smaller than the least. */
static void take_rows(void *sink, const struct rows *given)
{
    struct builder *b = sink;
    const struct rows r = cut_off(given, b->request->array_bytes);
    struct rows_walk w = {&r, &r + 1, 0};

    if (!r.bytes)
        return;
    if (r.pitch <= b->request->chunk_bytes)
        add_chunks(b, r.first, rows_end(&r));
    else
        for (struct span s; rows_next(&w, &s);)
            add_chunks(b, s.first, s.end);
    owned_add(&b->owned, b->device, &r);
}

struct looked_for {
    uint64_t byte;
    bool found;
};

static void look_at(void *sink, const struct rows *r)
{
    struct looked_for *l = sink;
    struct rows_walk w = {r, r + 1, 0};

    for (struct span s; rows_next(&w, &s);)
        l->found |= l->byte - s.first < s.end - s.first;
}

/* A CTA of the device that writes the byte, of which there is one. */
static uint32_t writer_of(const struct builder *b, uint32_t device, uint64_t byte)
{
    const struct transfer_table_request *r = b->request;
    struct looked_for l = {byte, false};
    uint32_t cta = r->cta_first[device];

    for (; cta < r->cta_first[device + 1]; cta++) {
        r->map.ranges_of(r->map.context, cta, look_at, &l);
        if (l.found)
            break;
    }
    return cta;
}

static enum proact_status find_conflict(const struct builder *b, struct proact_error *err)
{
    const struct owned *one, *other;

    if (!owned_conflict(&b->owned, &one, &other))
        return PROACT_OK;
    return fail(
        err, PROACT_EINVAL,
        "array '%s': its map gives byte %llu both to CTA %u on device %u and to CTA %u "
        "on device %u",
        b->request->array, (unsigned long long)other->first,
        writer_of(b, one->device, other->first), one->device,
        writer_of(b, other->device, other->first), other->device);
}

static void find_owned(const struct builder *b)
{
    for (size_t n = 0; n < b->owned.count; n++) {
        const struct owned *o = &b->owned.item[n];

        spans_add(&b->tables[o->device].owned, o->first, o->end);
    }
}

struct extent {
    uint64_t first, end, limit;
};

static void widen(void *sink, const struct rows *given)
{
    struct extent *e = sink;
    const struct rows r = cut_off(given, e->limit);

    if (!r.bytes)
        return;
    e->first = r.first < e->first ? r.first : e->first;
    e->end = rows_end(&r) > e->end ? rows_end(&r) : e->end;
}

/* Chunks of rising size within what the device writes, and one before and one behind it. */
static void rise(const struct transfer_table_request *r, uint32_t device,
                 struct transfer_table *t)
{
    struct extent e = {UINT64_MAX, 0, r->array_bytes};
    uint64_t bytes = r->chunk_bytes, end;
    size_t capacity = 0;

    for (uint32_t cta = r->cta_first[device]; cta < r->cta_first[device + 1]; cta++)
        r->map.ranges_of(r->map.context, cta, widen, &e);
    if (e.first > e.end)
        e.first = e.end;
    for (end = e.first;; end += bytes, bytes += r->rise_bytes) {
        bool is_last = end >= e.end || e.end - end < bytes / 2; /* no crumbs */

        t->end = must_grow(t->end, t->chunk_count, &capacity, sizeof *t->end);
        t->end[t->chunk_count++] = is_last ? e.end : end;
        if (is_last)
            break;
    }
    t->end = must_grow(t->end, t->chunk_count, &capacity, sizeof *t->end);
    t->end[t->chunk_count++] = r->array_bytes;
}

static void walk_device(struct builder *b, uint32_t device)
{
    const struct transfer_table_request *r = b->request;
    uint32_t first = r->cta_first[device], end = r->cta_first[device + 1];
    struct transfer_table *t = b->table;

    *t = (struct transfer_table){.cta_count = end - first};
    if (r->rise_bytes)
        rise(r, device, t);
    else
        t->chunk_count = (uint32_t)((r->array_bytes + r->chunk_bytes - 1) / r->chunk_bytes);
    size_t chunks = t->chunk_count;
    t->first = must_calloc((size_t)t->cta_count + 1, sizeof *t->first);
    t->writers = must_calloc(chunks, sizeof *t->writers);
    t->piece_first = must_calloc(chunks + 1, sizeof *t->piece_first);
    b->device = device;
    b->row_capacity = 0;
    for (b->cta = first; b->cta < end; b->cta++) {
        owned_begin_cta(&b->owned);
        r->map.ranges_of(r->map.context, b->cta, take_rows, b);
        t->first[b->cta - first + 1] = t->row_count;
    }
}

/* Chunks that go to nobody are not counted: a CTA that writes no others has nothing to say
   when it ends, as most of a stencil's. */
static void drop_unsent(struct transfer_table *t)
{
    uint32_t row = 0, kept = 0;

    for (uint32_t cta = 0; cta < t->cta_count; cta++) {
        for (; row < t->first[cta + 1]; row++) {
            uint32_t chunk = t->chunk[row];

            if (t->piece_first[chunk + 1] > t->piece_first[chunk])
                t->chunk[kept++] = chunk;
            else
                t->writers[chunk] = 0;
        }
        t->first[cta + 1] = kept;
    }
    t->row_count = kept;
}

static void find_quiet(struct transfer_table *t)
{
    for (uint32_t cta = 0, end; cta < t->cta_count; cta = end + 1) {
        for (end = cta; end < t->cta_count && t->first[end] == t->first[end + 1];)
            end++;
        if (end - cta > t->quiet_count) {
            t->quiet = cta;
            t->quiet_count = end - cta;
        }
    }
}

enum proact_status transfer_table_build(const struct transfer_table_request *request,
                                        struct transfer_table *tables,
                                        struct proact_error *err)
{
    uint64_t chunks =
        (request->array_bytes + request->chunk_bytes - 1) / request->chunk_bytes;
    struct builder b = {.request = request, .tables = tables};

    if (chunks >= UINT32_MAX)
        return fail(err, PROACT_EINVAL, "array '%s': %llu chunks of %llu bytes, %u allowed",
                    request->array, (unsigned long long)chunks,
                    (unsigned long long)request->chunk_bytes, UINT32_MAX - 1);
    b.last_cta = must_calloc((size_t)chunks + 3, sizeof *b.last_cta); /* rising: two more */
    for (uint32_t d = 0; d < request->device_count; d++) {
        b.table = &tables[d];
        walk_device(&b, d);
    }
    owned_sort(&b.owned, request->array_bytes);
    enum proact_status status = find_conflict(&b, err);

    if (!status)
        find_owned(&b);
    for (uint32_t d = 0; d < request->device_count && !status; d++) {
        table_pieces_cut(request, tables, d);
        drop_unsent(&tables[d]);
        find_quiet(&tables[d]);
    }
    free(b.last_cta);
    owned_clear(&b.owned);
    for (uint32_t d = 0; d < request->device_count && status; d++)
        transfer_table_clear(&tables[d]);
    return status;
}

void transfer_table_clear(struct transfer_table *t)
{
    free(t->end);
    free(t->first);
    free(t->chunk);
    free(t->writers);
    free(t->piece_first);
    free(t->piece);
    free(t->send);
    free(t->extent);
    spans_clear(&t->owned);
    *t = (struct transfer_table){0};
}

uint32_t transfer_table_writers(const struct transfer_table *t, uint32_t chunk,
                                uint32_t *out, uint32_t room)
{
    uint32_t count = 0;

    for (uint32_t cta = 0; cta < t->cta_count; cta++)
        for (uint32_t row = t->first[cta]; row < t->first[cta + 1]; row++)
            if (t->chunk[row] == chunk && count++ < room)
                out[count - 1] = cta;
    return count;
}

/* CTAs from `from` on that write into the same chunk. */
static uint32_t alike(const struct transfer_table *t, uint32_t from)
{
    uint32_t end = from;

    while (end < t->cta_count && t->chunk[end] == t->chunk[from])
        end++;
    return end - from;
}

/* The first chunk and the last may have fewer CTAs than the others. */
uint32_t transfer_table_regular(const struct transfer_table *t, uint32_t *ahead)
{
    uint32_t shift = 0;

    for (uint32_t c = 0; c <= t->cta_count; c++)
        if (t->first[c] != c)
            return 0;
    if (!t->cta_count)
        return 0;
    uint32_t first = alike(t, 0), most = first;

    if (first < t->cta_count && alike(t, first) > first)
        most = alike(t, first);
    while (shift < 31 && 1u << shift < most)
        shift++;
    uint64_t skip = ((uint64_t)t->chunk[0] << shift) +
                    (first < t->cta_count ? (1u << shift) - first : 0);

    if (skip + t->cta_count > UINT32_MAX)
        return 0;
    for (uint32_t c = 0; c < t->cta_count; c++)
        if (t->chunk[c] != (c + skip) >> shift)
            return 0;
    *ahead = (uint32_t)skip;
    return shift + 1;
}
