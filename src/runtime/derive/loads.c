/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/derive/loads.h"

#include <stddef.h>
#include <string.h>

#include <proact/device.h>

#include "base/memory.h"
#include "base/spans/rows_merge.h"
#include "runtime/derive/found.h"
#include "runtime/textures/launch_textures.h"

/* Columns are spans for each row; rows with little between them are told apart only where
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

/* Half of the most is left, or each one more would be looked at so. */
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

/* Addresses are those of the first device; what of the bytes lies outside of the array is
   left out. */
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

/* Rows that lie between those of another load are put there at once. */
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

/* The address, or the array's end that is nearest to it. */
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
        const uint32_t row = s->stride < 0 ? s->times - n : n; /* in their order */
        const uint64_t by = pointer + row * (uint64_t)s->stride;

        want_row(f, a, by + (uint64_t)s->low, by + (uint64_t)s->end);
    }
}

/* Many rows, all in the array, are laid out when those of other loads are there: of a
   stencil's most are the same. Those that keep_few would close are one from the start. */
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

/* It may read anything behind the pointer; false where that leads to none of the arrays. */
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
        return false; /* the protocol's: its own tables, and what this device wrote */
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

    if (known && !count) /* nobody comes there */
        return;
    if (!access_pointers(f->analysis, r, &f->at, f->trips, &p) ||
        (p.count && p.first + (p.count - 1) * (uint64_t)p.step + sizeof pointer >
                        f->at.parameter_bytes)) {
        want_all(f);
        return;
    }
    for (uint32_t i = 0; i < p.count; i++) {
        memcpy(&pointer, f->at.parameters + p.first + i * p.step, sizeof pointer);
        for (uint32_t n = 0; known && n < count; n++)
            want_span(f, pointer, &spans[n]);
        if (!known && !want_array(f, pointer))
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

/* What lies between a program's crumbs must be current where they are written: it is sent
   with them. */
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

/* Where the map may say more than is written, what is not must be current, too: it is sent
   with the rest, or has to be there already where stores alone are sent. */
static void want_written(const struct loads_finder *f)
{
    const struct launching *l = f->launch;
    const struct kernel_binding *b = l->binding;
    /* A method that sends to all may do so store by store. */
    const bool of_all = transfer_sends_to_all(&b->transfer.plan);

    if (l->found.set && l->found.set->is_exact) {
        for (unsigned s = 0; s < b->transfer.slot_count && l->is_program; s++)
            if (b->fragmented_slots >> s & 1)
                want_gaps(f, s);
        return;
    }
    for (unsigned s = 0; s < b->transfer.slot_count; s++) {
        struct transfer_need *need = need_at(f, launching_number(l, b->array[s]));

        for (unsigned d = 0; d < f->into->devices && !need->all; d++)
            if (d == f->device || of_all)
                spans_join(&need->spans, &b->tables[s]->tables->table[d].owned);
        keep_few(&need->spans);
    }
}

/* The CTAs of the device; a marked kernel's are a line that begins at 0, and its share says
   which ones they are. */
static void set_ctas(struct loads_finder *f, unsigned char *block)
{
    const struct launching *l = f->launch;
    if (!l->binding)
        return; /* the whole grid */
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

/* Where textures are read hangs on coordinates: all of their memory. */
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

/* What its own CTAs read. */
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
}
