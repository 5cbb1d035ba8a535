/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What one index says: its class, grid dimension and tile. */

#include "access/form/form.h"
#include "access/pattern/pattern.h"

/* Fills in how, grid and tile from `index`, which loses its clamps. */
void pattern_classify(struct forms *s, struct access_axis *axis);

/* Which grid dimensions an index hangs on, one bit each, by its CTAs or threads. */
unsigned pattern_grid_dimensions(const struct forms *s, const struct access_form *f,
                                 bool with_threads);
