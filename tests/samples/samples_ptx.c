/* SPDX-License-Identifier: Apache-2.0 */
#include "samples/samples_ptx.h"

#include <stdio.h>

#include "base/text.h"

const char *const samples_compilers[] = {"nvcc75", "nvcc90", "nvcc100", "clang75", NULL};

char *samples_ptx(const struct sample *s, const char *compiler, enum samples_form form,
                  size_t *bytes)
{
    char path[1024], *text = NULL;

    if (form == SAMPLES_MARKED && s->is_plain_only)
        return NULL;
    snprintf(path, sizeof path, "%s/tests/samples/%s/%s/%s.ptx", PROACT_BINARY, compiler,
             form == SAMPLES_MARKED ? "marked" : "plain", s->file);
    return file_read(path, &text, bytes, NULL) ? NULL : text;
}
