/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum proact_status complain(struct proact_error *err, enum proact_status status,
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

void *app_calloc(unsigned long count, unsigned long size)
{
    void *p = calloc(count ? count : 1, size);

    if (!p)
        abort();
    return p;
}
