/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which CTA of one launch writes which bytes, and over how many devices it can be split. */

#include "access/merged/flag_bytes.h"
#include "analyze/analyze_constants.h"
#include "analyze/analyze_kernel.h"
#include "analyze/analyze_options.h"

enum { ANALYZE_ARRAYS_MAX = ANALYZE_FIELDS_MAX };

/* The parameter block of a launch, from what was typed. */
struct analyze_block {
    unsigned char *bytes;
    bool *given; /* by byte */
    size_t size;
    struct write_set_array arrays[ANALYZE_ARRAYS_MAX];
    struct write_set_pointer pointers[ANALYZE_ARRAYS_MAX];
    bool sized[ANALYZE_ARRAYS_MAX]; /* its bytes were given */
    char names[ANALYZE_ARRAYS_MAX][32];
    uint32_t array_count;
};

/* Returns an exit status: values that do not fit, or that are missing, are said. */
int analyze_block_fill(struct analyze_block *b, const struct analyze_kernel *k,
                       const struct analyze_request *q);
void analyze_block_clear(struct analyze_block *b);

/* What the CTAs write of one array. */
struct analyze_written {
    uint64_t bytes, least, most; /* of all, and of a CTA */
    uint64_t end;                /* behind the last byte that is written, or of the array */
    uint32_t ctas;               /* that write */
};

struct analyze_launch {
    struct analyze_block block;
    struct analyze_constants constants;
    struct write_set *set; /* NULL: the kernel has no slice, or `left_out` says why */
    char left_out[512];    /* empty: nothing */
    uint32_t grid[3];
    unsigned devices, over;
    struct proact_error why; /* not over all of them */
    struct flag_bytes flags; /* that it is split by: the set is without them */
};

/* As forms ask for them. */
static inline const unsigned char *const *analyze_constants(const struct analyze_launch *l)
{
    return (const unsigned char *const *)l->constants.content;
}

/* A parameter or constant of the kernel's that nobody gave; as what to type for it. */
bool analyze_is_missing(const struct analyze_launch *l, const struct access_symbol *y);
void analyze_missing_text(const struct analyze_kernel *k, const struct access_symbol *y,
                          char *into, size_t size);

/* Looks at the kernel's patterns once more, for the launch, by the shapes that were
   declared, if any were. Returns an exit status. */
int analyze_shapes_declare(struct analyze_kernel *k, const struct analyze_launch *l,
                           const struct analyze_request *q);

void analyze_launch_clear(struct analyze_launch *l);

/* The first array that is written by atomics; NULL for none. */
const struct write_set_ranges *analyze_atomic(const struct write_set *w);
struct analyze_written analyze_written(const struct analyze_launch *l, uint32_t array);
/* Device d has the CTAs first[d] to first[d + 1] - 1. */
void analyze_split(const struct analyze_launch *l, unsigned over, uint32_t *first);
unsigned analyze_device(const struct analyze_launch *l, uint32_t cta);

void analyze_print_launch(const struct analyze_launch *l, const struct analyze_kernel *k,
                          const struct analyze_request *q);
