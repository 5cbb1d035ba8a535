/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const char svg_style[] =
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
    ".line { fill: none; stroke: #0969da; stroke-width: 2 }\n"
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
    ".line { stroke: #4493f8 }\n"
    ".ideal { stroke: #f0883e }\n"
    ".ideal-text { fill: #f0883e }\n"
    "}\n"
    "</style>\n";

void run_svg_add_text(struct text *t, const char *words, size_t most)
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

double run_svg_step(double most)
{
    double power = pow(10, floor(log10(most / 8)));
    double ratio = most / 8 / power;

    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

char *run_svg_title(const struct run_application *application, const void *work)
{
    char *words = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&words, &bytes);

    if (!memory)
        abort();
    application->print_input(work, memory);
    fclose(memory);
    words[strcspn(words, "\n")] = '\0';
    return words;
}

void run_svg_begin(struct text *svg, int height, const char *title)
{
    text_print(svg,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" "
               "height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
               RUN_SVG_WIDTH, height, RUN_SVG_WIDTH, height);
    run_svg_add_text(svg, title, SIZE_MAX);
    text_print(svg, "</title>\n");
    text_add(svg, svg_style, sizeof svg_style - 1);
    text_print(svg, "<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", RUN_SVG_WIDTH,
               height);
    text_print(svg, "<text class=\"title\" x=\"16\" y=\"30\">");
    run_svg_add_text(svg, title, RUN_SVG_CHARACTERS);
    text_print(svg, "</text>\n<text class=\"note\" x=\"16\" y=\"52\">");
}
