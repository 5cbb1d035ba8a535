/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Classification of one index: class, grid dimension and tile. */

#include "access/form/form.h"
#include "access/pattern/pattern.h"

/* Sets how, grid and tile from `index`, and removes the clamps of `index`. */
void pattern_classify(struct forms *s, struct access_axis *axis);

/* Grid dimensions on which an index depends, one bit each, through CTA indices or also
   thread indices. */
unsigned pattern_grid_dimensions(const struct forms *s, const struct access_form *f,
                                 bool with_threads);
