/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the run and its reference begin with alike. */

#include "jacobi/jacobi.h"

/* The options with what was left to choose chosen, and the cells (free() them). */
enum proact_status jacobi_start(const struct jacobi_options *given,
                                struct jacobi_options *options, float **cells,
                                struct proact_error *err);
