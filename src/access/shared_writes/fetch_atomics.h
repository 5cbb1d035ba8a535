/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Tickets: atomics whose result is used (`list[atomicAdd(&count, 1)] = x`; `if
   (atomicInc(&done, last) == last)`, for the CTA that comes last to add up what all have
   left), or whose array is read besides (`if (d < least[k]) atomicMin(&least[k], d)`). By
   them, and the fences around, CTAs learn of each other in the launch. So they
   may on several devices, if all by which they do is made in one memory, in one order of
   all devices: the tickets, what goes where memory says, and all that is both stored and
   loaded. Whether a loop waits for what one gives back is asked where clones are made
   (instrument). All stand among the reductions, as what scatters does. */

#include "access/shared_writes/scatters.h"

/* Adds them. False if the kernel has none, or more that its CTAs may learn by; then what
   was added is of no use. floats: those of floating-point numbers, too. untold: as
   scatters take it. */
bool access_fetch_atomics_add(struct access_reductions *to, const struct ptx_module *m,
                              const struct ptx_function *f, bool floats,
                              const bool *unresolved);
