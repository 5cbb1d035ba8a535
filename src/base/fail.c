/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/short_name.h"

enum proact_status fail(struct proact_error *err, enum proact_status status,
                        const char *format, ...)
{
    va_list args;

    if (!err)
        return status;
    va_start(args, format);
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (length < (int)sizeof err->text)
        return status;
    /* A long message has long names: shortening keeps the text after them. */
    char *whole = must_calloc((size_t)length + 1, 1);

    va_start(args, format);
    vsnprintf(whole, (size_t)length + 1, format, args);
    va_end(args);
    sentence_shorten(whole, err->text, sizeof err->text);
    free(whole);
    return status;
}
