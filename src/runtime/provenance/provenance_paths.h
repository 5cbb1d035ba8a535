/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Paths to an access: the selections that a kernel makes on the way, and all their
   combinations. */

#include "access/access.h"

enum { PROVENANCE_CHOICES_MAX = 8, PROVENANCE_PATHS_MAX = 16 };

struct provenance_paths {
    const struct access_analysis *analysis;
    uint32_t symbol[PROVENANCE_CHOICES_MAX], count;
    uint32_t ways; /* number of combinations */
};

void provenance_paths_init(struct provenance_paths *c, const struct access_analysis *a);

/* Return false if there are too many, or if the value depends on the trip count of a
   finished loop, which a single thread does not define. */
bool provenance_paths_add(struct provenance_paths *c, const struct access_form *f);
bool provenance_paths_add_condition(struct provenance_paths *c,
                                    const struct access_condition *of);

/* Adds the repeat condition of the loop. Also returns false, without a change, if it
   depends on a selection inside the loop. */
bool provenance_paths_add_loop(struct provenance_paths *c, uint32_t loop);

/* Sets `chosen`, by selection, to combination `way`. Returns false if the thread cannot
   take that path. */
bool provenance_path_select(const struct provenance_paths *c, uint32_t way,
                            const struct access_point *at, uint32_t *chosen);
