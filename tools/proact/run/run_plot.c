/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/run_svg.h"

/* In user units, which are pixels where nothing is scaled. */
enum {
    TOP = 84,    /* title and subtitle */
    BOTTOM = 60, /* ticks and the label of the axis */
    RIGHT = 76,  /* the number after the longest bar */
    LEFT_MIN = 140,
    ROW = 36,
    BAR = 22,
    LETTER = 8,      /* no letter of a label is wider */
    INSIDE_MIN = 52, /* a bar of that length holds its number */
};

struct plot {
    struct text svg;
    int left, height;
    unsigned rows;
    double top_speedup, step; /* the right end of the axis, and its ticks */
};

static double plot_x(const struct plot *p, double speedup)
{
    return p->left + speedup / p->top_speedup * (RUN_SVG_WIDTH - p->left - RIGHT);
}

static double plot_row_y(unsigned row)
{
    return TOP + row * (double)ROW;
}

static void plot_lay_out(struct plot *p, const struct run_study *study)
{
    double most = fmax(1, run_report_ideal(study));
    size_t letters = strlen("one device");

    for (unsigned i = 0; i < study->row_count; i++) {
        size_t length = strlen(study->row[i].method);

        most = fmax(most, study->row[i].terms.speedup);
        letters = length > letters ? length : letters;
    }
    p->left = 40 + (int)letters * LETTER;
    if (p->left < LEFT_MIN)
        p->left = LEFT_MIN;
    p->rows = study->row_count + 1;
    p->height = TOP + (int)p->rows * ROW + BOTTOM;
    p->step = run_svg_step(most);
    p->top_speedup = ceil(most / p->step - 1e-9) * p->step;
}

static void plot_head(struct plot *p, const struct run_report *r)
{
    const struct run_study *study = r->study;
    struct text machine = {0};
    char *title = run_svg_title(r->application, r->work);

    run_svg_begin(&p->svg, p->height, title);
    text_print(&machine, "%u %s%s of %s (%s), %u iterations", study->device_count,
               study->emulated ? "emulated device" : "device",
               study->device_count == 1 ? "" : "s", r->topology->name,
               r->topology->device.name, study->one.iterations);
    run_svg_add_text(&p->svg, machine.data, RUN_SVG_CHARACTERS);
    text_print(&p->svg, "</text>\n");
    text_clear(&machine);
    free(title);
}

static void plot_axes(struct plot *p)
{
    double bottom = plot_row_y(p->rows);
    double middle = (p->left + RUN_SVG_WIDTH - RIGHT) / 2.0;

    for (unsigned i = 0; i * p->step <= p->top_speedup + p->step / 2; i++) {
        double x = plot_x(p, i * p->step);

        text_print(&p->svg,
                   "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>\n"
                   "<text class=\"note\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g"
                   "</text>\n",
                   x, TOP, x, bottom + 5, x, bottom + 21, i * p->step);
    }
    text_print(&p->svg,
               "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">speedup over one device"
               "</text>\n",
               middle, bottom + 44);
    text_print(&p->svg,
               "<text x=\"20\" y=\"%.1f\" text-anchor=\"middle\" "
               "transform=\"rotate(-90 20 %.1f)\">method</text>\n",
               (TOP + bottom) / 2, (TOP + bottom) / 2);
}

struct plot_bar {
    const char *label, *kind, *remark;
    double speedup;
};

/* The number at the end of a bar: inside, where the line of the ideal cannot cross it, if
   the bar is long enough. */
static void plot_number(struct plot *p, const struct plot_bar *bar, double y)
{
    double x = plot_x(p, bar->speedup);
    bool inside = x - p->left >= INSIDE_MIN && !*bar->remark;

    text_print(&p->svg, "<text%s x=\"%.1f\" y=\"%.1f\"%s>%.2f%s</text>\n",
               inside ? " class=\"inside\"" : "", inside ? x - 7 : x + 7, y,
               inside ? " text-anchor=\"end\"" : "", bar->speedup, bar->remark);
}

static void plot_bar(struct plot *p, unsigned row, const struct plot_bar *bar)
{
    double y = plot_row_y(row), text_y = y + ROW / 2.0 + 4.5;

    text_print(&p->svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", p->left - 8,
               text_y);
    run_svg_add_text(&p->svg, bar->label, SIZE_MAX);
    text_print(&p->svg,
               "</text>\n<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" "
               "height=\"%d\" rx=\"2\"/>\n",
               bar->kind, p->left, y + (ROW - BAR) / 2.0, plot_x(p, bar->speedup) - p->left,
               BAR);
    plot_number(p, bar, text_y);
}

static void plot_ideal(struct plot *p, double ideal)
{
    double x = plot_x(p, ideal);

    text_print(&p->svg,
               "<line class=\"ideal\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\"/>\n"
               "<text class=\"ideal-text\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">"
               "ideal %.2f</text>\n",
               x, TOP - 4, x, plot_row_y(p->rows), x, TOP - 9, ideal);
}

enum proact_status run_plot_write(const struct run_report *r, const char *path,
                                  struct proact_error *err)
{
    const struct run_study *study = r->study;
    struct plot p = {.rows = 0};
    const struct plot_bar one = {"one device", "base", "", 1};

    plot_lay_out(&p, study);
    plot_head(&p, r);
    plot_axes(&p);
    plot_bar(&p, 0, &one);
    for (unsigned i = 0; i < study->row_count; i++) {
        const struct run_row *row = &study->row[i];
        const struct plot_bar bar = {row->method, row->equal ? "bar" : "wrong",
                                     row->equal ? "" : " (another answer)",
                                     row->terms.speedup};

        plot_bar(&p, i + 1, &bar);
    }
    plot_ideal(&p, run_report_ideal(study));
    text_print(&p.svg, "</svg>\n");
    enum proact_status status = file_write(path, p.svg.data, p.svg.length, err);

    text_clear(&p.svg);
    return status;
}
