/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "doctor/doctor.h"

void doctor_report(struct doctor *d, enum doctor_level level, const char *subject,
                   const char *advice, const char *format, ...)
{
    static const char *const words[DOCTOR_LEVELS] = {"ok", "note", "problem"};
    va_list args;

    d->reported[level]++;
    printf("%-8s %-10s ", words[level], subject);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    if (advice)
        printf("%20s> %s\n", "", advice);
    fflush(stdout); /* shows the last check if the next one hangs */
}
