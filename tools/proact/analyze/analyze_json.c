/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_json.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/analyze_reads.h"
#include "analyze/analyze_wrap.h"

enum { SPANS_LISTED = 16 };

static void put_form(struct json_writer *w, const struct analyze_kernel *k, const char *key,
                     const struct access_form *form)
{
    char text[240];

    analyze_form_text(k, form, text, sizeof text);
    json_put_text(w, key, text);
}

static void write_axis(struct json_writer *w, const struct analyze_kernel *k,
                       const struct access_axis *x)
{
    json_begin(w, NULL, JSON_OBJECT);
    put_form(w, k, "stride_bytes", x->stride);
    json_put_text(w, "grid", x->grid < 0 ? NULL : (const char *[]){"x", "y", "z"}[x->grid]);
    json_put_text(w, "class", access_class_text(x->how));
    if (x->tile)
        put_form(w, k, "tile", x->tile);
    if (x->has_halo) {
        json_put_real(w, "halo_low", (double)x->low);
        json_put_real(w, "halo_high", (double)x->high);
    }
    json_end(w);
}

/* In the order of the command line: the innermost extent first. */
static void write_shape(struct json_writer *w, const struct access_shape *s)
{
    if (!s)
        return;
    json_begin(w, "shape", JSON_ARRAY);
    for (uint32_t i = s->count; i-- > 0;)
        json_put_whole(w, NULL, s->extents[i]);
    json_end(w);
}

static void write_arrays(struct json_writer *w, const struct analyze_kernel *k)
{
    json_begin(w, "arrays", JSON_ARRAY);
    for (uint32_t i = 0; i < k->patterns->count; i++) {
        const struct access_array *a = &k->patterns->arrays[i];
        char base[128];

        analyze_base_text(k, a->base, a->base_symbol, base, sizeof base);
        json_begin(w, NULL, JSON_OBJECT);
        json_put_text(w, "array", base);
        json_put_text(w, "access", analyze_kind_text(a->kind));
        json_put_whole(w, "element_bytes", a->element_bytes);
        json_put_flag(w, "proven", a->is_proven);
        if (a->reason)
            json_put_text(w, "reason", a->reason);
        write_shape(w, analyze_shape(k, a));
        json_begin(w, "dimensions", JSON_ARRAY);
        for (uint32_t x = 0; x < a->axis_count; x++)
            write_axis(w, k, &a->axes[x]);
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

static void write_open(struct json_writer *w, const struct analyze_kernel *k)
{
    json_begin(w, "without_form", JSON_ARRAY);
    for (uint32_t i = 0; i < k->analysis->record_count; i++) {
        const struct access_record *r = &k->analysis->records[i];
        char base[128];

        if (r->state == ACCESS_CLOSED)
            continue;
        analyze_base_text(k, r->base, r->base_symbol, base, sizeof base);
        json_begin(w, NULL, JSON_OBJECT);
        json_put_whole(w, "line", r->line);
        json_put_text(w, "access", analyze_kind_text(r->kind));
        json_put_text(w, "array", r->base == ACCESS_BASE_UNKNOWN ? NULL : base);
        json_put_text(w, "reason", r->reason);
        json_end(w);
    }
    json_end(w);
}

static void write_reason(struct json_writer *w, const struct analyze_kernel *k,
                         const char *why)
{
    if (!*why)
        return;
    json_put_text(w, "reason", why);
    json_put_text(w, "advice", analyze_advice(k, why));
}

static void write_constants(struct json_writer *w, const struct analyze_kernel *k)
{
    struct analyze_constant constants[ANALYZE_CONSTANTS_MAX];
    uint32_t count = analyze_constants_read(k, constants);

    json_begin(w, "constants", JSON_ARRAY);
    for (uint32_t n = 0; n < count; n++) {
        char place[128];

        analyze_constant_text(k, &constants[n], place, sizeof place);
        json_put_text(w, NULL, place);
    }
    json_end(w);
}

/* A source line, and the array with the pointer at that byte of the parameter buffer. */
static void write_site(struct json_writer *w, const struct analyze_kernel *k, uint32_t line,
                       uint32_t parameter)
{
    char base[64];

    analyze_place_text(k->f, parameter, base, sizeof base);
    json_begin(w, NULL, JSON_OBJECT);
    json_put_whole(w, "line", line);
    json_put_text(w, "array", base);
    json_end(w);
}

static void write_reductions(struct json_writer *w, const struct analyze_kernel *k,
                             const char *name, bool scattered)
{
    json_begin(w, name, JSON_ARRAY);
    for (uint32_t n = 0; n < k->reductions.count; n++) {
        const struct access_reduction *r = &k->reductions.reduction[n];

        if ((r->kind == ACCESS_SCATTERED) == scattered)
            write_site(w, k, r->line, r->parameter);
    }
    json_end(w);
}

static void write_split(struct json_writer *w, const struct analyze_kernel *k)
{
    json_begin(w, "split", JSON_OBJECT);
    json_put_flag(w, "annotated", k->is_annotated);
    json_put_flag(w, "possible", !k->why.text[0]);
    if (k->whole)
        json_put_whole(w, "specialized_from", k->whole);
    write_reason(w, k, k->why.text);
    if (k->slice) {
        struct write_set_slice_info info = write_set_slice_info(k->slice);

        json_put_flag(w, "exact", info.is_exact);
        json_put_whole(w, "slice_instructions", info.kept);
        json_put_whole(w, "instructions", info.instructions);
        write_constants(w, k);
    }
    json_begin(w, "flags", JSON_ARRAY);
    for (uint32_t n = 0; n < k->flags.count; n++)
        write_site(w, k, k->flags.flag[n].line, k->flags.flag[n].parameter);
    json_end(w);
    write_reductions(w, k, "reductions", false);
    write_reductions(w, k, "indirect_stores", true);
    json_begin(w, "versions", JSON_OBJECT);
    for (int c = 0; c < INSTRUMENT_KINDS; c++) {
        const char *refusal = k->clones.refusal[c].text;

        json_begin(w, instrument_suffix((enum instrument_clone)c) + strlen("__proact_"),
                   JSON_OBJECT);
        json_put_flag(w, "possible", !*refusal);
        write_reason(w, k, refusal);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static void write_ctas(struct json_writer *w, const struct analyze_launch *l,
                       const struct write_set_ranges *r)
{
    json_begin(w, "ctas", JSON_ARRAY);
    for (uint32_t cta = 0; cta < l->set->cta_count; cta++) {
        struct cta_runs_walk walk = cta_runs_walk(&r->runs, cta, cta + 1);
        uint64_t bytes = 0, ranges = 0;
        struct span first, last;

        for (struct span s; cta_runs_span(&walk, &s); last = s) {
            bytes += s.end - s.first;
            first = ranges++ ? first : s;
        }
        if (!ranges)
            continue;
        json_begin(w, NULL, JSON_OBJECT);
        json_put_whole(w, "cta", cta);
        json_put_whole(w, "device", analyze_device(l, cta));
        json_put_whole(w, "ranges", ranges);
        json_put_whole(w, "bytes", bytes);
        json_put_whole(w, "first_byte", first.first);
        json_put_whole(w, "end_byte", last.end);
        json_end(w);
    }
    json_end(w);
}

static void write_sizes(struct json_writer *w, const char *key, const uint32_t sizes[3])
{
    json_begin(w, key, JSON_ARRAY);
    for (int d = 0; d < 3; d++)
        json_put_whole(w, NULL, sizes[d]);
    json_end(w);
}

static void write_wrap(void *context, const char *sentence)
{
    json_put_text(context, NULL, sentence);
}

static void write_source(struct json_writer *w, const struct write_set *set)
{
    const bool is_sliced = set->ctas_run > 0;

    json_put_text(w, "map",
                  !is_sliced                       ? "closed form"
                  : set->ctas_run < set->cta_count ? "closed form and slice"
                                                   : "slice");
    if (is_sliced)
        json_put_whole(w, "map_sliced_ctas", set->ctas_run);
    if (is_sliced && set->why_line)
        json_put_whole(w, "map_line", set->why_line);
    if (is_sliced)
        json_put_text(w, "map_reason", set->why_sliced);
}

static void write_spans(struct json_writer *w, unsigned device, const struct spans *s)
{
    uint64_t bytes = 0;

    for (size_t n = 0; n < s->count; n++)
        bytes += s->span[n].end - s->span[n].first;
    json_begin(w, NULL, JSON_OBJECT);
    json_put_whole(w, "device", device);
    json_put_whole(w, "bytes", bytes);
    json_put_whole(w, "ranges", s->count);
    json_begin(w, "first_ranges", JSON_ARRAY);
    for (size_t n = 0; n < s->count && n < SPANS_LISTED; n++) {
        json_begin(w, NULL, JSON_OBJECT);
        json_put_whole(w, "first_byte", s->span[n].first);
        json_put_whole(w, "end_byte", s->span[n].end);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static void write_reading(struct json_writer *w, const struct analyze_kernel *k,
                          const struct analyze_reading *r, unsigned devices)
{
    char base[128];

    analyze_place_text(k->f, r->offset, base, sizeof base);
    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "array", r->is_known ? base : NULL);
    json_put_flag(w, "all", r->reason != NULL);
    if (r->reason) {
        json_put_whole(w, "line", r->line);
        json_put_text(w, "reason", r->reason);
    } else {
        json_begin(w, "by_device", JSON_ARRAY);
        for (unsigned d = 0; d < devices; d++)
            write_spans(w, d, &r->spans[d]);
        json_end(w);
    }
    json_end(w);
}

static void write_reads(struct json_writer *w, const struct analyze_kernel *k,
                        const struct analyze_launch *l, const struct analyze_request *q)
{
    struct analyze_reads r = {0};

    analyze_reads_find(&r, l, k, q);
    if (r.missing_text[0]) {
        json_put_text(w, "read", NULL);
        json_put_text(w, "read_reason", r.missing_text);
    } else {
        json_begin(w, "read", JSON_ARRAY);
        for (size_t n = 0; n < r.count; n++)
            write_reading(w, k, &r.each[n], l->over);
        json_end(w);
    }
    analyze_reads_clear(&r);
}

static void write_flags(struct json_writer *w, const struct analyze_launch *l)
{
    json_begin(w, "flags", JSON_ARRAY);
    for (size_t n = 0; n < l->flags.count; n++) {
        json_begin(w, NULL, JSON_OBJECT);
        json_put_text(w, "array", l->set->arrays[l->flags.range[n].array].name);
        if (!flag_bytes_are_all(&l->flags.range[n])) {
            json_put_whole(w, "first_byte", l->flags.range[n].first);
            json_put_whole(w, "end_byte", l->flags.range[n].end);
        }
        json_end(w);
    }
    json_end(w);
}

static void write_launch(struct json_writer *w, const struct analyze_kernel *k,
                         const struct analyze_launch *l, const struct analyze_request *q)
{
    json_begin(w, "launch", JSON_OBJECT);
    write_sizes(w, "grid", q->grid);
    write_sizes(w, "block", q->block);
    json_put_whole(w, "devices", l->devices);
    json_put_whole(w, "split_over", k->why.text[0] ? 1 : l->over);
    write_reason(w, k, l->why.text);
    json_put_flag(w, "exact", l->set->is_exact);
    write_source(w, l->set);
    json_begin(w, "wraps", JSON_ARRAY);
    analyze_wraps(l, k, q, write_wrap, w);
    json_end(w);
    json_begin(w, "written", JSON_ARRAY);
    for (uint32_t n = 0; n < l->set->array_count; n++) {
        struct analyze_written written = analyze_written(l, n);

        if (!l->set->arrays[n].runs.count)
            continue;
        json_begin(w, NULL, JSON_OBJECT);
        json_put_text(w, "array", l->set->arrays[n].name);
        json_put_whole(w, "bytes", written.bytes);
        json_put_whole(w, "least_bytes", written.least);
        json_put_whole(w, "most_bytes", written.most);
        write_ctas(w, l, &l->set->arrays[n]);
        json_end(w);
    }
    json_end(w);
    write_flags(w, l);
    write_reads(w, k, l, q);
    json_end(w);
}

static void write_left_out(struct json_writer *w, const struct analyze_launch *l,
                           const struct analyze_request *q)
{
    json_begin(w, "launch", JSON_OBJECT);
    write_sizes(w, "grid", q->grid);
    write_sizes(w, "block", q->block);
    json_put_text(w, "map", NULL);
    json_put_text(w, "map_reason", l->left_out);
    json_end(w);
}

void analyze_write_kernel(struct json_writer *w, const struct analyze_kernel *k,
                          const struct analyze_launch *l, const struct analyze_request *q)
{
    char *plain = analyze_plain_name(k->f->name);

    json_begin(w, NULL, JSON_OBJECT);
    json_put_text(w, "kernel", k->f->name);
    if (plain)
        json_put_text(w, "plain_name", plain);
    free(plain);
    write_arrays(w, k);
    write_open(w, k);
    write_split(w, k);
    if (l && l->set)
        write_launch(w, k, l, q);
    else if (l && l->left_out[0])
        write_left_out(w, l, q);
    json_end(w);
}
