/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Accesses through one of several pointers: `i ? a : b`. */

#include "access/address/bases.h"

/* Sets `either` of a record if each choice of its address has a form and starts from a
   pointer parameter. The record has its guards; `ranges` are the assumptions of its
   address. */
void either_find(const struct bases *b, struct access_record *r,
                 const struct access_form *address, struct access_range *ranges,
                 uint32_t range_count);
