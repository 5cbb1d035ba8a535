/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A run on the devices of a session: its arrays, kernels and launches. */

#include "als/als_setup.h"

enum { ALS_PART_ENTRIES = 4096 }; /* of a hub in one part; rows with more are hubs */

struct als_part {
    uint32_t begin, end; /* training ratings of one row */
};

/* The hubs of one side, divided into parts. */
struct als_parts {
    uint32_t count;
    struct als_part *part;
    uint32_t *row;   /* of each part */
    uint32_t *first; /* first part of each row, and one more */
};

void als_parts_init(const struct rating_rows *rows, struct als_parts *out);
void als_parts_clear(struct als_parts *p);

/* Users or items on the devices. */
struct als_side {
    const struct rating_rows *rows;
    struct als_parts parts;
    const double *start; /* initial factors; borrowed */
    struct proact_array *first, *index, *value;
    struct proact_array *part, *part_row, *part_first, *part_sums; /* NULL without hubs */
    /* Gradient: sweep s reads [(s - 1) % 2] and writes the other. Else only [0]. */
    struct proact_array *factors[2];
    struct proact_array *penalty; /* sums by CTA */
};

/* A list of ratings whose squared errors are summed. */
struct als_list {
    size_t count;
    struct proact_array *rating, *value, *sums;
};

struct als_devices {
    struct proact *session;
    const struct rating_set *set;
    struct als_options options;
    struct als_side users, items;
    struct als_list training, validation;
    struct als_strata strata; /* in the order of the arrays below */
    struct proact_array *block_first, *block_rating, *block_value;
    struct proact_kernel *step, *part_step, *square_errors, *penalty;
    struct proact_kernel *stratum[ALS_BLOCKS_MAX]; /* one each, for its map */
};

/* Work of one CTA of the kernels for errors, which use at most 2048 CTAs. */
uint32_t als_each(size_t count, uint32_t least);
enum { ALS_ERRORS_EACH = 256, ALS_PENALTY_EACH = 64 };

/* Creates the arrays. The caller clears *d in any case. */
enum proact_status als_devices_init(struct als_devices *d, struct proact_error *err);
void als_devices_clear(struct als_devices *d);

/* Bytes of a factor. */
size_t als_element_bytes(const struct als_options *options);
/* Index of the factors that sweep + 1 reads. */
unsigned als_parity(const struct als_options *options, unsigned sweep);

/* Creates the kernels of the update and of the errors. */
enum proact_status als_kernels_load(struct als_devices *d, struct proact_error *err);
/* Whether the last launches of the update were split. */
bool als_kernels_are_split(const struct als_devices *d);
/* Queues a sweep, from 1. */
enum proact_status als_sweep_launch(struct als_devices *d, unsigned sweep,
                                    struct proact_error *err);
/* Queues the sums for the errors after a sweep. */
enum proact_status als_errors_launch(struct als_devices *d, unsigned sweep,
                                     struct proact_error *err);
