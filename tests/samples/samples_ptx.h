/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where the compilers put the PTX of the samples: tests/samples/tests.cmake. */

#include <stdbool.h>
#include <stddef.h>

#include "samples/samples.h"

/* "nvcc75", "clang75", ...; NULL-terminated. Not every machine has them all. */
extern const char *const samples_compilers[];

enum samples_form { SAMPLES_PLAIN, SAMPLES_MARKED };

/* The text, to be freed; NULL if that compiler was not there, or there is no such form. */
char *samples_ptx(const struct sample *s, const char *compiler, enum samples_form form,
                  size_t *bytes);
