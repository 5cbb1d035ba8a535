/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What access_extent() of some records looks at: a launch in which that is the same has the
   same extents, whatever else its parameters say. */

#include "access/access.h"

struct access_depends {
    const struct access_analysis *analysis;
    bool *symbol, *loop; /* by symbol and loop of the analysis: it is looked at */
    bool is_behind;      /* that a pointer is asked whether it is null does not count */
};

struct access_depends access_depends_on_nothing(const struct access_analysis *a);
void access_depends_add(struct access_depends *d, const struct access_record *r);
/* The same without the pointer that the record goes through, where that is one: extents are
   counted from there; and without what is only asked whether it is null. Of one or the
   other all that is added. */
void access_depends_add_behind(struct access_depends *d, const struct access_record *r);
void access_depends_clear(struct access_depends *d);
