/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

/* In user units, which are pixels where nothing is scaled. */
enum {
    WIDTH = 760,
    TOP = 84,    /* title and subtitle */
    BOTTOM = 60, /* ticks and the label of the axis */
    RIGHT = 76,  /* the number after the longest bar */
    LEFT_MIN = 140,
    ROW = 36,
    BAR = 22,
    LETTER = 8,      /* no letter of a label is wider */
    INSIDE_MIN = 52, /* a bar of that length holds its number */
    TITLE_CHARACTERS = 84,
};

static const char style[] =
    "<style>\n"
    "text { font-family: system-ui, -apple-system, 'Segoe UI', sans-serif; "
    "font-size: 13px; fill: #1f2328 }\n"
    ".title { font-size: 16px; font-weight: 600 }\n"
    ".note { fill: #59636e }\n"
    ".ground { fill: #ffffff }\n"
    ".grid { stroke: #d1d9e0; stroke-width: 1 }\n"
    ".bar { fill: #0969da }\n"
    ".base { fill: #59636e }\n"
    ".inside { fill: #ffffff; font-weight: 600 }\n"
    ".wrong { fill: #cf222e }\n"
    ".ideal { stroke: #bc4c00; stroke-width: 2; stroke-dasharray: 6 4 }\n"
    ".ideal-text { fill: #bc4c00 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "text { fill: #f0f6fc }\n"
    ".note { fill: #9198a1 }\n"
    ".ground { fill: #0d1117 }\n"
    ".grid { stroke: #3d444d }\n"
    ".bar { fill: #4493f8 }\n"
    ".base { fill: #9198a1 }\n"
    ".inside { fill: #0d1117 }\n"
    ".wrong { fill: #f85149 }\n"
    ".ideal { stroke: #f0883e }\n"
    ".ideal-text { fill: #f0883e }\n"
    "}\n"
    "</style>\n";

struct plot {
    struct text svg;
    int left, height;
    unsigned rows;
    double top_speedup, step; /* the right end of the axis, and its ticks */
};

/* Text for XML. A line end ends it, as do `most` characters; what XML or a terminal cannot
   show is a question mark. */
static void plot_add_text(struct text *t, const char *words, size_t most)
{
    const unsigned char *at = (const unsigned char *)words;

    for (size_t n = 0; *at && *at != '\n'; n++) {
        size_t length = utf8_length(at);
        size_t left = strcspn((const char *)at, "\n");

        if (n + 1 >= most && left > length) {
            text_print(t, "...");
            return;
        }
        if (*at == '&')
            text_print(t, "&amp;");
        else if (*at == '<')
            text_print(t, "&lt;");
        else if (*at == '>')
            text_print(t, "&gt;");
        else if (*at < 0x20 || *at == 0x7f || !length)
            text_print(t, "?");
        else
            text_add(t, (const char *)at, length);
        at += length ? length : 1;
    }
}

static double plot_x(const struct plot *p, double speedup)
{
    return p->left + speedup / p->top_speedup * (WIDTH - p->left - RIGHT);
}

static double plot_row_y(unsigned row)
{
    return TOP + row * (double)ROW;
}

/* 1, 2 or 5 times a power of ten, so that the axis has at most eight ticks. */
static double plot_step(double most)
{
    double power = pow(10, floor(log10(most / 8)));
    double ratio = most / 8 / power;

    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static void plot_lay_out(struct plot *p, const struct run_study *study)
{
    double most = fmax(1, run_report_ideal(study));
    size_t letters = strlen("one device");

    for (unsigned i = 0; i < study->row_count; i++) {
        size_t length = strlen(study->row[i].method);

        most = fmax(most, study->row[i].speedup);
        letters = length > letters ? length : letters;
    }
    p->left = 40 + (int)letters * LETTER;
    if (p->left < LEFT_MIN)
        p->left = LEFT_MIN;
    p->rows = study->row_count + 1;
    p->height = TOP + (int)p->rows * ROW + BOTTOM;
    p->step = plot_step(most);
    p->top_speedup = ceil(most / p->step - 1e-9) * p->step;
}

/* The title is the first line of print_input(). */
static void plot_title(struct plot *p, const struct run_report *r)
{
    char *words = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&words, &bytes);

    if (!memory)
        abort();
    r->application->print_input(r->work, memory);
    fclose(memory);
    text_print(&p->svg, "<title>");
    plot_add_text(&p->svg, words, SIZE_MAX);
    text_print(&p->svg, "</title>\n");
    text_add(&p->svg, style, sizeof style - 1);
    text_print(&p->svg, "<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", WIDTH,
               p->height);
    text_print(&p->svg, "<text class=\"title\" x=\"16\" y=\"30\">");
    plot_add_text(&p->svg, words, TITLE_CHARACTERS);
    text_print(&p->svg, "</text>\n<text class=\"note\" x=\"16\" y=\"52\">");
    free(words);
}

static void plot_head(struct plot *p, const struct run_report *r)
{
    const struct run_study *study = r->study;
    struct text machine = {0};

    text_print(&p->svg,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" "
               "height=\"%d\" viewBox=\"0 0 %d %d\">\n",
               WIDTH, p->height, WIDTH, p->height);
    plot_title(p, r);
    text_print(&machine, "%u %s%s of %s (%s), %u iterations", study->device_count,
               study->emulated ? "emulated device" : "device",
               study->device_count == 1 ? "" : "s", r->topology->name,
               r->topology->device.name, study->one.iterations);
    plot_add_text(&p->svg, machine.data, TITLE_CHARACTERS);
    text_print(&p->svg, "</text>\n");
    text_clear(&machine);
}

static void plot_axes(struct plot *p)
{
    double bottom = plot_row_y(p->rows);
    double middle = (p->left + WIDTH - RIGHT) / 2.0;

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
    plot_add_text(&p->svg, bar->label, SIZE_MAX);
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
                                     row->equal ? "" : " (another answer)", row->speedup};

        plot_bar(&p, i + 1, &bar);
    }
    if (study->ideal_ns)
        plot_ideal(&p, run_report_ideal(study));
    text_print(&p.svg, "</svg>\n");
    enum proact_status status = file_write(path, p.svg.data, p.svg.length, err);

    text_clear(&p.svg);
    return status;
}
