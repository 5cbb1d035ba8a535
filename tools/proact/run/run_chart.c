/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_chart.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_DEFAULT = 80, COLUMNS_MIN = 40, COLUMNS_MAX = 400 };
enum { INDENT = 2, GAP = 2, VALUE_WIDTH = 6 };
enum { EIGHTHS = 8 };

static const char label_one[] = "one device", label_ideal[] = "ideal";

/* The parts of one chart. Positions are in eighths of a column. */
struct chart_layout {
    FILE *to;
    bool blocks;
    int label_width, bar_width;
    double scale_max; /* the speedup at the right end */
    int ideal_at;     /* the column of the ideal */
};

static bool chart_has_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (!value || !*value)
            continue;
        const char *dot = strrchr(value, '.');

        return dot &&
               (strncasecmp(dot, ".utf-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0);
    }
    return false;
}

static unsigned chart_columns(void)
{
    struct winsize window = {0};
    const char *value = getenv("COLUMNS");
    long columns = 0;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0)
        columns = window.ws_col;
    if (columns <= 0 && value)
        columns = strtol(value, NULL, 10);
    if (columns <= 0)
        return COLUMNS_DEFAULT;
    return columns < COLUMNS_MIN   ? COLUMNS_MIN
           : columns > COLUMNS_MAX ? COLUMNS_MAX
                                   : (unsigned)columns;
}

struct run_chart run_chart_for_stdout(void)
{
    return (struct run_chart){.columns = chart_columns(), .blocks = chart_has_utf8()};
}

/* The column that holds a position; the end of the bars belongs to the last one. */
static int chart_column(const struct chart_layout *c, double speedup)
{
    int column = (int)(speedup / c->scale_max * c->bar_width);

    return column < c->bar_width ? column : c->bar_width - 1;
}

static void chart_bar(const struct chart_layout *c, double speedup)
{
    static const char *const part[EIGHTHS] = {" ",      "\u258f", "\u258e", "\u258d",
                                              "\u258c", "\u258b", "\u258a", "\u2589"};
    int eighths = (int)(speedup / c->scale_max * c->bar_width * EIGHTHS + 0.5);
    int full = eighths / EIGHTHS, rest = eighths % EIGHTHS;

    if (!c->blocks && rest >= EIGHTHS / 2)
        full++;
    for (int column = 0; column < c->bar_width; column++) {
        const char *cell = " ";

        if (column < full)
            cell = c->blocks ? "\u2588" : "#";
        else if (column == c->ideal_at)
            cell = c->blocks ? "\u2502" : "|";
        else if (column == full && c->blocks)
            cell = part[rest];
        fputs(cell, c->to);
    }
}

static void chart_row(const struct chart_layout *c, const char *label, double speedup,
                      const char *remark)
{
    fprintf(c->to, "%*s%-*s  ", INDENT, "", c->label_width, label);
    chart_bar(c, speedup);
    fprintf(c->to, "%*.2f%s\n", VALUE_WIDTH, speedup, remark);
}

/* The foot of the vertical line. */
static void chart_ideal(const struct chart_layout *c, double ideal)
{
    fprintf(c->to, "%*s%-*s  ", INDENT, "", c->label_width, label_ideal);
    for (int column = 0; column < c->bar_width; column++) {
        const char *line = c->blocks ? "\u2500" : "-";

        if (column == c->ideal_at)
            line = c->blocks ? "\u2518" : "+";
        fputs(column <= c->ideal_at ? line : " ", c->to);
    }
    fprintf(c->to, "%*.2f\n", VALUE_WIDTH, ideal);
}

static struct chart_layout chart_lay_out(const struct run_report *r,
                                         const struct run_chart *chart, FILE *to)
{
    const struct run_study *study = r->study;
    struct chart_layout c = {.to = to,
                             .blocks = chart->blocks,
                             .label_width = (int)strlen(label_one),
                             .scale_max = run_report_ideal(study)};

    if (c.scale_max < 1)
        c.scale_max = 1;
    for (unsigned i = 0; i < study->row_count; i++) {
        int width = (int)strlen(study->row[i].method);

        if (width > c.label_width)
            c.label_width = width;
        if (study->row[i].terms.speedup > c.scale_max)
            c.scale_max = study->row[i].terms.speedup;
    }
    c.bar_width = (int)chart->columns - INDENT - c.label_width - GAP - VALUE_WIDTH;
    if (c.bar_width < 8)
        c.bar_width = 8;
    c.ideal_at = chart_column(&c, run_report_ideal(study));
    return c;
}

void run_chart_print(const struct run_report *r, const struct run_chart *chart, FILE *to)
{
    const struct chart_layout c = chart_lay_out(r, chart, to);

    fprintf(to, "\n%*sspeedup over one device\n", INDENT, "");
    chart_row(&c, label_one, 1, "");
    for (unsigned i = 0; i < r->study->row_count; i++) {
        const struct run_row *row = &r->study->row[i];

        chart_row(&c, row->method, row->terms.speedup, row->equal ? "" : " DIFFERS");
    }
    chart_ideal(&c, run_report_ideal(r->study));
}
