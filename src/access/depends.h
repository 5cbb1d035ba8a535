/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Dependences of access_extent() for a set of records. Launches that agree in all
   dependences have equal extents, whatever their other parameters are. */

#include "access/access.h"

struct access_depends {
    const struct access_analysis *analysis;
    bool *symbol, *loop; /* by symbol and loop of the analysis: a dependence */
    bool is_behind;      /* comparisons of pointers with null do not count */
};

struct access_depends access_depends_on_nothing(const struct access_analysis *a);
void access_depends_add(struct access_depends *d, const struct access_record *r);
/* Like access_depends_add(), without the record's own pointer, because extents count from
   it, and without comparisons with null. A set uses only one of the two functions. */
void access_depends_add_behind(struct access_depends *d, const struct access_record *r);
void access_depends_clear(struct access_depends *d);
