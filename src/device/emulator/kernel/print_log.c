/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/kernel/print_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct print_log {
    char *text;
    size_t length, capacity;
};

void print_add(struct emulated *d, const char *text, size_t length)
{
    if (!d->set->options.print || !length)
        return;
    if (!d->prints)
        d->prints = must_calloc(1, sizeof *d->prints);
    struct print_log *log = d->prints;

    log->text = must_grow(log->text, log->length + length, &log->capacity, 1);
    memcpy(log->text + log->length, text, length);
    log->length += length;
}

void print_log_report(struct device_set *set)
{
    const struct device_options *o = &set->options;

    for (unsigned i = 0; i < set->count; i++) {
        struct print_log *log = set->devices[i].prints;

        if (log && log->length)
            o->print(o->print_context, log->text, log->length);
        if (log)
            log->length = 0;
        if (!set->has_warned && set->devices[i].warning[0]) {
            o->warn(o->print_context, set->devices[i].warning);
            set->has_warned = true;
        }
    }
}

void prints_clear(struct emulated *d)
{
    if (d->prints)
        free(d->prints->text);
    free(d->prints);
    d->prints = NULL;
}
