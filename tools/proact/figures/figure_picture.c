/* SPDX-License-Identifier: Apache-2.0 */
#include "figures/figure_picture.h"

#include <math.h>

#include "figures/figure_text.h"
#include "run/run_svg.h"

/* In user units, which are pixels where nothing is scaled. */
enum {
    TOP = 72,     /* title and unit */
    CAPTION = 24, /* the panel's name */
    PLOT = 190,   /* height of lines and bars */
    CELL = 24,    /* height of a row of a heat map or of notes */
    BELOW = 56,   /* positions, and the name of the axis */
    LEFT = 110,
    RIGHT = 170, /* the legend */
    COLOURS = 8
};

/* Series colours that differ on light and on dark ground. */
static const char *const colours[COLOURS] = {"#0969da", "#bc4c00", "#1a7f37", "#8250df",
                                             "#cf222e", "#9a6700", "#1b7c83", "#848d97"};

struct picture {
    struct text *svg;
    const struct figure *figure;
    struct figure_panel panel;
    double top, bottom; /* of the chart of the panel */
    double least, most, step;
};

static double picture_width(void)
{
    return RUN_SVG_WIDTH - LEFT - RIGHT;
}

static double picture_y(const struct picture *p, double value)
{
    return p->bottom - (value - p->least) / (p->most - p->least) * (p->bottom - p->top);
}

/* The middle of a position. Positions have equal distances. */
static double picture_x(const struct picture *p, unsigned at)
{
    const double share = (at + 0.5) / p->panel.at.count;

    return LEFT + share * picture_width();
}

static void picture_label(struct picture *p, double x, double y, const char *anchor,
                          const char *word)
{
    text_print(p->svg, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x,
               y, anchor);
    run_svg_add_text(p->svg, word, RUN_SVG_CHARACTERS);
    text_print(p->svg, "</text>\n");
}

/* An axis from 0, or from the least value below 0, up to the largest value. */
static void picture_scale(struct picture *p)
{
    p->least = p->most = 0;
    for (unsigned s = 0; s < p->panel.series.count; s++)
        for (unsigned a = 0; a < p->panel.at.count; a++) {
            const struct figure_row *row = figure_panel_row(&p->panel, s, a);

            if (row && isfinite(row->value)) {
                p->least = fmin(p->least, row->value);
                p->most = fmax(p->most, row->value);
            }
        }
    if (p->most <= p->least)
        p->most = p->least + 1;
    p->step = run_svg_step(p->most - p->least);
    p->least = floor(p->least / p->step + 1e-9) * p->step;
    p->most = ceil(p->most / p->step - 1e-9) * p->step;
}

static void picture_axes(struct picture *p)
{
    const unsigned ticks = (unsigned)lround((p->most - p->least) / p->step);

    for (unsigned i = 0; i <= ticks; i++) {
        const double value = p->least + i * p->step, y = picture_y(p, value);
        struct text word = {0};

        text_print(p->svg,
                   "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n",
                   LEFT, y, RUN_SVG_WIDTH - RIGHT, y);
        text_print(&word, "%g", fabs(value) < p->step / 2 ? 0 : value);
        picture_label(p, LEFT - 8, y + 4, "end", word.data);
        text_clear(&word);
    }
}

static void picture_positions(struct picture *p)
{
    for (unsigned a = 0; a < p->panel.at.count; a++)
        picture_label(p, picture_x(p, a), p->bottom + 18, "middle", p->panel.at.name[a]);
    picture_label(p, LEFT + picture_width() / 2, p->bottom + 38, "middle",
                  p->figure->across);
}

static void picture_legend(struct picture *p)
{
    for (unsigned s = 0; s < p->panel.series.count; s++) {
        const double y = p->top + 20 * s;

        text_print(p->svg,
                   "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"12\" "
                   "style=\"fill:%s\"/>\n",
                   RUN_SVG_WIDTH - RIGHT + 14, y, colours[s % COLOURS]);
        picture_label(p, RUN_SVG_WIDTH - RIGHT + 32, y + 11, "start",
                      p->panel.series.name[s]);
    }
}

static void picture_line(struct picture *p, unsigned series)
{
    const char *colour = colours[series % COLOURS];
    struct text points = {0};

    for (unsigned a = 0; a < p->panel.at.count; a++) {
        const struct figure_row *row = figure_panel_row(&p->panel, series, a);

        if (!row || !isfinite(row->value))
            continue;
        const double x = picture_x(p, a), y = picture_y(p, row->value);

        text_print(&points, "%.1f,%.1f ", x, y);
        text_print(p->svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" style=\"fill:%s\"/>\n",
                   x, y, colour);
    }
    if (points.data)
        text_print(p->svg,
                   "<polyline points=\"%s\" "
                   "style=\"fill:none;stroke:%s;stroke-width:2\"/>\n",
                   points.data, colour);
    text_clear(&points);
}

static void picture_lines(struct picture *p)
{
    picture_scale(p);
    picture_axes(p);
    for (unsigned s = 0; s < p->panel.series.count; s++)
        picture_line(p, s);
    picture_positions(p);
    picture_legend(p);
}

static void picture_bars(struct picture *p)
{
    const double group = picture_width() / p->panel.at.count * 0.8;
    const double bar = group / p->panel.series.count;

    picture_scale(p);
    picture_axes(p);
    for (unsigned s = 0; s < p->panel.series.count; s++)
        for (unsigned a = 0; a < p->panel.at.count; a++) {
            const struct figure_row *row = figure_panel_row(&p->panel, s, a);

            if (!row || !isfinite(row->value))
                continue;
            const double y = picture_y(p, row->value), zero = picture_y(p, 0);

            text_print(p->svg,
                       "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                       "style=\"fill:%s\"/>\n",
                       picture_x(p, a) - group / 2 + s * bar, fmin(y, zero), bar * 0.92,
                       fabs(y - zero), colours[s % COLOURS]);
        }
    picture_positions(p);
    picture_legend(p);
}

/* Cells with their values: from blue, the least one, to orange, the largest. Notes have no
   colour. */
static void picture_cells(struct picture *p)
{
    const double width = picture_width() / p->panel.at.count;

    picture_scale(p);
    for (unsigned s = 0; s < p->panel.series.count; s++) {
        const double y = p->top + (double)CELL * s;

        picture_label(p, LEFT - 8, y + 16, "end", p->panel.series.name[s]);
        for (unsigned a = 0; a < p->panel.at.count; a++) {
            const struct figure_row *row = figure_panel_row(&p->panel, s, a);
            struct text word = {0};

            if (!row)
                continue;
            const double share = (row->value - p->least) / (p->most - p->least);

            if (p->figure->chart == FIGURE_HEAT && isfinite(share))
                text_print(p->svg,
                           "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
                           "style=\"fill:hsl(%.0f,70%%,50%%);fill-opacity:0.6\"/>\n",
                           LEFT + a * width, y, width - 1, CELL - 1, 210 - 180 * share);
            figure_text_value(p->figure, row, &word);
            picture_label(p, LEFT + (a + 0.5) * width, y + 16, "middle", word.data);
            text_clear(&word);
        }
    }
    picture_positions(p);
}

static double picture_height(const struct figure *figure, const struct figure_panel *panel)
{
    if (figure->chart == FIGURE_LINES || figure->chart == FIGURE_BARS)
        return PLOT;
    return (double)CELL * panel->series.count;
}

void figure_picture_draw(const struct figure *figure, const struct figure_rows *rows,
                         struct text *svg)
{
    static void (*const charts[])(struct picture *) = {[FIGURE_LINES] = picture_lines,
                                                       [FIGURE_BARS] = picture_bars,
                                                       [FIGURE_HEAT] = picture_cells,
                                                       [FIGURE_NOTES] = picture_cells};
    const struct figure_names panels = figure_panel_names(rows);
    double y = TOP;

    for (unsigned i = 0; i < panels.count; i++) {
        const struct figure_panel panel = figure_panel_of(rows, panels.name[i]);

        y += CAPTION + picture_height(figure, &panel) + BELOW;
    }
    run_svg_begin(svg, (int)y, figure->title);
    run_svg_add_text(svg, figure->unit, RUN_SVG_CHARACTERS);
    text_print(svg, "</text>\n");
    y = TOP;
    for (unsigned i = 0; i < panels.count; i++) {
        struct picture p = {.svg = svg,
                            .figure = figure,
                            .panel = figure_panel_of(rows, panels.name[i]),
                            .top = y + CAPTION};

        p.bottom = p.top + picture_height(figure, &p.panel);
        picture_label(&p, LEFT, y + 12, "start", p.panel.name);
        charts[figure->chart](&p);
        y = p.bottom + BELOW;
    }
    text_print(svg, "</svg>\n");
}
