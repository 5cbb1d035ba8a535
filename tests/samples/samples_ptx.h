/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where the PTX of the samples is: the plain form in tests/ptx/corpus, the marked one where
   tests/samples/tests.cmake has it compiled. */

#include <stdbool.h>
#include <stddef.h>

#include "samples/samples.h"

/* "sm_75" (nvcc), ..., "clang"; NULL-terminated. Not every machine has them all. */
extern const char *const samples_compilers[];

enum samples_form { SAMPLES_PLAIN, SAMPLES_ANNOTATED };

/* The text, to be freed; NULL if that compiler is not here, or there is no such form. */
char *samples_ptx(const struct sample *s, const char *compiler, enum samples_form form,
                  size_t *bytes);
