/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The speedups of a study as an SVG file: a bar for each method, and the ideal as a line.
   It follows the reader's light or dark colours. */

#include "run/run_report.h"

/* On failure there is no file at `path`, or the old one. */
enum proact_status run_plot_write(const struct run_report *r, const char *path,
                                  struct proact_error *err);
