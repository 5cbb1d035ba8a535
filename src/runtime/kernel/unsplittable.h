/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What no launch of a kernel can be split for, whatever its parameters: PROACT_EREFUSED and
   a sentence with the line. */

#include "runtime/session/session.h"

enum proact_status unsplittable(const struct proact_kernel *k, struct proact_error *err);
/* And what can only not be split in a program for one GPU: addresses that it finds in
   memory are those of the first device, and what it prints comes in its order. */
enum proact_status unsplittable_in_program(const struct proact_kernel *k,
                                           struct proact_error *err);
