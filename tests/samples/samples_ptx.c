/* SPDX-License-Identifier: Apache-2.0 */
#include "samples/samples_ptx.h"

#include <stdio.h>

#include "base/text.h"

const char *const samples_compilers[] = {"sm_75", "sm_90", "sm_100", "clang", NULL};

char *samples_ptx(const struct sample *s, const char *compiler, enum samples_form form,
                  size_t *bytes)
{
    const char *folder = form == SAMPLES_ANNOTATED ? PROACT_BINARY "/tests/samples"
                                                   : PROACT_SOURCE "/tests/ptx/corpus";
    char path[1024], *text = NULL;

    if (form == SAMPLES_ANNOTATED && s->is_plain_only)
        return NULL;
    snprintf(path, sizeof path, "%s/%s.%s.ptx", folder, s->file, compiler);
    return file_read(path, &text, bytes, NULL) ? NULL : text;
}
