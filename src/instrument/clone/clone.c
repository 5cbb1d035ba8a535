/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/clone/clone.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/fail.h"

static const char *const suffixes[] = {"__proact_grid", "__proact_inline", "__proact_count",
                                       "__proact_send", "__proact_stage"};

const char *instrument_suffix(enum instrument_clone clone)
{
    return suffixes[clone];
}

enum proact_status clone_refuse(const struct clone *c, const struct ptx_instruction *i,
                                const char *format, ...)
{
    char why[400];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    if (!i)
        return fail(c->err, PROACT_EREFUSED, "kernel '%s', %s: %s", c->function->name,
                    c->module->name, why);
    return fail(c->err, PROACT_EREFUSED, "kernel '%s', %s:%u: %s", c->function->name,
                c->module->name, i->line, why);
}
