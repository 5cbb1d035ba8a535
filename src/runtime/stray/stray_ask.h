/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What threads say of an access by an address inside an array: where it goes outside. */

#include "access/access.h"
#include "runtime/launch/launching.h"

enum { STRAY_BEYOND_MAX = 8 }; /* by one address */

/* What it touches outside of the array: from an address of the first device to another,
   where the array begins there. */
struct stray_beyond {
    uint64_t first, end, array;
    uint32_t offset, line;
    bool is_certain; /* some thread goes there; else it cannot be told that none does */
};

struct stray_found {
    struct stray_beyond *beyond;
    uint32_t count;
    size_t capacity;
    bool is_mixed; /* one is by several addresses: of arrays as they lie now */
};

/* One more, unless what was found holds it. */
void stray_add(struct stray_found *f, const struct stray_beyond *b);
void stray_found_clear(struct stray_found *f);

struct stray_question {
    const struct access_analysis *analysis;
    const struct access_record *record;
    const struct proact_relocation *place; /* of the address */
    const struct access_launch *at;        /* all CTAs */
    const int64_t *trips;
    bool in_full; /* else of what a kernel chooses it is said where it may lead */
    uint32_t
        *in_vain; /* boxes looked at since one was smaller and did help, of all accesses */
    uint64_t *work; /* grows by 1 for each thread that is asked, and more for a box */
};

/* Whether part of what lies in the spans lies outside of the array. */
bool stray_goes_beyond(const struct proact_relocation *p, const struct access_span *spans,
                       uint32_t count);

/* Asks threads at the corners and in the middle of the grid, and then those of ever smaller
   boxes of CTAs of which bounds do not say that they stay inside, down to all threads and
   iterations of a CTA. Of few such boxes and threads nothing is left out; where smaller
   ones have never helped the accesses before, none are looked at. Where some are left out,
   and first where the kernel chooses, it says where numbers that the launch is given lead
   by themselves: if that is into no array, nobody needs to be asked. */
void stray_ask(const struct stray_question *q, struct stray_found *found);
