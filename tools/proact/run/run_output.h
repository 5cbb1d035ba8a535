/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The arrays of an answer as files. */

#include "run/run_application.h"

/* A path that ends in ".npy" gets one array in NumPy's format; a folder gets NAME.npy for
   each array; any other path gets text with one line for each row: several arrays are
   columns. PROACT_EINVAL: the arrays do not fit the kind of file. */
enum proact_status run_output_write(const struct run_array *arrays, unsigned count,
                                    const char *path, struct proact_error *err);
