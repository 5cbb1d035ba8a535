/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Accesses through one of several pointers: `i ? a : b`. */

#include "access/address/bases.h"

/* Fills in a record's `either`, where each way to its address starts from a pointer among
   the parameters and has a form. The record has its guards; `ranges` are what its address
   assumes. */
void either_find(const struct bases *b, struct access_record *r,
                 const struct access_form *address, struct access_range *ranges,
                 uint32_t range_count);
