/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Scattered stores: plain ones of which memory says where they go (`out[rank[i]] = x`), or
   that go to one place (`if (...) *found = i`). In an array of which nothing else in the
   launch reads or writes anything they may all be made in one replica: what two CTAs store
   to the same bytes with no order between them is on one device, too, what either stored.
   So may plain loads by the same pointer (`a[list[i]] *= 2`), in a kernel without fences:
   what they get of another CTA's no order says. Atomics by that pointer that give nothing
   back go there with them. All stand among the reductions, as a kind of their own. */

#include "access/access.h"
#include "access/shared_writes/reductions.h"

enum { ACCESS_SCATTERED = 1 }; /* no reduction's kind */

/* Adds all plain stores, and loads, by each pointer among the parameters by which a store
   scatters. untold, if not NULL, by byte of the parameters: so they do by these pointers.
 */
void access_scatters_add(struct access_reductions *to, const struct ptx_module *m,
                         const struct ptx_function *f, const bool *unresolved);

/* A store or a load, volatile or not, of which another address is all that a clone changes.
 */
bool access_scatters_plain(const struct ptx_instruction *i);

/* The pointers of which no slice tells where their stores go, though each CTA may have
   places of its own: memory says how many (`for (; i < *n; i += all) out[i] = ...`). By
   byte of the parameters; free() it. NULL for none, or if what else it stores is not told
   either, but for what is merged. */
bool *access_scatters_unresolved(const struct ptx_module *m, const struct ptx_function *f,
                                 const struct access_reductions *merged);
