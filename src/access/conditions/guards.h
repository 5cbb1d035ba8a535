/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Guards: branches that control passes on every path to a location. */

#include "access/values/study.h"

/* Guards of `block`, outermost first, resolved as seen from the block. The array is in the
   arena and has room for GUARDS_OWN more. */
enum { GUARDS_OWN = 2 };
struct access_guard *guards_above(struct study *s, uint32_t block, uint32_t *count);

/* The same guards, with conjunctions that contain a disjunction split into their parts.
   Each disjunction can then be examined alone. */
struct access_guard *guards_apart(struct study *s, struct access_guard *guards,
                                  uint32_t *count);

/* Whether control reaches `block` once in each iteration of its loops exactly if all guards
   above it hold. */
bool guards_decide(struct study *s, uint32_t block);

/* Guard "`reg` is true (negated: false)" as the instruction reads it, seen from `block`. */
void guards_of(struct study *s, uint32_t instruction, int32_t reg, bool negated,
               uint32_t block, struct access_guard *out);

/* Guard of the edge from `from` to `to`; false if the branch has no condition. */
bool guards_edge(struct study *s, uint32_t from, uint32_t to, struct access_guard *out);

/* Fills in the loops of the analysis. */
void guards_make_loops(struct study *s);

/* Guard of a predicated instruction; false if it has none. */
bool guards_own(struct study *s, uint32_t instruction, struct access_guard *out);

/* Condition under which an asynchronous copy reads at all; false if it has none. */
bool guards_copy(struct study *s, uint32_t instruction, struct access_guard *out);
