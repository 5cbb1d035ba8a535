/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a kernel looks up words in its parameters, by a place that is computed. */

#include "ptx/ptx.h"

/* Of one instruction, if it is known: at that byte of the block, or any number of steps
   from there. */
struct look_up {
    bool is_known;
    uint64_t first, step; /* step 0: there alone */
};

/* Whether it may read the byte, of a word that lies at a multiple of its size. */
static inline bool look_up_reaches(const struct look_up *l, uint64_t byte)
{
    enum { WORD = 8 };
    const int64_t away = (int64_t)(byte - byte % WORD - l->first);

    if (!l->is_known)
        return true;
    return l->step ? away % (int64_t)l->step == 0 : !away;
}
