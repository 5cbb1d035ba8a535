/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

enum proact_status fail(struct proact_error *err, enum proact_status status,
                        const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}
