/* SPDX-License-Identifier: Apache-2.0 */
#include "access/write_ranges/write_set_record.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"

/* Distance in bytes between an array and an address outside it. */
static uint64_t distance(const struct record_array *a, uint64_t address)
{
    return address < a->address ? a->address - address : address - a->address - a->bytes;
}

static const struct record_array *nearest(const struct record *r, uint64_t address)
{
    const struct record_array *best = NULL;

    for (uint32_t n = 0; n < r->array_count; n++)
        if (!best || distance(&r->arrays[n], address) < distance(best, address))
            best = &r->arrays[n];
    return best;
}

static bool record_out_of_object(const struct record *r, struct execute_warp *w,
                                 const struct execute_access *a, unsigned lane,
                                 const struct write_set_site *site)
{
    struct execute_cta *cta = execute_warp_cta(w);
    uint64_t address = a->address[lane];
    const struct record_array *near = nearest(r, address);
    char where[160] = "no array is given";
    uint32_t thread[3];

    execute_warp_thread(w, lane, thread);
    if (near && address < near->address)
        snprintf(where, sizeof where, "that is %" PRIu64 " bytes before %s '%s'",
                 near->address - address, near->is_variable ? "variable" : "array",
                 near->name);
    else if (near)
        snprintf(where, sizeof where,
                 "that is byte %" PRIu64 " of %s '%s', which has %" PRIu64,
                 address - near->address, near->is_variable ? "variable" : "array",
                 near->name, near->bytes);
    snprintf(cta->fault, sizeof cta->fault,
             "kernel '%.60s', %.60s:%" PRIu32 ", CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32
             "), thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "): writes %" PRIu32
             " bytes outside of every array: %s",
             r->slice->kernel, r->slice->file, site->line, cta->id[0], cta->id[1],
             cta->id[2], thread[0], thread[1], thread[2], a->bytes, where);
    return false;
}

/* The array that contains the address, or NULL. */
static struct record_array *array_at(struct record *r, uint64_t address)
{
    if (r->array_count && address - r->arrays[r->last].address < r->arrays[r->last].bytes)
        return &r->arrays[r->last];
    for (uint32_t n = 0; n < r->array_count; n++)
        if (address - r->arrays[n].address < r->arrays[n].bytes) {
            r->last = n;
            return &r->arrays[n];
        }
    return NULL;
}

/* Records the bytes from `address` on that lie in the array of the first byte; returns
   their number, 0 without an array. */
static uint64_t note(struct record *r, uint64_t address, uint64_t bytes,
                     const struct write_set_site *site)
{
    struct record_array *a = array_at(r, address);

    if (!a)
        return 0;
    uint64_t first = address - a->address;
    uint64_t end = bytes < a->bytes - first ? first + bytes : a->bytes;

    record_note_line(a, site->line, site->is_atomic);
    if (!write_set_spans_extend(&a->spans, first, end)) {
        write_set_spans_add(&a->spans, first, end);
        r->spans++;
    }
    return end - first;
}

static bool note_lane(struct record *r, struct execute_warp *w,
                      const struct execute_access *a, unsigned lane,
                      const struct write_set_site *site)
{
    if (note(r, a->address[lane], a->bytes, site) == a->bytes)
        return true;
    r->is_cut_short |= site->is_may;
    return site->is_may || record_out_of_object(r, w, a, lane, site);
}

static bool note_lanes(struct record *r, struct execute_warp *w,
                       const struct execute_access *a, uint32_t mask,
                       const struct write_set_site *site)
{
    for (; mask; mask &= mask - 1)
        if (!note_lane(r, w, a, (unsigned)__builtin_ctz(mask), site))
            return false;
    return true;
}

/* Consecutive addresses of the lanes form one range, unless it leaves its array. */
static bool note_rows(struct record *r, struct execute_warp *w,
                      const struct execute_access *a, unsigned row,
                      const struct write_set_site *site)
{
    for (unsigned lane = 0; lane < 32; lane += row) {
        uint64_t bytes = (uint64_t)row * a->bytes;
        const struct record_array *in = array_at(r, a->address[lane]);

        if (in && bytes <= in->bytes - (a->address[lane] - in->address))
            note(r, a->address[lane], bytes, site);
        else if (!note_lanes(r, w, a, (row == 32 ? ~0u : (1u << row) - 1) << lane, site))
            return false;
    }
    return true;
}

static enum execute_verdict on_access(void *context, struct execute_warp *w,
                                      const struct execute_access *a)
{
    struct record *r = context;
    uint32_t of = a->line < r->slice->line_count ? r->slice->site_of[a->line] : 0;
    bool good;

    if (!of || a->kind != EXECUTE_STORE)
        return EXECUTE_FAULT; /* a slice does nothing else to global memory */
    const struct write_set_site *site = &r->slice->cut.sites[of - 1];

    switch (a->shape) {
    case EXECUTE_UNIT:
        good = note_rows(r, w, a, 32, site);
        break;
    case EXECUTE_HALVES:
        good = note_rows(r, w, a, 16, site);
        break;
    case EXECUTE_EQUAL:
        good = note_lane(r, w, a, (unsigned)__builtin_ctz(a->mask), site);
        break;
    default:
        good = note_lanes(r, w, a, a->mask, site);
    }
    return good ? EXECUTE_DONE : EXECUTE_FAULT;
}

static uint64_t on_clock(void *context, struct execute_warp *w)
{
    (void)context, (void)w;
    return 0;
}

void record_open(struct record *r)
{
    r->host = execute_host_quiet(r);
    r->host.access = on_access;
    r->host.clock = r->host.globaltimer = on_clock;
}

bool record_add_run(struct record_array *a, struct cta_run run, const struct rows *rows,
                    uint64_t from)
{
    for (uint32_t n = 0; n < run.rows; n++) {
        a->ranges += (uint64_t)rows[n].count * run.count;
        a->bytes_written += rows[n].count * rows[n].bytes * run.count;
    }
    return cta_runs_add(&a->runs, run, rows, from);
}

/* Converts the merged spans of an array to ranges of the CTA. */
static bool end_cta(struct record_array *a, struct rows_list *rows, uint32_t cta)
{
    rows->count = 0;
    for (size_t i = 0; i < a->spans.count; i++)
        rows_append(rows, rows_one(a->spans.spans[i].first,
                                   a->spans.spans[i].end - a->spans.spans[i].first));
    a->spans.count = 0;
    return rows->count <= UINT32_MAX &&
           record_add_run(a, (struct cta_run){cta, 1, 0, (uint32_t)rows->count, 0},
                          rows->rows, 0);
}

bool record_end_cta(struct record *r, uint32_t cta)
{
    bool all = true;

    for (uint32_t n = 0; n < r->array_count && all; n++) {
        struct record_array *a = &r->arrays[n];

        if (!a->spans.count)
            continue;
        write_set_spans_merge(&a->spans);
        all = end_cta(a, &r->of_cta, cta);
    }
    return all;
}

void record_clear_array(struct record_array *a)
{
    cta_runs_clear(&a->runs);
    write_set_spans_clear(&a->spans);
}

enum proact_status record_too_many(const struct record *r, struct proact_error *err)
{
    return fail(err, PROACT_EREFUSED, "kernel '%s', %s: it writes more than 2^32 ranges",
                r->slice->kernel, r->slice->file);
}
