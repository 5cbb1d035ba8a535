/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What threads say of an access by an address inside an array: where it goes outside. */

#include "access/access.h"
#include "runtime/launch/launching.h"

enum { PROVENANCE_RANGES_MAX = 8 }; /* by one address */

/* What it touches outside of the array: from an address of the first device to another,
   where the array begins there. */
struct provenance_range {
    uint64_t first, end, array;
    uint32_t offset, line;
    bool is_certain; /* some thread goes there; else it cannot be told that none does */
};

struct provenance_result {
    struct provenance_range *outside;
    uint32_t count;
    size_t capacity;
    bool is_mixed; /* one is by several addresses: of arrays as they lie now */
};

/* One more, unless what was found holds it. */
void provenance_result_add(struct provenance_result *f, const struct provenance_range *b);
void provenance_result_clear(struct provenance_result *f);

struct provenance_query {
    const struct access_analysis *analysis;
    const struct access_record *record;
    const struct proact_relocation *relocation; /* of the address */
    const struct access_launch *at;             /* all CTAs */
    const int64_t *trips;
    bool in_full; /* else of what a kernel chooses it is said where it may lead */
    uint32_t *
        fruitless; /* boxes looked at since one was smaller and did help, of all accesses */
    uint64_t *work; /* grows by 1 for each thread that is asked, and more for a box */
};

/* Whether part of what lies in the spans lies outside of the array. */
bool provenance_leaves_array(const struct proact_relocation *p,
                             const struct access_span *spans, uint32_t count);

/* Asks threads at the corners and in the middle of the grid, and then those of ever smaller
   boxes of CTAs of which bounds do not say that they stay inside, down to all threads and
   iterations of a CTA. Of few such boxes and threads nothing is left out; where smaller
   ones have never helped the accesses before, none are looked at. Where some are left out,
   and first where the kernel chooses, it says where numbers that the launch is given lead
   by themselves: if that is into no array, nobody needs to be asked. */
void provenance_query_threads(const struct provenance_query *q,
                              struct provenance_result *found);
