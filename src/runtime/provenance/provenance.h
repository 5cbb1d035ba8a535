/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Out-of-object accesses. A pointer parameter may point outside the array it was derived
   from, such as a window whose first index is not 0. An access through it may reach another
   array, whose replica on another device has an unrelated address. */

#include <proact/status.h>
#include <stdbool.h>

struct launching;

struct provenance; /* results of one kernel; NULL before its first launch */

/* Fails with PROACT_EREFUSED, and names the parameter, if an access uses an address outside
   all arrays or leaves its array for another one. The latter is decided by the bounds of
   the access, or by queries of single threads (provenance_query.h). Without a symbolic
   expression the access counts as inside. Also fails if the analysis takes too long and its
   results never recur. `loads_alone`: stores are known to stay inside. */
enum proact_status provenance_check(const struct launching *l, struct provenance **kept,
                                    bool loads_alone, struct proact_error *err);
void provenance_destroy(struct provenance *s); /* NULL is allowed */
