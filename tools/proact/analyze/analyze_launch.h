/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The bytes that each CTA of a launch writes, and the number of devices over which the
   launch can be split. */

#include "access/shared_writes/flag_bytes.h"
#include "analyze/analyze_constants.h"
#include "analyze/analyze_kernel.h"
#include "analyze/analyze_options.h"

enum { ANALYZE_ARRAYS_MAX = ANALYZE_FIELDS_MAX };

/* The parameter buffer of a launch, from the command line. */
struct analyze_block {
    unsigned char *bytes;
    bool *given; /* by byte */
    size_t size;
    struct write_set_array arrays[ANALYZE_ARRAYS_MAX];
    struct write_set_pointer pointers[ANALYZE_ARRAYS_MAX];
    bool sized[ANALYZE_ARRAYS_MAX]; /* --array gives its size */
    char names[ANALYZE_ARRAYS_MAX][32];
    uint32_t array_count;
};

/* Returns an exit status. A message reports values that do not fit or are missing. */
int analyze_block_fill(struct analyze_block *b, const struct analyze_kernel *k,
                       const struct analyze_request *q);
void analyze_block_clear(struct analyze_block *b);

/* The writes of one array. */
struct analyze_written {
    uint64_t bytes, least, most; /* in total, and per CTA */
    uint64_t end;                /* after the last written byte, or the array's size */
    uint32_t ctas;               /* number of CTAs that write */
};

struct analyze_launch {
    struct analyze_block block;
    struct analyze_constants constants;
    struct write_set *set; /* NULL: no slice, or `left_out` has the reason */
    char left_out[512];    /* empty: nothing is left out */
    uint32_t grid[3];
    unsigned devices, over;
    struct proact_error why; /* reason if `over` is less than `devices` */
    struct flag_bytes flags; /* the set excludes them */
};

/* The constants in the form that access_launch takes. */
static inline const unsigned char *const *analyze_constants(const struct analyze_launch *l)
{
    return (const unsigned char *const *)l->constants.content;
}

/* A parameter or constant of the kernel without a value, and the option that gives it. */
bool analyze_is_missing(const struct analyze_launch *l, const struct access_symbol *y);
void analyze_missing_text(const struct analyze_kernel *k, const struct access_symbol *y,
                          char *into, size_t size);

/* Repeats the pattern analysis of the kernel for a launch with declared shapes, if there
   are any. Returns an exit status. */
int analyze_shapes_declare(struct analyze_kernel *k, const struct analyze_launch *l,
                           const struct analyze_request *q);

void analyze_launch_clear(struct analyze_launch *l);

/* The first array that atomics write, or NULL. */
const struct write_set_ranges *analyze_atomic(const struct write_set *w);
struct analyze_written analyze_written(const struct analyze_launch *l, uint32_t array);
/* Device d has the CTAs first[d] to first[d + 1] - 1. */
void analyze_split(const struct analyze_launch *l, unsigned over, uint32_t *first);
unsigned analyze_device(const struct analyze_launch *l, uint32_t cta);

void analyze_print_launch(const struct analyze_launch *l, const struct analyze_kernel *k,
                          const struct analyze_request *q);
