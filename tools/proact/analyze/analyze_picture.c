/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of CTAs by bytes, with one character per cell. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/analyze_launch.h"
#include "analyze/analyze_reads.h"
#include "analyze/analyze_table.h"
#include "analyze/analyze_wrap.h"

enum { ROWS_MAX = 24, COLUMNS_MAX = 64 };

struct picture {
    uint32_t cta_step;  /* CTAs per row */
    uint64_t byte_step; /* bytes per column */
    uint32_t columns;
    bool has_several; /* a cell has several devices */
};

static struct picture make_picture(uint32_t ctas, uint64_t end)
{
    struct picture p = {.cta_step = (ctas + ROWS_MAX - 1) / ROWS_MAX};

    p.byte_step = (end + COLUMNS_MAX - 1) / COLUMNS_MAX;
    p.columns = (uint32_t)((end + p.byte_step - 1) / p.byte_step);
    return p;
}

static void put(struct picture *p, char *cell, char device)
{
    if (*cell != '.' && *cell != device) {
        *cell = '+';
        p->has_several = true;
    } else {
        *cell = device;
    }
}

static void draw_cta(const struct analyze_launch *l, const struct write_set_ranges *r,
                     uint32_t cta, struct picture *p, char *cells)
{
    char device = "0123456789abcdef"[analyze_device(l, cta)];

    struct cta_runs_walk walk = cta_runs_walk(&r->runs, cta, cta + 1);

    for (struct span s; cta_runs_span(&walk, &s);)
        for (uint64_t c = s.first / p->byte_step; c <= (s.end - 1) / p->byte_step; c++)
            put(p, &cells[c], device);
}

static void draw(const struct analyze_launch *l, const struct write_set_ranges *r,
                 uint64_t end)
{
    struct picture p = make_picture(l->set->cta_count, end);
    char name[32];

    printf("    CTA          bytes 0 to %" PRIu64 ", %" PRIu64 " a column\n", end,
           p.byte_step);
    for (uint32_t cta = 0; cta < l->set->cta_count; cta += p.cta_step) {
        char cells[COLUMNS_MAX + 1] = "";
        uint32_t past = cta + p.cta_step;

        past = past < l->set->cta_count ? past : l->set->cta_count;
        memset(cells, '.', p.columns);
        for (uint32_t c = cta; c < past; c++)
            draw_cta(l, r, c, &p, cells);
        if (past - cta > 1)
            snprintf(name, sizeof name, "%" PRIu32 "-%" PRIu32, cta, past - 1);
        else
            snprintf(name, sizeof name, "%" PRIu32, cta);
        printf("    %-12s %s\n", name, cells);
    }
    if (p.has_several)
        printf("    +: several devices\n");
}

static void print_array(const struct analyze_launch *l, uint32_t array)
{
    const struct write_set_ranges *r = &l->set->arrays[array];
    struct analyze_written w = analyze_written(l, array);

    if (!r->runs.count)
        return;
    printf("  %s %s: %" PRIu32 " of %" PRIu32 " CTAs %s %" PRIu64 " bytes, %" PRIu64
           " to %" PRIu64 " each\n",
           r->is_variable ? "variable" : "array", r->name, w.ctas, l->set->cta_count,
           l->set->is_exact ? "write" : "may write", w.bytes, w.least, w.most);
    draw(l, r, w.end);
}

static void print_wrap(void *context, const char *sentence)
{
    (void)context;
    printf("  may wrap: %s\n", sentence);
}

static void print_source(const struct analyze_kernel *k, const struct write_set *w)
{
    if (!w->ctas_run) {
        printf("  map: closed form\n");
        return;
    }
    if (w->ctas_run < w->cta_count)
        printf("  map: closed form, and slice of %" PRIu32 " of %" PRIu32 " CTAs",
               w->ctas_run, w->cta_count);
    else
        printf("  map: slice");
    if (w->why_line)
        analyze_print(k->module, ", since the store at line %" PRIu32 " %s\n", w->why_line,
                      w->why_sliced);
    else
        printf(", since it %s\n", w->why_sliced);
}

static void print_flags(const struct analyze_launch *l)
{
    for (size_t n = 0; n < l->flags.count; n++) {
        const struct flag_range *r = &l->flags.range[n];
        const char *name = l->set->arrays[r->array].name;

        if (flag_bytes_are_all(r))
            printf("  array %s: all devices update it in the memory of device 0\n", name);
        else
            printf("  idempotent stores to array %s: bytes %" PRIu64 " to %" PRIu64
                   ", all made in the memory of device 0\n",
                   name, r->first, r->end);
    }
}

void analyze_print_launch(const struct analyze_launch *l, const struct analyze_kernel *k,
                          const struct analyze_request *q)
{
    char head[64];
    bool any = false;

    if (!l->set && !l->left_out[0])
        return;
    printf("  launch: (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") CTAs of (%" PRIu32 ",%" PRIu32
           ",%" PRIu32 ") threads; each digit names a device\n",
           q->grid[0], q->grid[1], q->grid[2], q->block[0], q->block[1], q->block[2]);
    if (!l->set) {
        printf("  map: not computed: %s\n", l->left_out);
        return;
    }
    print_source(k, l->set);
    analyze_wraps(l, k, q, print_wrap, NULL);
    for (uint32_t n = 0; n < l->set->array_count; n++) {
        any |= l->set->arrays[n].runs.count > 0;
        print_array(l, n);
    }
    if (!any && !l->flags.count)
        printf("  it writes nothing\n");
    print_flags(l);
    analyze_print_reads(l, k, q);
    if (k->why.text[0] || k->is_annotated)
        return;
    snprintf(head, sizeof head, "can be split over %u of %u devices", l->over, l->devices);
    if (l->why.text[0])
        analyze_print_refusal(k, head, l->why.text);
    else
        printf("  can be split over %u devices\n", l->devices);
}
