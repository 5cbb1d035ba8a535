/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A launch on the first device that touches a part of its arrays, as one that adds a source
   to a field or reads a probe: only what it reads, or may write, is brought there, and all
   else of these arrays stays where it is. */

#include "runtime/launch/launching.h"

/* Of more of them in an array, what lies between them is taken for touched, too. */
enum { PARTIAL_RANGES_MAX = 256 };

/* Brings what it needs, and says what it may write; NULL, with nothing brought, where that
   is not known, takes the host too long to find, or is of no use, for the first device
   alone has it all. */
enum proact_status partial_fetch(struct launching *l, const struct write_set **out,
                                 struct proact_error *err);
void partial_written(const struct launching *l, const struct write_set *w);
