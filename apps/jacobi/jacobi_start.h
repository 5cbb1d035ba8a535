/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Initial state of the run and its reference. */

#include "jacobi/jacobi.h"

/* The options with defaults, and the cells, which the caller frees. */
enum proact_status jacobi_start(const struct jacobi_options *given,
                                struct jacobi_options *options, float **cells,
                                struct proact_error *err);
