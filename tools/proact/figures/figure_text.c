/* SPDX-License-Identifier: Apache-2.0 */
#include "figures/figure_text.h"

#include <math.h>
#include <string.h>

static unsigned name_index(const struct figure_names *names, const char *name)
{
    unsigned i = 0;

    while (i < names->count && strcmp(names->name[i], name) != 0)
        i++;
    return i;
}

static void name_add(struct figure_names *names, const char *name)
{
    if (name_index(names, name) == names->count && names->count < FIGURE_NAMES_MAX)
        names->name[names->count++] = name;
}

struct figure_names figure_panel_names(const struct figure_rows *rows)
{
    struct figure_names names = {.count = 0};

    for (size_t i = 0; i < rows->count; i++)
        name_add(&names, rows->row[i].panel);
    return names;
}

static double position_x(const struct figure_panel *p, const char *at)
{
    for (size_t i = 0; i < p->rows->count; i++)
        if (strcmp(p->rows->row[i].at, at) == 0)
            return p->rows->row[i].x;
    return 0;
}

/* A stable sort: positions without x keep their order. */
static void sort_positions(struct figure_panel *p)
{
    for (unsigned i = 1; i < p->at.count; i++) {
        const char *name = p->at.name[i];
        unsigned j = i;

        for (; j && position_x(p, p->at.name[j - 1]) > position_x(p, name); j--)
            p->at.name[j] = p->at.name[j - 1];
        p->at.name[j] = name;
    }
}

struct figure_panel figure_panel_of(const struct figure_rows *rows, const char *name)
{
    struct figure_panel p = {.name = name, .rows = rows};

    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].panel, name) == 0) {
            name_add(&p.series, rows->row[i].series);
            name_add(&p.at, rows->row[i].at);
        }
    sort_positions(&p);
    return p;
}

const struct figure_row *figure_panel_row(const struct figure_panel *panel, unsigned series,
                                          unsigned at)
{
    for (size_t i = 0; i < panel->rows->count; i++) {
        const struct figure_row *row = &panel->rows->row[i];

        if (strcmp(row->panel, panel->name) == 0 &&
            strcmp(row->series, panel->series.name[series]) == 0 &&
            strcmp(row->at, panel->at.name[at]) == 0)
            return row;
    }
    return NULL;
}

void figure_text_value(const struct figure *figure, const struct figure_row *row,
                       struct text *to)
{
    if (!row)
        return;
    if (figure->chart == FIGURE_NOTES)
        text_print(to, "%s", row->note);
    else if (!isfinite(row->value))
        text_print(to, "undefined");
    else if (fabs(row->value) < 10)
        text_print(to, "%.2f", row->value);
    else
        text_print(to, "%.1f", row->value);
}

static size_t text_wider(size_t width, const char *word)
{
    return strlen(word) > width ? strlen(word) : width;
}

/* The cells of a column are as wide as its widest one. */
static size_t column_width(const struct figure *figure, const struct figure_panel *p,
                           unsigned at)
{
    size_t width = strlen(p->at.name[at]);

    for (unsigned s = 0; s < p->series.count; s++) {
        struct text cell = {0};

        figure_text_value(figure, figure_panel_row(p, s, at), &cell);
        if (cell.data)
            width = text_wider(width, cell.data);
        text_clear(&cell);
    }
    return width;
}

static void print_cell(struct text *to, size_t width, const char *word)
{
    text_print(to, "  %*s", (int)width, word ? word : "");
}

static void print_panel(const struct figure *figure, const struct figure_panel *p,
                        struct text *to)
{
    size_t first = strlen(figure->down), width[FIGURE_NAMES_MAX];

    for (unsigned s = 0; s < p->series.count; s++)
        first = text_wider(first, p->series.name[s]);
    if (p->name[0])
        text_print(to, "\n%s\n", p->name);
    text_print(to, "%-*s", (int)first, figure->down);
    for (unsigned a = 0; a < p->at.count; a++) {
        width[a] = column_width(figure, p, a);
        print_cell(to, width[a], p->at.name[a]);
    }
    text_print(to, "\n");
    for (unsigned s = 0; s < p->series.count; s++) {
        text_print(to, "%-*s", (int)first, p->series.name[s]);
        for (unsigned a = 0; a < p->at.count; a++) {
            struct text cell = {0};

            figure_text_value(figure, figure_panel_row(p, s, a), &cell);
            print_cell(to, width[a], cell.data);
            text_clear(&cell);
        }
        text_print(to, "\n");
    }
}

void figure_text_print(const struct figure *figure, const struct figure_rows *rows,
                       struct text *to)
{
    const struct figure_names panels = figure_panel_names(rows);

    text_print(to, "%s\n(%s, by %s)\n", figure->title, figure->unit, figure->across);
    for (unsigned i = 0; i < panels.count; i++) {
        const struct figure_panel p = figure_panel_of(rows, panels.name[i]);

        print_panel(figure, &p, to);
    }
}
