/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Functions that call themselves, if by way of others. Registers and parameters have fixed
   places, so what a caller needs later goes to the thread's stack while it waits; local
   variables, whose addresses others may have, lie on the stack from the start. */

#include "execute/load/decoder.h"

/* Finds out who calls whom; whether any function that the kernel reaches calls itself. */
bool calls_find(struct decoder *d, uint32_t kernel);
bool calls_itself(const struct decoder *d, uint32_t function);
/* Whether `function` may call the one being decoded. */
bool calls_back(const struct decoder *d, uint32_t function);

/* The places of a function that calls itself, before any of them is decoded. */
bool recursion_prepare(struct decoder *d, uint32_t function);
/* A frame for it, at its start; and the frame is given back, before it returns. */
void recursion_enter(struct decoder *d);
void recursion_leave(struct decoder *d);

/* Around a call of what may call back: what is needed behind the call is put away, and the
   address that is called (PLACE_NONE for none); then they come back. */
uint32_t recursion_save(struct decoder *d, const struct ptx_instruction *i,
                        op_place address);
void recursion_restore(struct decoder *d, uint32_t save);
/* From here to recursion_land(), lanes skip where the guard or `yes` does not hold. */
size_t recursion_skip(struct decoder *d, op_place yes, bool is_not);
void recursion_land(struct decoder *d, size_t skip);

/* The call itself; a function that has no operations yet is found at the end. */
void call_emit(struct decoder *d, uint32_t function);
void calls_finish(struct decoder *d);
