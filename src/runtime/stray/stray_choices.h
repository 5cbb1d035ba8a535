/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel chooses on the way to an access, and all ways to choose. */

#include "access/access.h"

enum { STRAY_CHOICES_MAX = 8, STRAY_WAYS_MAX = 16 };

struct stray_choices {
    const struct access_analysis *analysis;
    uint32_t symbol[STRAY_CHOICES_MAX], count;
    uint32_t ways; /* all together */
};

void stray_choices_open(struct stray_choices *c, const struct access_analysis *a);

/* False: there are too many, or what is looked at hangs on how often a loop that has ended
   went round, which has no value at a thread alone. */
bool stray_choices_add(struct stray_choices *c, const struct access_form *f);
bool stray_choices_add_condition(struct stray_choices *c,
                                 const struct access_condition *of);

/* Of whether the loop goes on; false also where that hangs on what is chosen anew in each
   iteration. Then nothing was added. */
bool stray_choices_add_loop(struct stray_choices *c, uint32_t loop);

/* Into `chosen`, by choice, that way; false: the thread never chooses so. */
bool stray_choose(const struct stray_choices *c, uint32_t way,
                  const struct access_point *at, uint32_t *chosen);
