/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze_flags.h"

#include <stdlib.h>

#include "analyze_reads.h"
#include "base/memory.h"

bool analyze_flags_only(const struct analyze_kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->analysis->record_count; i++) {
        const struct access_record *r = &k->analysis->records[i];
        bool is_flag = r->kind == ACCESS_READ || r->base != ACCESS_BASE_PARAMETER ||
                       k->analysis->symbols[r->base_symbol].offset != offset;

        for (uint32_t n = 0; n < k->flags.count && !is_flag; n++)
            is_flag = k->flags.flag[n].instruction == r->instruction;
        if (!is_flag)
            return false;
    }
    return true;
}

/* What the stores write that are flags of that kind, or, of no kind, all that are none;
   NULL where that is not known. */
static struct write_set *run(const struct analyze_kernel *k,
                             const struct write_set_launch *launch, bool flags,
                             uint32_t kind)
{
    bool *left_out = must_calloc(k->f->instruction_count + 1u, sizeof *left_out);
    const struct write_set_options options = {.left_out = left_out};
    struct write_set_slice *slice = NULL;
    struct write_set *set = NULL;

    for (uint32_t n = 0; n < k->f->instruction_count; n++)
        left_out[n] = flags;
    for (uint32_t n = 0; n < k->flags.count; n++)
        left_out[k->flags.flag[n].instruction] = !flags || k->flags.flag[n].kind != kind;
    if (!write_set_slice_create(k->module, k->f->name, &options, &slice, NULL) &&
        write_set_run(slice, launch, &set, NULL))
        set = NULL;
    write_set_slice_destroy(slice);
    free(left_out);
    return set;
}

static bool meets(const struct analyze_launch *l, uint32_t array, uint64_t first,
                  uint64_t end)
{
    for (size_t n = 0; n < l->flag_count; n++)
        if (l->flags[n].array == array && l->flags[n].first < end &&
            first < l->flags[n].end)
            return true;
    return false;
}

static void add_flag(struct analyze_launch *l, uint32_t array, const struct span *s)
{
    l->flags = must_grow(l->flags, l->flag_count, &l->flag_capacity, sizeof *l->flags);
    l->flags[l->flag_count++] = (struct analyze_flag){array, s->first, s->end};
}

static bool is_pointed_at(const struct analyze_launch *l, const struct analyze_kernel *k,
                          uint32_t kind, uint32_t array)
{
    for (uint32_t n = 0; n < k->flags.count; n++)
        if (k->flags.flag[n].kind == kind && array < l->block.array_count &&
            k->flags.flag[n].parameter == l->block.pointers[array].parameter_offset)
            return true;
    return false;
}

/* Bytes of one kind: no other kind's, and of the array that its pointers lead to. */
static bool add_kind(struct analyze_launch *l, const struct analyze_kernel *k,
                     const struct write_set_launch *launch, uint32_t kind)
{
    struct write_set *w = run(k, launch, true, kind);
    bool good = w != NULL;

    for (uint32_t a = 0; good && a < w->array_count; a++) {
        const struct write_set_ranges *r = &w->arrays[a];
        struct spans spans = {0};

        for (uint32_t n = 0; r->first && n < r->first[w->cta_count]; n++)
            spans_add(&spans, r->ranges[n].first_byte,
                      r->ranges[n].first_byte + r->ranges[n].bytes);
        good = !spans.count || is_pointed_at(l, k, kind, a);
        for (size_t n = 0; n < spans.count && good; n++)
            good = !meets(l, a, spans.span[n].first, spans.span[n].end);
        for (size_t n = 0; n < spans.count && good; n++)
            add_flag(l, a, &spans.span[n]);
        spans_clear(&spans);
    }
    write_set_destroy(w);
    return good;
}

static bool are_written(const struct analyze_launch *l, const struct write_set *others)
{
    for (uint32_t a = 0; a < others->array_count; a++) {
        const struct write_set_ranges *r = &others->arrays[a];

        for (uint32_t n = 0; r->first && n < r->first[others->cta_count]; n++)
            if (meets(l, a, r->ranges[n].first_byte,
                      r->ranges[n].first_byte + r->ranges[n].bytes))
                return true;
    }
    return false;
}

static bool are_read_by(const struct analyze_launch *l, const struct analyze_reading *r)
{
    for (uint32_t a = 0; a < l->block.array_count; a++) {
        if (r->is_known && l->block.pointers[a].parameter_offset != r->offset)
            continue;
        if (r->reason && meets(l, a, 0, UINT64_MAX))
            return true;
        for (unsigned d = 0; d < l->over; d++)
            for (size_t n = 0; n < r->spans[d].count; n++)
                if (meets(l, a, r->spans[d].span[n].first, r->spans[d].span[n].end))
                    return true;
    }
    return false;
}

/* Or it is not known. */
static bool are_read(const struct analyze_launch *l, const struct analyze_kernel *k,
                     const struct analyze_request *q)
{
    struct analyze_reads reads = {0};

    analyze_reads_find(&reads, l, k, q);
    bool any = reads.unsaid[0];

    for (size_t n = 0; n < reads.count && !any; n++)
        any = are_read_by(l, &reads.each[n]);
    analyze_reads_clear(&reads);
    return any;
}

void analyze_flags_try(struct analyze_launch *l, const struct analyze_kernel *k,
                       const struct analyze_request *q,
                       const struct write_set_launch *launch)
{
    const unsigned over = l->over;
    uint32_t first[PROACT_DEVICES_MAX + 1];
    struct write_set *others = k->flags.count ? run(k, launch, false, 0) : NULL;
    bool good = others != NULL;

    analyze_split(l, l->devices, first);
    good = good && !write_set_overlap(others, first, l->devices, NULL);
    for (uint32_t kind = 0; kind < k->flags.kinds && good; kind++)
        good = add_kind(l, k, launch, kind);
    l->over = l->devices;
    if (!good || are_written(l, others) || are_read(l, k, q)) {
        l->over = over;
        l->flag_count = 0;
        write_set_destroy(others);
        return;
    }
    write_set_destroy(l->set);
    l->set = others;
    l->why.text[0] = '\0';
}
