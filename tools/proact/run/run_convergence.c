/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_convergence.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "run/run_svg.h"

enum { HEIGHT = 420, LEFT = 96, RIGHT = 28, TOP = 72, BOTTOM = 62 };
enum { POINTS_MAX = 2000 }; /* of the line; more points are thinned out */

void run_convergence_add(struct run_convergence *c, struct run_point point)
{
    c->point = must_grow(c->point, c->count + 1, &c->capacity, sizeof *c->point);
    c->point[c->count++] = point;
}

void run_convergence_clear(struct run_convergence *c)
{
    free(c->point);
    *c = (struct run_convergence){0};
}

enum proact_status run_convergence_log(const struct run_convergence *c,
                                       const char *quantity, const char *path,
                                       struct proact_error *err)
{
    struct file_output file;
    struct text line = {0};
    enum proact_status status = file_open(path, &file, err);

    if (status)
        return status;
    text_print(&line, "iteration,time_ns,%s\n", quantity);
    for (size_t i = 0; i < c->count; i++)
        text_print(&line, "%u,%" PRIu64 ",%.17g\n", c->point[i].iteration,
                   c->point[i].time_ns, c->point[i].value);
    file_add(&file, line.data, line.length);
    text_clear(&line);
    return file_finish(&file, err);
}

/* Axes: iterations from 0 to `last`, and powers of ten from `low` to `high`. */
struct convergence_axes {
    struct text *svg;
    double last, low, high;
};

static double convergence_x(const struct convergence_axes *a, double iteration)
{
    return LEFT + iteration / a->last * (RUN_SVG_WIDTH - LEFT - RIGHT);
}

static double convergence_y(const struct convergence_axes *a, double value)
{
    return HEIGHT - BOTTOM -
           (log10(value) - a->low) / (a->high - a->low) * (HEIGHT - TOP - BOTTOM);
}

static bool is_drawn(double value)
{
    return isfinite(value) && value > 0;
}

static void lay_out_convergence(struct convergence_axes *a, const struct run_convergence *c)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < c->count; i++)
        if (is_drawn(c->point[i].value)) {
            least = fmin(least, c->point[i].value);
            most = fmax(most, c->point[i].value);
        }
    a->last = c->count ? fmax(1, c->point[c->count - 1].iteration) : 1;
    a->low = most > 0 ? floor(log10(least)) : 0;
    a->high = most > 0 ? fmax(ceil(log10(most)), a->low + 1) : 1;
}

static void draw_convergence_axes(const struct convergence_axes *a, const char *quantity)
{
    double step = run_svg_step(a->last), skip = ceil((a->high - a->low) / 8);
    double middle = (LEFT + RUN_SVG_WIDTH - RIGHT) / 2.0;

    for (double e = a->low; e <= a->high + 0.5; e += skip) {
        double y = convergence_y(a, pow(10, e));

        text_print(a->svg,
                   "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n"
                   "<text class=\"note\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%g"
                   "</text>\n",
                   LEFT, y, RUN_SVG_WIDTH - RIGHT, y, LEFT - 8, y + 4.5, e);
    }
    for (double i = 0; i <= a->last + step / 2 && i <= a->last; i += step)
        text_print(a->svg,
                   "<text class=\"note\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g"
                   "</text>\n",
                   convergence_x(a, i), HEIGHT - BOTTOM + 20, i);
    text_print(a->svg,
               "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">iteration</text>\n"
               "<text x=\"22\" y=\"%d\" text-anchor=\"middle\" "
               "transform=\"rotate(-90 22 %d)\">",
               middle, HEIGHT - 18, (TOP + HEIGHT - BOTTOM) / 2,
               (TOP + HEIGHT - BOTTOM) / 2);
    run_svg_add_text(a->svg, quantity, SIZE_MAX);
    text_print(a->svg, "</text>\n");
}

static void draw_convergence_line(const struct convergence_axes *a,
                                  const struct run_convergence *c)
{
    size_t step = c->count / POINTS_MAX + 1;

    text_print(a->svg, "<polyline class=\"line\" points=\"");
    for (size_t i = 0; i < c->count; i += step)
        if (is_drawn(c->point[i].value))
            text_print(a->svg, "%.1f,%.1f ", convergence_x(a, c->point[i].iteration),
                       convergence_y(a, c->point[i].value));
    text_print(a->svg, "\"/>\n");
}

enum proact_status run_convergence_plot(const struct run_convergence *c,
                                        const struct run_convergence_labels *labels,
                                        const char *path, struct proact_error *err)
{
    struct text svg = {0};
    struct convergence_axes axes = {.svg = &svg};

    lay_out_convergence(&axes, c);
    run_svg_begin(&svg, HEIGHT, labels->title);
    run_svg_add_text(&svg, labels->note, RUN_SVG_CHARACTERS);
    text_print(&svg, "</text>\n");
    draw_convergence_axes(&axes, labels->quantity);
    draw_convergence_line(&axes, c);
    text_print(&svg, "</svg>\n");
    enum proact_status status = file_write(path, svg.data, svg.length, err);

    text_clear(&svg);
    return status;
}
