/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Location of the samples' PTX: the plain form in tests/ptx/corpus, the annotated form in
   the build folder of tests/samples/tests.cmake. */

#include <stdbool.h>
#include <stddef.h>

#include "samples/samples.h"

/* "sm_75" (nvcc), ..., "clang"; NULL-terminated. A machine may lack some of them. */
extern const char *const samples_compilers[];

enum samples_form { SAMPLES_PLAIN, SAMPLES_ANNOTATED };

/* The text, which the caller frees; NULL if the compiler is missing or there is no such
   form. */
char *samples_ptx(const struct sample *s, const char *compiler, enum samples_form form,
                  size_t *bytes);
