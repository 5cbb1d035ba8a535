/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ptx/ptx.h"

/* Fills in the immediate dominators and post-dominators of blocks with known edges.
   `leaves` says by block whether control may leave the function there. */
void ptx_dominators_find(struct ptx_flow *flow, const bool *leaves);
