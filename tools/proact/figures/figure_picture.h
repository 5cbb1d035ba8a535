/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The picture of a figure as SVG: one chart for each panel. */

#include "base/text.h"
#include "figures/figure.h"

void figure_picture_draw(const struct figure *figure, const struct figure_rows *rows,
                         struct text *svg);
