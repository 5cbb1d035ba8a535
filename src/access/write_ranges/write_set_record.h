/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The stores of a slice while it runs: to which array each goes. */

#include "access/slice/write_set_slice.h"
#include "access/write_ranges/write_set_spans.h"

/* Memory that may be written, where the slice sees it. */
struct record_array {
    const char *name;
    uint64_t address, bytes;
    struct write_set_spans spans; /* of the CTA that runs */
    struct cta_runs runs;
    uint64_t ranges, bytes_written;
    bool is_atomic, is_variable;
    uint32_t line; /* of the first atomic that goes there, else of the first store; or 0 */
};

struct record {
    const struct write_set_slice *slice;
    struct record_array *arrays;
    uint32_t array_count, last; /* last: the array that was stored to last */
    uint32_t cta_count;
    uint64_t spans;           /* that came in; most are merged */
    uint32_t places;          /* where closed forms were looked at */
    bool is_cut_short;        /* a store that memory decides went to no array */
    struct rows_list of_cta;  /* for record_end_cta() */
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
/* What a run of CTAs writes, behind all others; as cta_runs_add(). */
bool record_add_run(struct record_array *a, struct cta_run run, const struct rows *rows,
                    uint64_t from);
/* What CTA `cta` has stored becomes ranges; false as above. */
bool record_end_cta(struct record *r, uint32_t cta);
void record_clear_array(struct record_array *a);
/* Says that there are too many. */
enum proact_status record_too_many(const struct record *r, struct proact_error *err);

/* Of some CTAs, numbered from 0, of what `of` is of. */
void record_part_open(struct record *part, const struct record *of);
/* What the part has recorded comes behind all else, from CTA `from` on. */
enum proact_status record_part_take(struct record *into, const struct record *part,
                                    uint32_t from, struct proact_error *err);
void record_part_close(struct record *part);
