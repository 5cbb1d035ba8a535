/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Pages of unified memory that a launch accesses (unified.h), by the read and write sets
   that the analysis gives. A read that it does not know counts for the entire array. */

#include <proact/status.h>

struct launching;
struct proact_error;

/* Determines the time that each device waits for pages. Without unified memory this does
   nothing. PROACT_EREFUSED: several devices write the same bytes. */
enum proact_status launch_pages(struct launching *l, struct proact_error *err);
