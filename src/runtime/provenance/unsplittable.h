/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reasons that forbid a split of every launch of a kernel, for all parameters. Fails with
   PROACT_EREFUSED and a sentence with the line. */

#include <proact/status.h>

struct proact_kernel;

enum proact_status unsplittable(const struct proact_kernel *k, struct proact_error *err);
/* Further reasons in a CUDA program: loaded addresses refer to device 0, and printed lines
   have an order. */
enum proact_status unsplittable_in_program(const struct proact_kernel *k,
                                           struct proact_error *err);
