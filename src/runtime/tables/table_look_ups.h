/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the loads of a kernel with tables as parameters may read of these, from what is
   known of the loads of memory that they were. */

#include "runtime/address/look_up.h"
#include "runtime/tables/address_tables.h"

/* By instruction of the variant, which is the kernel with these tables; NULL: not known.
   free() it. */
struct look_up *table_look_ups(const struct proact_kernel *k,
                               const struct address_tables *t,
                               const struct proact_kernel *variant);
