/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The stores of a slice while it runs: to which array each goes. */

#include "access/write_set/write_set_slice.h"
#include "access/write_set/write_set_spans.h"

/* Memory that may be written, where the slice sees it. */
struct record_array {
    const char *name;
    uint64_t address, bytes;
    struct write_set_spans spans; /* of the CTA that runs */
    uint32_t *first;
    struct rows *rows;
    size_t count, capacity; /* of rows */
    uint64_t ranges, bytes_written;
    bool is_atomic, is_variable;
    uint32_t line; /* of the first atomic that goes there, else of the first store; or 0 */
};

struct record {
    const struct write_set_slice *slice;
    struct record_array *arrays;
    uint32_t array_count, last; /* last: the array that was stored to last */
    uint32_t cta_count;
    struct execute_host host; /* swallows every store and notes it here */
};

/* Some of it is written by such an instruction. */
static inline void record_note_line(struct record_array *a, uint32_t line, bool is_atomic)
{
    if (!a->line || is_atomic > a->is_atomic ||
        (is_atomic == a->is_atomic && line < a->line))
        a->line = line;
    a->is_atomic |= is_atomic;
}

void record_open(struct record *r);
/* Room for rows of the CTA beside those of its spans. */
struct rows *record_add_rows(struct record_array *a, size_t count);
/* What CTA `cta` has stored becomes ranges; false if there are more than can be counted. */
bool record_end_cta(struct record *r, uint32_t cta);
