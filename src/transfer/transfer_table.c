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
    struct transfer_table *tables; /* of all devices */
    struct table_owned owned;
};

/* The first CTA of a device that writes the byte, of which there is one. */
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

/* What the device writes, as few rows as may be; from its first byte, *first, to *end. */
static struct rows_list gather(const struct transfer_table_request *r, uint32_t device,
                               uint64_t *first, uint64_t *end)
{
    struct cta_runs_walk w =
        cta_runs_walk(r->written, r->cta_first[device], r->cta_first[device + 1]);
    struct rows_list l = {0};

    *first = UINT64_MAX;
    *end = 0;
    for (struct rows rows; cta_runs_rows(&w, &rows);) {
        *first = rows.first < *first ? rows.first : *first;
        *end = rows_end(&rows) > *end ? rows_end(&rows) : *end;
        rows_gather(&l, &rows);
    }
    rows_gathered(&l);
    return l;
}

/* Chunks of rising size within what the device writes, and one before and one behind it. */
static void rise(const struct transfer_table_request *r, struct transfer_table *t,
                 uint64_t first, uint64_t written_end)
{
    uint64_t bytes = r->chunk_bytes, end;
    size_t capacity = 0;

    if (first > written_end)
        first = written_end;
    for (end = first;; end += bytes, bytes += r->rise_bytes) {
        bool is_last = end >= written_end || written_end - end < bytes / 2; /* no crumbs */

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
    struct rows_list rows = gather(r, device, &first, &end);

    *t = (struct transfer_table){.cta_count =
                                     r->cta_first[device + 1] - r->cta_first[device]};
    if (r->rise_bytes)
        rise(r, t, first, end);
    else
        t->chunk_count = (uint32_t)((r->array_bytes + r->chunk_bytes - 1) / r->chunk_bytes);
    t->first = must_calloc((size_t)t->cta_count + 1, sizeof *t->first);
    t->writers = must_calloc(t->chunk_count, sizeof *t->writers);
    t->piece_first = must_calloc((size_t)t->chunk_count + 1, sizeof *t->piece_first);
    for (size_t n = 0; n < rows.count; n++)
        owned_add(&b->owned, device, &rows.rows[n]);
    free(rows.rows);
}

/* The rows of a table: CTA by CTA, chunk by chunk. */
struct counting {
    const struct transfer_table_request *request;
    struct transfer_table *table;
    uint32_t first_cta; /* of the device */
    uint32_t cta;       /* in its own numbers: those ahead of it have all their rows */
    uint32_t *last_cta; /* by chunk: the CTA that was last seen to write it, + 1 */
    size_t capacity;
};

/* Chunks that go to nobody are not counted: a CTA that writes no others has nothing to say
   when it ends, as most of a stencil's. */
static void count_chunks(struct counting *c, uint64_t first, uint64_t end)
{
    struct transfer_table *t = c->table;
    uint64_t chunk = table_chunk_of(c->request, t, first),
             last = table_chunk_of(c->request, t, end - 1);

    for (; chunk <= last; chunk++) {
        if (t->piece_first[chunk + 1] == t->piece_first[chunk] ||
            c->last_cta[chunk] == c->cta + 1)
            continue;
        c->last_cta[chunk] = c->cta + 1;
        t->chunk = must_grow(t->chunk, t->row_count, &c->capacity, sizeof *t->chunk);
        t->chunk[t->row_count++] = (uint32_t)chunk;
        t->writers[chunk]++;
    }
}

/* Between their first byte and their last no chunk is smaller than the least. */
static void count_rows(struct counting *c, const struct rows *r)
{
    struct rows_walk w = {r, r + 1, 0};

    if (r->pitch <= c->request->chunk_bytes)
        count_chunks(c, r->first, rows_end(r));
    else
        for (struct span s; rows_next(&w, &s);)
            count_chunks(c, s.first, s.end);
}

static void go_to(struct counting *c, uint32_t cta)
{
    while (c->cta < cta)
        c->table->first[++c->cta] = c->table->row_count;
}

static struct rows row_of(const struct counting *c, const struct cta_run *run, uint32_t cta,
                          uint32_t n)
{
    struct rows row = c->request->written->rows[run->first + n];

    row.first += (cta - run->cta) * run->step;
    return row;
}

/* Whether something between the rows of the one CTA and those of the other is sent. */
static bool is_sent(const struct counting *c, const struct rows *one,
                    const struct rows *other)
{
    const struct transfer_table *t = c->table;
    const uint64_t first = one->first < other->first ? one->first : other->first,
                   end = one->first < other->first ? rows_end(other) : rows_end(one);

    return t->piece_first[table_chunk_of(c->request, t, end - 1) + 1] >
           t->piece_first[table_chunk_of(c->request, t, first)];
}

/* CTAs from .. to - 1, all of the run. Of many that send nothing none is looked at. */
static void count_ctas(struct counting *c, const struct cta_run *run, uint32_t from,
                       uint32_t to)
{
    enum { FEW = 32 };
    const uint32_t half = from + (to - from) / 2;
    bool any = false;

    for (uint32_t n = 0; n < run->rows && !any; n++) {
        const struct rows one = row_of(c, run, from, n), other = row_of(c, run, to - 1, n);

        any = is_sent(c, &one, &other);
    }
    if (any && to - from > FEW) {
        count_ctas(c, run, from, half);
        count_ctas(c, run, half, to);
        return;
    }
    for (uint32_t cta = from; any && cta < to; cta++) {
        go_to(c, cta - c->first_cta);
        for (uint32_t n = 0; n < run->rows; n++) {
            const struct rows row = row_of(c, run, cta, n);

            count_rows(c, &row);
        }
    }
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

static void count_device(const struct builder *b, uint32_t device, uint32_t *last_cta)
{
    const struct transfer_table_request *r = b->request;
    struct transfer_table *t = &b->tables[device];
    const uint32_t first = r->cta_first[device], end = r->cta_first[device + 1];
    struct counting c = {
        .request = r, .table = t, .first_cta = first, .last_cta = last_cta};

    if (!t->sent_chunks) {
        t->quiet_count = t->cta_count;
        return;
    }
    memset(last_cta, 0, t->chunk_count * sizeof *last_cta);
    for (uint32_t n = 0; n < r->written->count; n++) {
        const struct cta_run *run = &r->written->run[n];
        const uint32_t from = run->cta > first ? run->cta : first,
                       to = run->cta + run->count < end ? run->cta + run->count : end;

        if (from < to)
            count_ctas(&c, run, from, to);
    }
    go_to(&c, t->cta_count);
    find_quiet(t);
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
    for (uint32_t d = 0; d < request->device_count; d++)
        open_device(&b, d);
    owned_sort(&b.owned, request->array_bytes);
    enum proact_status status = find_conflict(&b, err);

    if (!status)
        find_owned(&b);
    /* rising: two chunks more */
    uint32_t *last_cta = must_calloc((size_t)chunks + 3, sizeof *last_cta);

    for (uint32_t d = 0; d < request->device_count && !status; d++) {
        table_pieces_cut(request, tables, d);
        count_device(&b, d, last_cta);
    }
    free(last_cta);
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
