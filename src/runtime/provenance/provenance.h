/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Addresses among a program's parameters that lead to no array that the launch is given:
   from beside an array, as of a window whose first index is not 0, they may lead into any.
   Which one is not known, nor where its replica lies on another device. */

#include "runtime/launch/launching.h"

struct provenance; /* of one kernel; NULL before its first launch */

/* PROACT_EREFUSED, with the parameter, where some access of the launch goes by such an
   address, or from one that lies in an array into another array. Of the latter it is known
   only where the access has a form that says so of all that it touches, or of what one of
   the threads does that are asked (provenance_query.h): else it is taken to stay there.
   PROACT_EREFUSED, too, where what was found for other launches of the kernel took the host
   too long, and never came again. loads_alone: it is known that stores stay.
 */
enum proact_status provenance_check(const struct launching *l, struct provenance **kept,
                                    bool loads_alone, struct proact_error *err);
void provenance_destroy(struct provenance *s); /* NULL is fine */
