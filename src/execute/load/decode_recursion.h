/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Direct and indirect recursion. Registers and parameters have fixed places, so a caller
   saves the values that it needs after the call on the thread's stack. Local variables,
   whose addresses may escape, are on the stack from the start. */

#include "execute/load/decoder.h"

/* Builds the call graph. Returns true if a function that the kernel reaches is
   recursive. */
bool calls_find(struct decoder *d, uint32_t kernel);
bool calls_itself(const struct decoder *d, uint32_t function);
/* True if `function` may call the function being decoded. */
bool calls_back(const struct decoder *d, uint32_t function);

/* Assigns the places of a recursive function, before any of them is decoded. */
bool recursion_prepare(struct decoder *d, uint32_t function);
/* Allocates a frame at the function's start, and releases it before the return. */
void recursion_enter(struct decoder *d);
void recursion_leave(struct decoder *d);

/* Around a call that may recurse: saves the values needed after the call and the called
   address (PLACE_NONE: none), then restores them. */
uint32_t recursion_save(struct decoder *d, const struct ptx_instruction *i,
                        op_place address);
void recursion_restore(struct decoder *d, uint32_t save);
/* Up to recursion_land(), lanes for which the guard or `yes` does not hold skip the
   code. */
size_t recursion_skip(struct decoder *d, op_place yes, bool is_not);
void recursion_land(struct decoder *d, size_t skip);

/* Emits the call. calls_finish() resolves functions that have no operations yet. */
void call_emit(struct decoder *d, uint32_t function);
void calls_finish(struct decoder *d);
