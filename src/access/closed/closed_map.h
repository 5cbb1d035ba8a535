/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Map of a launch from the closed forms of a slice's stores. The time does not depend on
   the number of threads, and hardly on that of CTAs. The result equals that of an execution
   of the slice, or there is none. */

#include "access/access.h"

struct closed_map;
struct record;

/* Analyses the slice's module, which is borrowed until closed_map_destroy(). Never
   fails. */
struct closed_map *closed_map_create(const struct ptx_module *m,
                                     const struct ptx_function *f);
void closed_map_destroy(struct closed_map *c); /* NULL is allowed */

/* Adds the ranges of the launch's CTAs to the record, whose arrays have none yet. The CTAs
   are consecutive in the grid and numbered from 0. Returns NULL, or the reason why no
   result exists: a phrase about the store at `line` of the slice (0: all stores). The
   content of the record is undefined after a failure. */
const char *closed_map_run(const struct closed_map *c, const struct access_launch *l,
                           struct record *into, uint32_t *line);
