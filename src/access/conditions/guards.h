/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Branches that control has passed whenever it reaches a place. */

#include "access/values/study.h"

/* The branches above `block`, outermost first, resolved as seen from it; into the arena,
   with room for as many of an instruction's own. */
enum { GUARDS_OWN = 2 };
struct access_guard *guards_above(struct study *s, uint32_t block, uint32_t *count);

/* The same guards, those of several parts of which some say `or` taken apart: each way of
   such a part may then be looked at by itself. */
struct access_guard *guards_apart(struct study *s, struct access_guard *guards,
                                  uint32_t *count);

/* Whether control reaches `block`, once in each iteration of the loops around it, just
   where all guards above it hold. */
bool guards_decide(struct study *s, uint32_t block);

/* What it says that `reg`, as the instruction reads it, held, or (negated) did not. */
void guards_of(struct study *s, uint32_t instruction, int32_t reg, bool negated,
               uint32_t block, struct access_guard *out);

/* What the last branch of `from` says where `to` comes next; false if it says nothing. */
bool guards_edge(struct study *s, uint32_t from, uint32_t to, struct access_guard *out);

/* Fills in the analysis's loops. */
void guards_make_loops(struct study *s);

/* The guard of the instruction itself; false if it has none. */
bool guards_own(struct study *s, uint32_t instruction, struct access_guard *out);

/* What a copy past the thread says of itself: that it reads at all; false if nothing. */
bool guards_copy(struct study *s, uint32_t instruction, struct access_guard *out);
