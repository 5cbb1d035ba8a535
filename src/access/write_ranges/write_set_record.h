/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Record of the stores of a slice: the array of each store, and the ranges of each CTA. */

#include "access/slice/write_set_slice.h"
#include "access/write_ranges/write_set_spans.h"

/* Memory that may be written, at its address in the slice. */
struct record_array {
    const char *name;
    uint64_t address, bytes;
    struct write_set_spans spans; /* of the executing CTA */
    struct cta_runs runs;
    uint64_t ranges, bytes_written;
    bool is_atomic, is_variable;
    uint32_t line; /* of the first atomic, else of the first store; 0: none */
};

struct record {
    const struct write_set_slice *slice;
    struct record_array *arrays;
    uint32_t array_count, last; /* last: array of the previous store */
    uint32_t cta_count;
    uint64_t spans;           /* number recorded, before merging */
    uint32_t places;          /* points at which closed forms were evaluated */
    bool is_cut_short;        /* a store that memory decides hit no array */
    struct rows_list of_cta;  /* buffer of record_end_cta() */
    struct execute_host host; /* intercepts and records every store */
};

/* Sets the line, and whether an atomic writes the array. */
static inline void record_note_line(struct record_array *a, uint32_t line, bool is_atomic)
{
    if (!a->line || is_atomic > a->is_atomic ||
        (is_atomic == a->is_atomic && line < a->line))
        a->line = line;
    a->is_atomic |= is_atomic;
}

void record_open(struct record *r);
/* Appends the ranges of a CTA run, as cta_runs_add() does; false if there are too many. */
bool record_add_run(struct record_array *a, struct cta_run run, const struct rows *rows,
                    uint64_t from);
/* Converts the stores of CTA `cta` to ranges; false if there are too many. */
bool record_end_cta(struct record *r, uint32_t cta);
void record_clear_array(struct record_array *a);
/* Error for too many ranges. */
enum proact_status record_too_many(const struct record *r, struct proact_error *err);

/* Opens a record of some CTAs, numbered from 0, with the arrays of `of`. */
void record_part_open(struct record *part, const struct record *of);
/* Appends the content of the part, from CTA `from` on. */
enum proact_status record_part_take(struct record *into, const struct record *part,
                                    uint32_t from, struct proact_error *err);
void record_part_close(struct record *part);
