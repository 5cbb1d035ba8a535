/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_reads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/depends.h"
#include "base/memory.h"

enum { DEVICES_SHOWN = 4, SPANS_SHOWN = 4 };

static struct analyze_reading *reading_of(struct analyze_reads *r, bool is_known,
                                          uint32_t offset)
{
    for (size_t n = 0; n < r->count; n++)
        if (r->each[n].is_known == is_known && r->each[n].offset == offset)
            return &r->each[n];
    r->each = must_grow(r->each, r->count + 1, &r->capacity, sizeof *r->each);
    r->each[r->count] = (struct analyze_reading){.is_known = is_known, .offset = offset};
    return &r->each[r->count++];
}

/* Atomics that become idempotent stores in the launch do not count as reads. */
static bool sets_flag(const struct analyze_launch *l, const struct analyze_kernel *k,
                      const struct access_record *r)
{
    return l->flags.count && k->is_flag && k->is_flag[r->instruction];
}

static bool reads_array(const struct access_record *r)
{
    return r->kind != ACCESS_WRITE &&
           (r->base == ACCESS_BASE_PARAMETER || r->base == ACCESS_BASE_UNKNOWN);
}

static void add_span(struct spans *s, int64_t low, int64_t end)
{
    spans_add(s, low > 0 ? (uint64_t)low : 0, end > 0 ? (uint64_t)end : 0);
}

static void read_all_of(struct analyze_reading *is, const struct access_record *r)
{
    if (is->reason)
        return;
    is->line = r->line;
    is->reason = r->state == ACCESS_CLOSED ? "its bounds are not known" : r->reason;
}

static void read_one(const struct analyze_kernel *k, const struct access_launch *at,
                     const int64_t *trips, const struct access_record *r, unsigned device,
                     struct analyze_reads *into)
{
    struct access_span spans[ACCESS_SPANS_MAX];
    struct access_pointers p;
    uint32_t count;

    bool known = access_extent(k->analysis, r, at, trips, spans, &count);

    if (!access_pointers(k->analysis, r, at, trips, &p)) {
        read_all_of(reading_of(into, false, 0), r);
        return;
    }
    for (uint32_t i = 0; i < p.count; i++) {
        struct analyze_reading *is = reading_of(into, true, p.first + i * p.step);

        if (!known)
            read_all_of(is, r);
        for (uint32_t n = 0; known && n < count; n++)
            for (uint32_t row = 0; row <= spans[n].times; row++)
                add_span(&is->spans[device], spans[n].low + row * spans[n].stride,
                         spans[n].end + row * spans[n].stride);
    }
}

static void read_record(const struct analyze_kernel *k, const struct access_launch *at,
                        const int64_t *trips, uint32_t number, unsigned device,
                        struct analyze_reads *into)
{
    const struct access_record *r = &k->analysis->records[number];
    uint32_t count;
    const struct access_record *each = access_either(r, &count);

    for (uint32_t n = 0; n < count && reads_array(r); n++)
        read_one(k, at, trips, &each[n], device, into);
}

/* By device, with the runtime's partition. */
static void read_all(const struct analyze_launch *l, const struct analyze_kernel *k,
                     const struct analyze_request *q, struct analyze_reads *into)
{
    struct access_launch at = {.parameters = l->block.bytes,
                               .parameter_bytes = l->block.size,
                               .constants = analyze_constants(l)};
    int64_t *trips = must_calloc(k->analysis->loop_count + 1u, sizeof *trips);

    uint32_t partition[PROACT_DEVICES_MAX + 1];

    analyze_split(l, l->over, partition);
    memcpy(at.ntid, q->block, sizeof at.ntid);
    memcpy(at.nctaid, q->grid, sizeof at.nctaid);
    for (unsigned d = 0; d < l->over; d++) {
        const uint32_t first = partition[d], end = partition[d + 1];

        if (first == end)
            continue;
        access_partition_box(&at, first, end);
        access_trips(k->analysis, &at, trips);
        for (uint32_t n = 0; n < k->analysis->record_count; n++)
            if (!sets_flag(l, k, &k->analysis->records[n]))
                read_record(k, &at, trips, n, d, into);
    }
    free(trips);
}

static void print_spans(const struct spans *s)
{
    size_t shown = s->count > SPANS_SHOWN ? SPANS_SHOWN : s->count;

    for (size_t n = 0; n < shown; n++)
        printf("%s%" PRIu64 " to %" PRIu64, n ? ", " : "", s->span[n].first,
               s->span[n].end);
    if (s->count > shown)
        printf(" and %zu more", s->count - shown);
    puts("");
}

static void print_reading(const struct analyze_kernel *k, const struct analyze_reading *r,
                          unsigned shown)
{
    char name[64] = "s through unknown pointers";

    if (r->is_known) {
        name[0] = ' ';
        analyze_place_text(k->f, r->offset, name + 1, sizeof name - 1);
    }
    if (r->reason) {
        analyze_print(k->module, "  reads all of array%s: line %" PRIu32 ", %s\n", name,
                      r->line, r->reason);
        return;
    }
    for (unsigned d = 0; d < shown; d++) {
        if (!r->spans[d].count) {
            printf("  device %u reads nothing of array%s\n", d, name);
            continue;
        }
        printf("  device %u reads of array%s: bytes ", d, name);
        print_spans(&r->spans[d]);
    }
}

/* A missing value on which loads depend, which would otherwise count as 0. */
static const struct access_symbol *find_missing(const struct analyze_launch *l,
                                                const struct access_analysis *a)
{
    struct access_depends d = access_depends_on_nothing(a);
    const struct access_symbol *missing = NULL;

    for (uint32_t n = 0; n < a->record_count; n++)
        if (reads_array(&a->records[n]))
            access_depends_add(&d, &a->records[n]);
    for (uint32_t n = 0; n < a->symbol_count && !missing; n++)
        if (d.symbol[n] && analyze_is_missing(l, &a->symbols[n]))
            missing = &a->symbols[n];
    access_depends_clear(&d);
    return missing;
}

void analyze_reads_find(struct analyze_reads *r, const struct analyze_launch *l,
                        const struct analyze_kernel *k, const struct analyze_request *q)
{
    const struct access_symbol *missing = find_missing(l, k->analysis);

    if (k->is_annotated) {
        snprintf(r->missing_text, sizeof r->missing_text, "the kernel is annotated");
    } else if (missing) {
        char option[160];

        analyze_missing_text(k, missing, option, sizeof option);
        snprintf(r->missing_text, sizeof r->missing_text, "add %s", option);
    } else {
        read_all(l, k, q, r);
    }
}

void analyze_reads_clear(struct analyze_reads *r)
{
    for (size_t n = 0; n < r->count; n++)
        for (unsigned d = 0; d < PROACT_DEVICES_MAX; d++)
            spans_clear(&r->each[n].spans[d]);
    free(r->each);
}

void analyze_print_reads(const struct analyze_launch *l, const struct analyze_kernel *k,
                         const struct analyze_request *q)
{
    unsigned shown = l->over < DEVICES_SHOWN ? l->over : DEVICES_SHOWN;
    struct analyze_reads r = {0};

    analyze_reads_find(&r, l, k, q);
    for (size_t n = 0; n < r.count; n++)
        print_reading(k, &r.each[n], shown);
    analyze_reads_clear(&r);
}
