/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/table/transfer_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "transfer/table/table_count.h"
#include "transfer/table/table_owned.h"
#include "transfer/table/table_pieces.h"
#include "transfer/table/table_stores.h"

struct builder {
    const struct transfer_table_request *request;
    struct transfer_table *tables; /* of all devices */
    struct table_owned owned;
    bool closes; /* gaps between written ranges are closed if they are read */
    bool any;    /* there were strided ranges with small gaps */
};

/* Whether a gap between written ranges of the device, from `first` to `end`, may be
   closed. */
static bool may_close(const struct builder *b, uint32_t device, uint64_t first,
                      uint64_t end)
{
    const struct transfer_need *reads = &b->request->reads[device];
    const size_t at = reads->all ? 0 : spans_from(&reads->spans, first);

    if (reads->all)
        return true;
    return at < reads->spans.count && reads->spans.span[at].first <= first &&
           reads->spans.span[at].end >= end;
}

/* First CTA of a device that writes the byte; there is one. */
static uint32_t writer_of(const struct builder *b, uint32_t device, uint64_t byte)
{
    const struct transfer_table_request *r = b->request;
    uint32_t cta = r->cta_first[device];

    for (; cta < r->cta_first[device + 1]; cta++) {
        struct cta_runs_walk w = cta_runs_walk(r->written, cta, cta + 1);

        for (struct span s; cta_runs_span(&w, &s);)
            if (byte - s.first < s.end - s.first)
                return cta;
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
        b->request->array, (unsigned long long)other->rows.first,
        writer_of(b, one->device, other->rows.first), one->device,
        writer_of(b, other->device, other->rows.first), other->device);
}

/* Closes the gap between two consecutive items of a device, if gaps within items were
   closed. */
static void close_between(const struct builder *b, const struct owned *last,
                          const struct owned *next)
{
    const uint64_t first = rows_end(&last->rows), end = next->rows.first;

    if (last->device == next->device && end > first && end - first <= ROWS_GAP_NARROW &&
        may_close(b, next->device, first, end))
        spans_add(&b->tables[next->device].owned, first, end);
}

static void find_owned(const struct builder *b)
{
    for (size_t n = 0; n < b->owned.count; n++) {
        const struct owned *o = &b->owned.item[n];
        struct rows_walk w = {&o->rows, &o->rows + 1, 0};

        if (n && b->any)
            close_between(b, o - 1, o);
        for (struct span s; rows_next(&w, &s);)
            spans_add(&b->tables[o->device].owned, s.first, s.end);
    }
    for (uint32_t d = 0; d < b->request->device_count; d++)
        for (size_t n = 0; n < b->tables[d].owned.count; n++)
            b->tables[d].owned_bytes +=
                b->tables[d].owned.span[n].end - b->tables[d].owned.span[n].first;
}

/* Joins a strided range with small gaps that are read to a contiguous range. */
static void close_rows(struct builder *b, uint32_t device, struct rows *r)
{
    struct rows one = *r;

    if (rows_close(&one, ROWS_GAP_NARROW) && may_close(b, device, r->first, rows_end(r))) {
        *r = one;
        b->any = true;
    }
}

/* Appends a strided range, or joins it with the previous ones over such gaps. */
static void gather_row(struct builder *b, uint32_t device, struct rows r,
                       struct rows_list *into)
{
    struct rows *last = into->count ? &into->rows[into->count - 1] : NULL;
    struct rows both = last ? *last : r;
    const uint64_t from = both.count > 1 ? both.first : rows_end(&both),
                   to = both.count > 1 ? rows_end(&r) : r.first;

    if (last && rows_bridge(&both, &r, ROWS_GAP_NARROW) && may_close(b, device, from, to)) {
        b->any = true;
        *last = both;
        close_rows(b, device, last);
    } else {
        rows_gather_turns(into, &r);
    }
}

/* Appends the parts of a strided range that are read as contiguous ranges. */
static void gather_closed(struct builder *b, uint32_t device, struct rows r,
                          struct rows_list *into)
{
    const struct spans hull = {&(struct span){r.first, rows_end(&r)}, 1, 1};
    struct rows_walk w = {&r, &r + 1, 0};

    close_rows(b, device, &r);
    if (r.count == 1 || r.pitch - r.bytes > ROWS_GAP_NARROW ||
        !spans_meet(&b->request->reads[device].spans, &hull)) {
        gather_row(b, device, r, into);
        return;
    }
    b->any = true;
    for (struct span s; rows_next(&w, &s);)
        gather_row(b, device, rows_one(s.first, s.end - s.first), into);
}

/* Ranges that the device writes, as few as possible; their first byte and end are in *first
   and *end. */
static struct rows_list gather(struct builder *b, uint32_t device, uint64_t *first,
                               uint64_t *end)
{
    const struct transfer_table_request *r = b->request;
    struct cta_runs_walk w =
        cta_runs_walk(r->written, r->cta_first[device], r->cta_first[device + 1]);
    struct rows_list l = {0};

    *first = UINT64_MAX;
    *end = 0;
    for (struct rows rows; cta_runs_rows(&w, &rows);) {
        *first = rows.first < *first ? rows.first : *first;
        *end = rows_end(&rows) > *end ? rows_end(&rows) : *end;
        if (b->closes)
            gather_closed(b, device, rows, &l);
        else
            rows_gather_turns(&l, &rows);
    }
    return l;
}

/* Sets chunk ends of rising size within the written bytes, with one chunk before and one
   after them. */
static void rise(const struct transfer_table_request *r, struct transfer_table *t,
                 uint64_t first, uint64_t written_end)
{
    uint64_t bytes = r->chunk_bytes, end;
    size_t capacity = 0;

    if (first > written_end)
        first = written_end;
    for (end = first;; end += bytes, bytes += r->rise_bytes) {
        /* A remainder below half a chunk joins the last chunk. */
        bool is_last = end >= written_end || written_end - end < bytes / 2;

        t->end = must_grow(t->end, t->chunk_count, &capacity, sizeof *t->end);
        t->end[t->chunk_count++] = is_last ? written_end : end;
        if (is_last)
            break;
    }
    t->end = must_grow(t->end, t->chunk_count, &capacity, sizeof *t->end);
    t->end[t->chunk_count++] = r->array_bytes;
}

static void open_device(struct builder *b, uint32_t device)
{
    const struct transfer_table_request *r = b->request;
    struct transfer_table *t = &b->tables[device];
    uint64_t first, end;
    struct rows_list rows = gather(b, device, &first, &end);

    *t = (struct transfer_table){.cta_count =
                                     r->cta_first[device + 1] - r->cta_first[device]};
    if (r->rise_bytes)
        rise(r, t, first, end);
    else
        t->chunk_count = (uint32_t)((r->array_bytes + r->chunk_bytes - 1) / r->chunk_bytes);
    t->writers = must_calloc(t->chunk_count, sizeof *t->writers);
    t->piece_first = must_calloc((size_t)t->chunk_count + 1, sizeof *t->piece_first);
    for (size_t n = 0; n < rows.count; n++)
        owned_add(&b->owned, device, &rows.rows[n]);
    free(rows.rows);
}

static void open_devices(struct builder *b)
{
    b->any = false;
    for (uint32_t d = 0; d < b->request->device_count; d++)
        open_device(b, d);
    owned_sort(&b->owned, b->request->array_bytes);
}

static void close_devices(struct builder *b)
{
    owned_clear(&b->owned);
    for (uint32_t d = 0; d < b->request->device_count; d++)
        transfer_table_clear(&b->tables[d]);
}

/* Repeats the build without closed gaps if another device writes in one of them. Chunks
   that consist of a gap have no writer, so gaps are closed only below the chunk size. */
static enum proact_status open_apart(struct builder *b, struct proact_error *err)
{
    const struct owned *one, *other;

    b->closes = b->request->reads && b->request->chunk_bytes > ROWS_GAP_NARROW;
    open_devices(b);
    if (b->any && owned_conflict(&b->owned, &one, &other)) {
        close_devices(b);
        b->closes = false;
        open_devices(b);
    }
    return find_conflict(b, err);
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
    enum proact_status status = open_apart(&b, err);

    if (!status)
        find_owned(&b);
    /* two more for rising chunks */
    uint32_t *visited = must_calloc((size_t)chunks + 3, sizeof *visited);

    for (uint32_t d = 0; d < request->device_count && !status; d++) {
        table_pieces_cut(request, tables, d);
        table_count(request, &tables[d], d, visited);
        if (request->by_store)
            table_stores(request, &tables[d], d);
    }
    free(visited);
    owned_clear(&b.owned);
    for (uint32_t d = 0; d < request->device_count && status; d++)
        transfer_table_clear(&tables[d]);
    return status;
}

void transfer_table_clear(struct transfer_table *t)
{
    free(t->end);
    free(t->ctas);
    free(t->chunk);
    free(t->writers);
    free(t->piece_first);
    free(t->piece);
    free(t->copied_first);
    free(t->copied);
    free(t->send);
    free(t->extent);
    free(t->store_peers);
    spans_clear(&t->owned);
    *t = (struct transfer_table){0};
}

static bool holds(const struct transfer_table *t, uint32_t list, uint32_t chunk)
{
    uint32_t n = t->chunk[list];

    while (n && t->chunk[list + n] != chunk)
        n--;
    return n > 0;
}

uint32_t transfer_table_writers(const struct transfer_table *t, uint32_t chunk,
                                uint32_t *out, uint32_t room)
{
    uint32_t count = 0;

    for (uint32_t n = 0, cta = 0; n < t->ctas_count; cta = t->ctas[n++].end) {
        if (!holds(t, t->ctas[n].list, chunk))
            continue;
        for (uint32_t k = 0; k < t->ctas[n].end - cta && count + k < room; k++)
            out[count + k] = cta + k;
        count += t->ctas[n].end - cta;
    }
    return count;
}

void transfer_table_first(const struct transfer_table *t, uint32_t *out)
{
    for (uint32_t n = 0, cta = 0; n < t->ctas_count; n++)
        while (cta < t->ctas[n].end)
            out[cta++] = t->ctas[n].list;
}

/* Tests for a regular table. The first and last chunk may have fewer CTAs than the
   others. */
uint32_t transfer_table_regular(const struct transfer_table *t, uint32_t *ahead)
{
    uint32_t shift = 0;

    for (uint32_t n = 0; n < t->ctas_count; n++)
        if (t->chunk[t->ctas[n].list] != 1)
            return 0;
    if (!t->ctas_count)
        return 0;
    const uint32_t first = t->ctas[0].end,
                   second = t->ctas_count > 1 ? t->ctas[1].end - first : 0,
                   most = second > first ? second : first;

    while (shift < 31 && 1u << shift < most)
        shift++;
    uint64_t skip = ((uint64_t)t->chunk[t->ctas[0].list + 1] << shift) +
                    (first < t->cta_count ? (1u << shift) - first : 0);

    if (skip + t->cta_count > UINT32_MAX)
        return 0;
    for (uint32_t n = 0, cta = 0; n < t->ctas_count; cta = t->ctas[n++].end) {
        const uint32_t chunk = t->chunk[t->ctas[n].list + 1];

        if ((cta + skip) >> shift != chunk || (t->ctas[n].end - 1 + skip) >> shift != chunk)
            return 0;
    }
    *ahead = (uint32_t)skip;
    return shift + 1;
}
