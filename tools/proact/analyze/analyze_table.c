/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_table.h"

#include "analyze/analyze_constants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { COLUMNS = 8, CELL = 96 };
struct row {
    char cell[COLUMNS][CELL];
};
struct table {
    struct row *rows;
    size_t count, capacity;
};

static struct row *add_row(struct table *t)
{
    t->rows = must_grow(t->rows, t->count, &t->capacity, sizeof *t->rows);
    memset(&t->rows[t->count], 0, sizeof *t->rows);
    return &t->rows[t->count++];
}

static void print_table(const struct table *t)
{
    size_t width[COLUMNS] = {0};

    for (size_t r = 0; r < t->count; r++)
        for (int c = 0; c < COLUMNS; c++) {
            size_t length = strlen(t->rows[r].cell[c]);

            width[c] = length > width[c] ? length : width[c];
        }
    for (size_t r = 0; r < t->count; r++) {
        struct text line = {0};

        for (int c = 0; c < COLUMNS; c++)
            text_print(&line, "  %-*s", (int)width[c], t->rows[r].cell[c]);
        while (line.length && line.data[line.length - 1] == ' ')
            line.data[--line.length] = '\0';
        puts(line.data);
        text_clear(&line);
    }
}

static void add_axis(const struct analyze_kernel *k, const struct access_array *a,
                     const struct access_axis *x, struct row *row)
{
    analyze_form_text(k, x->stride, row->cell[3], CELL);
    snprintf(row->cell[4], CELL, "%s",
             x->grid < 0 ? "-" : (const char *[]){"x", "y", "z"}[x->grid]);
    snprintf(row->cell[5], CELL, "%s%s", access_class_text(x->how),
             a->is_proven ? "" : "?");
    if (x->tile)
        analyze_form_text(k, x->tile, row->cell[6], CELL);
    if (x->has_halo)
        snprintf(row->cell[7], CELL, "%" PRId64 " to %" PRId64, x->low, x->high);
}

static void add_array(const struct analyze_kernel *k, const struct access_array *a,
                      struct table *t)
{
    struct row *row = add_row(t);

    analyze_base_text(k, a->base, a->base_symbol, row->cell[0], CELL);
    snprintf(row->cell[1], CELL, "%s", analyze_kind_text(a->kind));
    snprintf(row->cell[2], CELL, "%" PRIu32, a->element_bytes);
    if (!a->axis_count)
        snprintf(row->cell[7], CELL, "%s", a->reason ? a->reason : "unknown");
    for (uint32_t i = 0; i < a->axis_count; i++)
        add_axis(k, a, &a->axes[i], i ? add_row(t) : row);
}

static void print_shape(const struct analyze_kernel *k, const struct access_shape *s)
{
    char base[64];

    analyze_place_text(k->f, s->base_offset, base, sizeof base);
    printf("  array %s is declared: ", base);
    for (uint32_t i = s->count; i-- > 0;)
        printf("%" PRIu64 "%s", s->extents[i], i ? " x " : "");
    printf(" elements of %" PRIu32 " bytes\n", s->element_bytes);
}

static void print_arrays(const struct analyze_kernel *k)
{
    static const char *const heads[COLUMNS] = {"array", "access", "bytes", "stride",
                                               "grid",  "class",  "tile",  "halo"};
    struct table t = {0};
    bool all_proven = true;

    struct row *head = add_row(&t);

    for (int c = 0; c < COLUMNS; c++)
        snprintf(head->cell[c], CELL, "%s", heads[c]);
    for (uint32_t i = 0; i < k->patterns->count; i++) {
        add_array(k, &k->patterns->arrays[i], &t);
        all_proven &=
            k->patterns->arrays[i].is_proven || !k->patterns->arrays[i].axis_count;
    }
    if (k->patterns->count)
        print_table(&t);
    for (uint32_t i = 0; i < k->shape_count; i++)
        print_shape(k, &k->shapes[i]);
    if (!all_proven)
        printf("  ?: holds if inner indices stay within their row\n");
    free(t.rows);
}

static bool is_like(const struct access_record *a, const struct access_record *b)
{
    return a->state == b->state && a->kind == b->kind && a->base == b->base &&
           (a->base == ACCESS_BASE_UNKNOWN ? strcmp(a->reason, b->reason) == 0
                                           : a->base_symbol == b->base_symbol);
}

/* An unrolled loop repeats an access; it is printed once. */
static void print_open(const struct analyze_kernel *k)
{
    const struct access_record *records = k->analysis->records;

    for (uint32_t i = 0; i < k->analysis->record_count; i++) {
        const struct access_record *r = &records[i];
        bool is_known = r->base != ACCESS_BASE_UNKNOWN;
        uint32_t first = 0, more = 0;
        char base[64], others[32] = "";

        if (r->state == ACCESS_CLOSED)
            continue;
        while (records[first].state == ACCESS_CLOSED || !is_like(&records[first], r))
            first++;
        if (first < i)
            continue;
        for (uint32_t j = i + 1; j < k->analysis->record_count; j++)
            more += records[j].state != ACCESS_CLOSED && is_like(&records[j], r);
        if (more)
            snprintf(others, sizeof others, " and %" PRIu32 " more", more);
        analyze_base_text(k, r->base, r->base_symbol, base, sizeof base);
        analyze_print(k->module, "  line %" PRIu32 "%s: %s of %s%s: %s\n", r->line, others,
                      analyze_kind_text(r->kind), is_known ? "array " : "an unknown array",
                      is_known ? base : "", r->reason);
    }
}

/* True if every CTA accesses the same bytes in all dimensions. */
static bool is_everyones(const struct access_array *a)
{
    for (uint32_t i = 0; i < a->axis_count; i++)
        if (a->axes[i].how != ACCESS_EACH)
            return false;
    return a->axis_count && a->kind == ACCESS_WRITE;
}

static uint32_t offset_of(const struct analyze_kernel *k, const struct access_array *a)
{
    return k->analysis->symbols[a->base_symbol].offset;
}

static void print_flags(const struct analyze_kernel *k)
{
    for (uint32_t n = 0; n < k->flags.count; n++) {
        char base[64];

        analyze_place_text(k->f, k->flags.flag[n].parameter, base, sizeof base);
        analyze_print(k->module,
                      "  line %" PRIu32 ": an idempotent store to array %s: "
                      "all CTAs may store the same value\n",
                      k->flags.flag[n].line, base);
    }
}

static void print_reductions(const struct analyze_kernel *k)
{
    for (uint32_t n = 0; n < k->reductions.count; n++) {
        const struct access_reduction *r = &k->reductions.reduction[n];
        const enum ptx_opcode opcode = k->f->instructions[r->instruction].opcode;
        char base[64];

        analyze_place_text(k->f, r->parameter, base, sizeof base);
        analyze_print(k->module,
                      "  line %" PRIu32 ": %s array %s: %s the memory of device 0\n",
                      r->line,
                      r->kind != ACCESS_SCATTERED ? "a reduction of"
                      : opcode == PTX_LD          ? "a load next to indirect stores to"
                      : opcode == PTX_ST          ? "an indirect store to"
                                                  : "a value-returning atomic on",
                      base, r->kind == ACCESS_SCATTERED ? "performed in" : "combined in");
    }
}

/* True if the writes go to device 0's replica, so that they do not prevent a split. */
static bool is_merged(const struct analyze_kernel *k, uint32_t offset)
{
    for (uint32_t n = 0; n < k->reductions.count; n++)
        if (k->reductions.reduction[n].parameter == offset)
            return true;
    return analyze_flags_only(k, offset);
}

static void print_everyones(const struct analyze_kernel *k)
{
    for (uint32_t i = 0; i < k->patterns->count; i++) {
        const struct access_array *a = &k->patterns->arrays[i];
        char base[64];

        if (!is_everyones(a) ||
            (a->base == ACCESS_BASE_PARAMETER && is_merged(k, offset_of(k, a))))
            continue;
        analyze_base_text(k, a->base, a->base_symbol, base, sizeof base);
        printf("  array %s: all CTAs that write it write the same bytes: a launch is "
               "split only if one device runs all of them\n",
               base);
    }
}

static void print_constants(const struct analyze_kernel *k)
{
    struct analyze_constant constants[ANALYZE_CONSTANTS_MAX];
    uint32_t count = analyze_constants_read(k, constants);

    for (uint32_t n = 0; n < count; n++) {
        char place[128];

        analyze_constant_text(k, &constants[n], place, sizeof place);
        printf("%s%s%s", n ? ", " : "  from constant memory: ", place,
               constants[n].bytes ? "" : " (a table)");
    }
    if (count)
        puts("");
}

void analyze_print_refusal(const struct analyze_kernel *k, const char *head,
                           const char *why)
{
    analyze_print(k->module, "  %s: %s\n    advice: %s\n", head, why,
                  analyze_advice(k, why));
}

static void print_split(const struct analyze_kernel *k)
{
    if (k->is_annotated) {
        printf("  is annotated: its program provides the maps\n");
        return;
    }
    if (k->why.text[0]) {
        analyze_print_refusal(k, "cannot be split", k->why.text);
        return;
    }
    struct write_set_slice_info info = write_set_slice_info(k->slice);

    printf("  can be split: %" PRIu32 " of %" PRIu32
           " instructions decide %s it writes; kernel versions:",
           info.kept, info.instructions, info.is_exact ? "where" : "at most where");
    for (int c = 0; c < INSTRUMENT_KINDS; c++)
        if (!k->clones.refusal[c].text[0])
            printf(" %s",
                   instrument_suffix((enum instrument_clone)c) + strlen("__proact_"));
    printf("\n");
    print_constants(k);
    for (int c = 0; c < INSTRUMENT_KINDS; c++)
        if (k->clones.refusal[c].text[0]) {
            char head[32];

            snprintf(head, sizeof head, "no kernel version %s",
                     instrument_suffix((enum instrument_clone)c) + strlen("__proact_"));
            analyze_print_refusal(k, head, k->clones.refusal[c].text);
        }
}

void analyze_print_kernel(const struct analyze_kernel *k)
{
    char *plain = analyze_plain_name(k->f->name);
    uint32_t line = 1;

    for (const char *c = k->module->text; c < k->module->text + k->f->span.offset; c++)
        line += *c == '\n';
    printf("%s (%s:%" PRIu32 ")%s%s\n", k->f->name, k->module->name, line,
           plain ? ": " : "", plain ? plain : "");
    free(plain);
    if (k->whole)
        printf("  in this launch: %" PRIu32 " of %" PRIu32
               " instructions, specialized for its arguments\n",
               k->f->instruction_count, k->whole);
    print_arrays(k);
    print_open(k);
    print_everyones(k);
    print_flags(k);
    print_reductions(k);
    print_split(k);
}
