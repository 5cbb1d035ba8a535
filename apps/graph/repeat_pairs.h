/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The pairs of sums of the iteration loop, in one or two levels. */

#include "graph/repeat.h"

struct repeat_pairs {
    /* Iteration i adds sums[i % REPEAT_BATCH]. In two levels these are the sums of groups,
       and iteration i writes ctas[i % 2]. */
    struct proact_array *sums[REPEAT_BATCH], *ctas[2];
    uint32_t count;                 /* pairs in `sums` */
    uint32_t cta_count, group_ctas; /* CTAs of a group; 0: one level */
    struct proact_kernel *group;
};

/* With `zeros` the pairs are written, so that pairs that nobody sends are comparable. On
   failure repeat_pairs_clear() frees what exists. */
enum proact_status repeat_pairs_init(struct repeat_pairs *pairs, struct proact *p,
                                     uint32_t cta_count, bool zeros,
                                     const struct proact_image *image,
                                     struct proact_error *err);
void repeat_pairs_clear(struct repeat_pairs *pairs);

/* What iteration `number` of a part reads and writes. */
struct repeat_step repeat_pairs_step(const struct repeat_pairs *pairs, unsigned number);

/* Adds the pairs of each group after iteration `number`; nothing in one level. */
enum proact_status repeat_pairs_group(const struct repeat_pairs *pairs, unsigned number,
                                      struct proact_error *err);
