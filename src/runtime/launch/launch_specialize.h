/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A kernel that does one of several things as numbers among its parameters say may be split
   by what it does in this launch, where all of it cannot be. */

#include "runtime/launch/launching.h"

/* Puts the kernel without what this launch never comes to in its place. False where that
   is all of it, and where it is not known. `first`: a launch that could not be split;
   else only where one such was made before. */
bool launch_specialize(struct launching *l, bool first);
