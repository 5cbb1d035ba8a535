/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parameter loads at a computed offset. */

#include "ptx/ptx.h"

/* Possible offsets of one load: `first` plus multiples of `step`. */
struct look_up {
    bool is_known;
    uint64_t first, step; /* step 0: only `first` */
};

/* Whether the load may read the byte. Words are aligned to their size. */
static inline bool look_up_reaches(const struct look_up *l, uint64_t byte)
{
    enum { WORD = 8 };
    const int64_t away = (int64_t)(byte - byte % WORD - l->first);

    if (!l->is_known)
        return true;
    return l->step ? away % (int64_t)l->step == 0 : !away;
}
