/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The microbenchmark in figures 4 and 6: one device makes an array that all others need,
   and its kernel takes as long as the copies after it (PROACT IV-C). */

#include "figures/figure.h"

struct figure_micro;

struct figure_micro *figure_micro_open(const struct figure_session *s, const char *machine);
void figure_micro_close(struct figure_micro *f);
uint64_t figure_micro_bytes(const struct figure_micro *f); /* of the array */

/* Adds a row with the speedup over bulk. `row` has the series and the position; chunk_bytes
   and threads of 0 are the defaults. Adds nothing if the machine does not support it. */
void figure_micro_add(struct figure_micro *f, const char *method, uint64_t chunk_bytes,
                      unsigned threads, struct figure_row *row, struct figure_rows *out);

/* "64 kB" or "4 MB". */
void figure_size_name(uint64_t bytes, char into[FIGURE_WORD_BYTES]);
