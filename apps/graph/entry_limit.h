/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Limit of vertices, edges, users, items and ratings. Kernels count them in 32 bits, in
   steps of at most ENTRY_STEP_MAX: an index beyond the last entry does not wrap around. */

enum { ENTRY_STEP_MAX = 65536 };
#define ENTRIES_MAX (4294967295u - ENTRY_STEP_MAX)
