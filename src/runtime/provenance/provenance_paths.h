/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel chooses on the way to an access, and all ways to choose. */

#include "access/access.h"

enum { PROVENANCE_CHOICES_MAX = 8, PROVENANCE_PATHS_MAX = 16 };

struct provenance_paths {
    const struct access_analysis *analysis;
    uint32_t symbol[PROVENANCE_CHOICES_MAX], count;
    uint32_t ways; /* all together */
};

void provenance_paths_init(struct provenance_paths *c, const struct access_analysis *a);

/* False: there are too many, or what is looked at hangs on how often a loop that has ended
   went round, which has no value at a thread alone. */
bool provenance_paths_add(struct provenance_paths *c, const struct access_form *f);
bool provenance_paths_add_condition(struct provenance_paths *c,
                                    const struct access_condition *of);

/* Of whether the loop goes on; false also where that hangs on what is chosen anew in each
   iteration. Then nothing was added. */
bool provenance_paths_add_loop(struct provenance_paths *c, uint32_t loop);

/* Into `chosen`, by choice, that way; false: the thread never chooses so. */
bool provenance_path_select(const struct provenance_paths *c, uint32_t way,
                            const struct access_point *at, uint32_t *chosen);
