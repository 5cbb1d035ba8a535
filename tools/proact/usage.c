/* SPDX-License-Identifier: Apache-2.0 */
/* Error messages on stderr and their exit status. */
#include <stdarg.h>
#include <stdio.h>

#include "command.h"

int failure_exit(const struct proact_error *err)
{
    fprintf(stderr, "proact: %s\n", err->text);
    return EXIT_FAILED;
}

int usage_error(const char *name, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "proact: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (proact %s%s--help)\n", name, *name ? " " : "");
    return EXIT_USAGE;
}
