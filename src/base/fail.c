/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum proact_status fail_if_null(const char *call, const void *const *arguments,
                                struct proact_error *err)
{
    const int call_length = (int)strcspn(call, "(");
    const char *name = call + call_length + 1;

    for (;; name += strcspn(name, ",)") + 2) {
        const int length = (int)strcspn(name, ",)");

        if (!*arguments++)
            return fail(err, PROACT_EINVAL, "%.*s(): `%.*s` is NULL", call_length, call,
                        length, name);
        if (name[length] == ')')
            return PROACT_OK;
    }
}
