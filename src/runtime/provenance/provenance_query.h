/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Out-of-object accesses by thread queries: evaluates an access for single threads to find
   ranges outside the array. */

#include "access/access.h"

enum { PROVENANCE_RANGES_MAX = 8 }; /* ranges per pointer */

/* Range outside the array, as device-0 addresses, with the start of the array there. */
struct provenance_range {
    uint64_t first, end, array;
    uint32_t offset, line;
    bool is_certain; /* a thread certainly accesses it; otherwise it cannot be excluded */
};

struct provenance_result {
    struct provenance_range *outside;
    uint32_t count;
    size_t capacity;
    bool is_mixed; /* a range combines several pointers, so it depends on the current array
                      addresses */
};

/* Adds a range unless an existing one contains it. */
void provenance_result_add(struct provenance_result *f, const struct provenance_range *b);
void provenance_result_clear(struct provenance_result *f);

struct provenance_query {
    const struct access_analysis *analysis;
    const struct access_record *record;
    const struct proact_relocation *relocation; /* of the pointer */
    const struct access_launch *at;             /* all CTAs */
    const int64_t *trips;
    bool in_full; /* otherwise selections are not evaluated per thread, only their possible
                     targets */
    uint32_t
        *fruitless; /* boxes examined since a smaller box last helped, over all accesses */
    uint64_t *work; /* incremented by 1 per queried thread, and by more per box */
};

/* Whether any part of the spans is outside the array. */
bool provenance_leaves_array(const struct proact_relocation *p,
                             const struct access_span *spans, uint32_t count);

/* Queries threads at the corners and in the middle of the grid. Then it queries
   successively smaller boxes of CTAs whose bounds are not inside, down to all threads and
   iterations of a CTA. Limits on boxes and threads apply; smaller boxes are skipped if they
   never helped before. If threads are skipped, or selections are not evaluated, launch
   values alone are checked: if none leads to another array, no query is needed. */
void provenance_query_threads(const struct provenance_query *q,
                              struct provenance_result *found);
