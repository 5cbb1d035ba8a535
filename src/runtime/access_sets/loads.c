/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/loads.h"

#include <proact/device.h>
#include <stddef.h>
#include <string.h>

#include "access/write_set.h"
#include "base/memory.h"
#include "base/spans/rows_merge.h"
#include "runtime/access_sets/found.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_texture.h"
#include "runtime/request/launch_texture.h"
#include "runtime/request/launching.h"
#include "runtime/request/need.h"

/* Limits. A column read is one range per row. Rows with small gaps stay separate only if
   they are few. */
enum { SPANS_FEW = 256, SPANS_MAX = 1 << 16, GAP_MAX = 4096 };

static struct transfer_need *need_at(const struct loads_finder *f, uint32_t array)
{
    return &f->into->need[array * f->into->devices + f->device];
}

static void want_all(const struct loads_finder *f)
{
    for (uint32_t n = 0; n < f->array_count; n++)
        need_at(f, n)->all = true;
}

/* Reduces to half of the limit, so that the next range does not trigger it again. */
static void keep_few(struct spans *s)
{
    if (s->count > SPANS_FEW)
        spans_close(s, GAP_MAX, false);
    if (s->count > SPANS_MAX)
        spans_coarsen(s, SPANS_MAX / 2);
}

static void want_row_of(const struct loads_finder *f, uint32_t number, uint64_t first,
                        uint64_t end)
{
    if (!need_at(f, number)->all)
        spans_add(&f->rows[number], first, end);
    if (f->rows[number].count > SPANS_MAX)
        keep_few(&f->rows[number]);
}

/* Addresses refer to device 0. Bytes outside the array are ignored. */
static void want_of(const struct loads_finder *f, const struct proact_array *a,
                    uint64_t first, uint64_t end)
{
    const uint64_t base = a->base[0], low = first > base ? first - base : 0;
    const uint64_t high = end > base ? end - base : 0;

    want_row_of(f, launching_number(f->launch, a), low, high < a->bytes ? high : a->bytes);
}

static void want_anywhere(const struct loads_finder *f, uint64_t first, uint64_t end)
{
    const struct launching *l = f->launch;

    for (size_t i = 0; i < l->relocation_count; i++)
        want_of(f, l->relocations[i].array, first, end);
}

/* Adds the ranges of one load at once, because they may interleave with those of
   another. */
static void take_rows(const struct loads_finder *f)
{
    for (uint32_t n = 0; n < f->array_count; n++) {
        struct spans *all = &need_at(f, n)->spans;

        spans_join(all, &f->rows[n]);
        keep_few(all);
        f->rows[n].count = 0;
    }
}

static const struct proact_array *array_at(const struct launching *l, uint64_t pointer)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        if (pointer - l->relocations[i].array->base[0] < l->relocations[i].array->bytes)
            return l->relocations[i].array;
    return NULL;
}

/* The address, clamped to the array. */
static uint64_t within(const struct proact_array *a, uint64_t address)
{
    const int64_t at = (int64_t)(address - a->base[0]);

    return at < 0 ? a->base[0] : at > (int64_t)a->bytes ? a->base[0] + a->bytes : address;
}

static bool is_within(const struct proact_array *a, uint64_t first, uint64_t end)
{
    return a && within(a, first) == first && within(a, end) == end;
}

static void want_row(struct loads_finder *f, const struct proact_array *a, uint64_t first,
                     uint64_t end)
{
    if (is_within(a, first, end)) {
        want_of(f, a, first, end);
        return;
    }
    f->is_mixed = true;
    if (a && f->stays)
        want_of(f, a, within(a, first), within(a, end));
    else
        want_anywhere(f, first, end);
}

static void want_rows(struct loads_finder *f, const struct proact_array *a,
                      uint64_t pointer, const struct access_span *s)
{
    for (uint32_t n = 0; n <= s->times; n++) {
        const uint32_t row = s->stride < 0 ? s->times - n : n; /* in ascending order */
        const uint64_t by = pointer + row * (uint64_t)s->stride;

        want_row(f, a, by + (uint64_t)s->low, by + (uint64_t)s->end);
    }
}

/* Collects long strided ranges inside an array and adds them later, because the loads of a
   stencil have mostly equal ones. Ranges that keep_few() would join are joined first. */
static bool want_many(const struct loads_finder *f, const struct proact_array *a,
                      uint64_t pointer, const struct access_span *s)
{
    const struct access_span one = access_span_close(s, SPANS_FEW, GAP_MAX);
    const uint64_t far = one.times * (uint64_t)one.stride,
                   first = pointer + (uint64_t)one.low + (one.stride < 0 ? far : 0),
                   end = pointer + (uint64_t)one.end + (one.stride > 0 ? far : 0);

    if (s->times < SPANS_FEW || one.times == UINT32_MAX || !is_within(a, first, end))
        return false;
    struct rows_list *l = &f->many[launching_number(f->launch, a)];

    l->rows = must_grow(l->rows, l->count, &l->capacity, sizeof *l->rows);
    l->rows[l->count++] =
        (struct rows){.first = first - a->base[0],
                      .bytes = (uint64_t)(one.end - one.low),
                      .pitch = (uint64_t)(one.stride < 0 ? -one.stride : one.stride),
                      .count = one.times + 1};
    return true;
}

static void want_span(struct loads_finder *f, uint64_t pointer, const struct access_span *s)
{
    const struct proact_array *a = array_at(f->launch, pointer);

    if (want_many(f, a, pointer, s))
        return;
    want_rows(f, a, pointer, s);
    take_rows(f);
}

/* A load at an index from memory, whose interval may be far too wide, stays in the array of
   its pointer. Returns false if the pointer is in no array. */
static bool want_indirect(struct loads_finder *f, uint64_t pointer,
                          const struct access_span *spans, uint32_t count)
{
    const struct proact_array *a = array_at(f->launch, pointer);

    for (uint32_t i = 0; a && i < count; i++) {
        const int64_t far = (int64_t)spans[i].times * spans[i].stride;
        const uint64_t low = (uint64_t)(spans[i].low + (far < 0 ? far : 0)),
                       end = (uint64_t)(spans[i].end + (far > 0 ? far : 0)),
                       first = within(a, pointer + low), last = within(a, pointer + end);

        if (last - first == end - low)
            want_span(f, pointer, &spans[i]); /* all of it is in the array */
        else if (first < last)
            want_of(f, a, first, last);
        take_rows(f);
    }
    return a != NULL;
}

static void lay_out_many(const struct loads_finder *f)
{
    for (uint32_t n = 0; n < f->array_count; n++) {
        struct rows_list *many = &f->many[n];

        many->count = rows_merge(many->rows, many->count);
        for (size_t i = 0; i < many->count; i++) {
            struct rows_walk w = {&many->rows[i], &many->rows[i] + 1, 0};

            for (struct span s; rows_next(&w, &s);)
                want_row_of(f, n, s.first, s.end);
            take_rows(f);
        }
        many->count = 0;
    }
}

/* The access may read all of the array; returns false if the pointer is in no array. */
static bool want_array(const struct loads_finder *f, uint64_t pointer)
{
    const struct proact_array *a = array_at(f->launch, pointer);

    if (a)
        need_at(f, launching_number(f->launch, a))->all = true;
    return a != NULL;
}

bool loads_is_one(const struct proact_kernel *k, const struct access_record *r)
{
    if (k->is_annotated && r->origin >= k->partition_offset && r->origin < UINT32_MAX)
        return false; /* the protocol's own tables, and bytes that this device wrote */
    return r->kind != ACCESS_WRITE && r->base != ACCESS_BASE_VARIABLE &&
           r->base != ACCESS_BASE_SHARED && r->base != ACCESS_BASE_LOCAL;
}

static void want_one(struct loads_finder *f, const struct access_record *r)
{
    struct access_span spans[ACCESS_SPANS_MAX];
    struct access_pointers p;
    uint32_t count;
    uint64_t pointer;
    bool known = access_extent(f->analysis, r, &f->at, f->trips, spans, &count);

    if (known && !count) /* unreachable in this launch */
        return;
    if (!access_pointers(f->analysis, r, &f->at, f->trips, &p) ||
        (p.count && p.first + (p.count - 1) * (uint64_t)p.step + sizeof pointer >
                        f->at.parameter_bytes)) {
        want_all(f);
        return;
    }
    for (uint32_t i = 0; i < p.count; i++) {
        memcpy(&pointer, f->at.parameters + p.first + i * p.step, sizeof pointer);
        if (known && r->state != ACCESS_DATA)
            for (uint32_t n = 0; n < count; n++)
                want_span(f, pointer, &spans[n]);
        else if (!(known ? want_indirect(f, pointer, spans, count)
                         : want_array(f, pointer)))
            want_all(f);
    }
}

static void want_record(struct loads_finder *f, const struct access_record *r)
{
    uint32_t count;
    const struct access_record *each = access_either(r, &count);

    if (!loads_is_one(f->launch->kernel, r) || (f->left_out && f->left_out[r->instruction]))
        return;
    for (uint32_t n = 0; n < count; n++)
        want_one(f, &each[n]);
}

static bool is_wanted(const struct transfer_need *need, const struct rows *r)
{
    const size_t at = need->all ? 0 : spans_from(&need->spans, r->first);

    return need->all || (at < need->spans.count && need->spans.span[at].first <= r->first &&
                         need->spans.span[at].end >= rows_end(r));
}

static void want_hull(const struct loads_finder *f, uint32_t number, struct rows hull)
{
    rows_close(&hull, ROWS_GAP_NARROW);
    if (!is_wanted(need_at(f, number), &hull))
        rows_gather_turns(&f->many[number], &hull);
}

/* Gaps between fragments are sent with them, so they must be current on the writer. */
static void want_gaps(const struct loads_finder *f, uint32_t slot)
{
    const struct launching *l = f->launch;
    const uint32_t number = launching_number(l, launching_slot_array(l, slot)),
                   *first = &l->binding->cta_first[f->device];
    struct cta_runs_walk w = cta_runs_walk(found_runs(l, slot), first[0], first[1]);
    struct rows rows, hull = {0};
    bool has_gaps = false;

    while (cta_runs_rows(&w, &rows)) {
        if (rows_bridge(&hull, &rows, ROWS_GAP_NARROW)) {
            has_gaps = true;
            continue;
        }
        if (has_gaps)
            want_hull(f, number, hull);
        hull = rows;
        has_gaps = is_fragmented(&rows);
    }
    if (has_gaps)
        want_hull(f, number, hull);
    lay_out_many(f);
}

/* If the write set is not exact, unwritten bytes of it must be current on their device:
   they are sent with the rest. */
static void want_written(const struct loads_finder *f)
{
    const struct launching *l = f->launch;
    const struct kernel_binding *b = l->binding;

    if (l->found.set && l->found.set->is_exact) {
        for (unsigned s = 0; s < b->transfer.slot_count && l->is_program; s++)
            if (b->fragmented_slots >> s & 1)
                want_gaps(f, s);
        return;
    }
    for (unsigned s = 0; s < b->transfer.slot_count; s++) {
        struct transfer_need *need = need_at(f, launching_number(l, b->array[s]));

        if (!need->all)
            spans_join(&need->spans, &b->tables[s]->tables->table[f->device].owned);
        keep_few(&need->spans);
    }
}

/* Bytes that another device writes and that its stores bring to this device. */
static void want_incoming(const struct loads_finder *f, unsigned slot, unsigned from,
                          struct spans *into)
{
    const struct transfer_binding *b = &f->launch->binding->transfer;
    const struct transfer_table *t = &f->launch->binding->tables[slot]->tables->table[from];
    const unsigned number = transfer_peer_number(b->devices, from, f->device);

    for (size_t n = 0; n < t->extent_count; n++) {
        const struct transfer_extent *e = &t->extent[n];

        if (!(e->peers >> number & 1))
            continue;
        for (size_t i = spans_from(&t->owned, e->first);
             i < t->owned.count && t->owned.span[i].first < e->end; i++) {
            const struct span *s = &t->owned.span[i];

            spans_add(into, s->first > e->first ? s->first : e->first,
                      s->end < e->end ? s->end : e->end);
        }
    }
}

/* If stores go to the peers one by one, bytes that the launch leaves unchanged are not
   sent. They must be current on each device that holds the written range afterwards. The
   launch does not read them: they predict no reader. */
static void want_unchanged(struct loads_finder *f)
{
    const struct launching *l = f->launch;
    const struct kernel_binding *b = l->binding;
    const uint32_t count = f->array_count * f->into->devices;

    if (!transfer_stores(&b->transfer.plan) || (l->found.set && l->found.set->is_exact))
        return;
    f->into->read = must_calloc(count + 1u, sizeof *f->into->read);
    for (uint32_t n = 0; n < count; n++)
        need_join(&f->into->read[n], &f->into->need[n]);
    for (f->device = 0; f->device < f->into->devices; f->device++)
        for (unsigned s = 0; s < b->transfer.slot_count; s++) {
            struct transfer_need *need = need_at(f, launching_number(l, b->array[s]));

            for (unsigned d = 0; d < f->into->devices && !need->all; d++)
                if (d != f->device)
                    want_incoming(f, s, d, &need->spans);
            keep_few(&need->spans);
        }
}

/* Sets the CTAs of the device. An annotated kernel has a one-dimensional grid from 0, and
   its partition parameter selects the CTAs. */
static void set_ctas(struct loads_finder *f, unsigned char *block)
{
    const struct launching *l = f->launch;
    if (!l->binding)
        return; /* all CTAs of the grid */
    const uint32_t *first = &l->binding->cta_first[f->device];
    const struct cta_part all = {0, first[1] - first[0]},
                          *part = f->part ? &f->part[f->device] : &all;
    uint32_t words[4] = {first[0] + part->first, l->grid[0], l->grid[1], l->grid[2]};

    if (!l->kernel->is_annotated) {
        access_partition_box(&f->at, words[0], words[0] + part->count);
        return;
    }
    f->at.nctaid[0] = f->at.ctaid_end[0] = part->count;
    for (unsigned i = 1; i < 3; i++)
        f->at.nctaid[i] = f->at.ctaid_end[i] = 1;
    memcpy(block + l->kernel->partition_offset +
               offsetof(struct proact_partition, cta_first),
           words, sizeof words);
    f->at.parameter_bytes =
        l->kernel->partition_offset + offsetof(struct proact_partition, mode);
}

/* Texture reads depend on coordinates, so the read set contains all of the texture's
   memory. */
static void want_textures(const struct loads_finder *f)
{
    const struct launching *l = f->launch;

    for (size_t n = 0; n < l->texture_count; n++) {
        const struct launch_texture *t = &l->textures[n];
        struct transfer_need *need =
            t->array ? need_at(f, launching_number(l, t->array)) : NULL;

        if (need && !need->all)
            spans_add(&need->spans, t->first, t->first + t->texture->bytes);
    }
}

/* Reads of the device's CTAs. */
static void want_read(struct loads_finder *f, unsigned char *block)
{
    set_ctas(f, block);
    want_textures(f);
    access_trips(f->analysis, &f->at, f->trips);
    for (uint32_t n = 0; n < f->analysis->record_count; n++)
        want_record(f, &f->analysis->records[n]);
    lay_out_many(f);
}

void loads_find(struct loads_finder *f, unsigned char *block)
{
    if (!f->launch->binding) {
        want_read(f, block);
        return;
    }
    const uint32_t *first = f->launch->binding->cta_first;
    for (f->device = 0; f->device < f->into->devices; f->device++) {
        if (f->part ? f->part[f->device].count != 0
                    : first[f->device] != first[f->device + 1])
            want_read(f, block);
        if (!f->part)
            want_written(f);
    }
    if (!f->part)
        want_unchanged(f);
}
