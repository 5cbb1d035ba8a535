/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Indirect stores: plain stores whose location memory decides (`out[rank[i]] = x`), or
   stores of several CTAs to one location (`if (...) *found = i`).

   If the launch does not access an array otherwise, all its stores may go to one replica.
   Unordered stores of two CTAs to one byte leave either value on a single device too. Plain
   loads by the same pointer (`a[list[i]] *= 2`) may also go there, in a kernel without
   fences: no order defines what they observe of other CTAs. Atomics with unused results by
   that pointer go there as well. All these accesses are listed among the reductions, as a
   kind of their own. */

#include "access/access.h"
#include "access/shared_writes/reductions.h"

enum { ACCESS_SCATTERED = 1 }; /* not the kind of a reduction */

/* Adds all plain stores, and loads, by each pointer parameter with indirect stores. By
   parameter byte, `untold` (or NULL) declares further pointers to have indirect stores. */
void access_scatters_add(struct access_reductions *to, const struct ptx_module *m,
                         const struct ptx_function *f, const bool *unresolved);

/* Whether the instruction is a store or a load, possibly volatile, that a kernel version
   can redirect to another address. */
bool access_scatters_plain(const struct ptx_instruction *i);

/* Pointers whose stores no slice describes, although each CTA may have its own locations:
   memory decides their number (`for (; i < *n; i += all) out[i] = ...`). Returns a set by
   parameter byte, which the caller frees with free(). NULL if there is none, or if further
   stores outside `merged` have no slice either. */
bool *access_scatters_unresolved(const struct ptx_module *m, const struct ptx_function *f,
                                 const struct access_reductions *merged);
