/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What each CTA of a launch writes, from the forms of a slice's stores: in a time that does
   not grow with its threads, and hardly with its CTAs. It says just what running the slice
   would, or that it does not know. */

#include "access/access.h"

struct closed_map;
struct record;

/* Of a slice's module, borrowed until closed_map_destroy(). Never fails. */
struct closed_map *closed_map_create(const struct ptx_module *m,
                                     const struct ptx_function *f);
void closed_map_destroy(struct closed_map *c); /* NULL is fine */

/* Adds the ranges of the CTAs that the launch looks at to the record's arrays, which have
   none yet: numbered from 0, they have to come one after the other in the grid. NULL, or
   why it does not know: a phrase about the store at `line` of the slice (0: all of them);
   what the record holds then is nothing of worth. */
const char *closed_map_run(const struct closed_map *c, const struct access_launch *l,
                           struct record *into, uint32_t *line);
