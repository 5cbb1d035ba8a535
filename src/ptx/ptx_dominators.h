/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ptx/ptx.h"

/* Fills the immediate dominators and post-dominators of blocks whose edges are known.
   `leaves` marks the blocks at which control may leave the function. */
void ptx_dominators_find(struct ptx_flow *flow, const bool *leaves);
