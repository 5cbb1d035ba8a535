/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Loops of compare-and-swap (CAS) that compare with what the last swap returned and repeat
   only if it failed:

   do { if (old >= x) break; was = old; old = atomicCAS(p, was, f(was)); } while (old !=
   was);

   A swap fails only if another thread has changed the location meanwhile, so such a loop
   waits for no one. An outer loop may wait for the returned value; a swap in an outer loop
   therefore counts only if its result has no effect behind its own loop. */

#include "access/shared_writes/reductions.h"

/* The swaps of such loops, and those among the reductions, by instruction. The caller frees
   it with free(). */
bool *access_retries_find(const struct ptx_function *f, const struct access_reductions *r);
