/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Value-returning atomics (`list[atomicAdd(&count, 1)] = x`; `if (atomicInc(&done, last) ==
   last)` for the CTA that finishes last), and atomics on arrays that the kernel also reads
   (`if (d < least[k]) atomicMin(&least[k], d)`).

   Through them, and through fences, CTAs observe each other within a launch. A launch with
   them can be split if every access of that communication uses one device's memory, in one
   order for all devices: these atomics, indirect stores, and all locations both stored and
   loaded. Whether a loop waits for a returned value is checked when the kernel version is
   created (instrument). All these accesses are listed among the reductions, like indirect
   stores. */

#include "access/shared_writes/scatters.h"

/* Adds them to `to`. False if the kernel has none, or if its CTAs may communicate in
   another way; the additions must then be discarded. `floats` includes floating-point
   atomics; for `unresolved` see access_scatters_add(). */
bool access_fetch_atomics_add(struct access_reductions *to, const struct ptx_module *m,
                              const struct ptx_function *f, bool floats,
                              const bool *unresolved);
