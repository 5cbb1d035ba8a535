/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A progress bar in the last line of a terminal, on stderr. Nothing is printed where stderr
   is no terminal. */

#include <stdbool.h>
#include <stdint.h>

struct progress_bar {
    bool shown;
    uint64_t started_ns, drawn_ns; /* by the host's clock */
};

void progress_bar_init(struct progress_bar *b);

/* True at most ten times a second, so that callers may ask as often as they like. */
bool progress_bar_is_due(struct progress_bar *b);

/* "[####....]  42 %  TEXT, 7 s left"; `part` is what is done, from 0 to 1. */
void progress_bar_draw(const struct progress_bar *b, double part, const char *text);
void progress_bar_clear(const struct progress_bar *b); /* erases the line */
