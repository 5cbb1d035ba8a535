/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Common parts of the SVG pictures of `proact run`. They follow the reader's light or dark
   colours. */

#include "base/text.h"
#include "run/run_application.h"

enum { RUN_SVG_WIDTH = 760 };     /* in user units, which are pixels unless scaled */
enum { RUN_SVG_CHARACTERS = 84 }; /* that fit in a line */

/* The element with its title and style, up to the opening tag of the line below the title:
   the caller adds that line and closes the tag with "</text>". */
void run_svg_begin(struct text *svg, int height, const char *title);

/* Text for XML. A line end ends it, as do `most` characters; what XML or a terminal cannot
   show is a question mark. */
void run_svg_add_text(struct text *svg, const char *words, size_t most);

/* The first line of the application's description of its input. The caller frees it. */
char *run_svg_title(const struct run_application *application, const void *work);

/* 1, 2 or 5 times a power of ten, so that an axis from 0 to `most` has at most eight
   ticks. */
double run_svg_step(double most);
