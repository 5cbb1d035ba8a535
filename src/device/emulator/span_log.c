/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/span_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { TOUCH_NS = 500 }; /* shorter gaps on a link do not separate intervals */

struct logged {
    struct device_span span;
    char name[64];
};

struct span_log {
    struct logged *list;
    size_t count, capacity;
    struct device_span link[DEVICES_MAX]; /* open intervals, by peer; end 0: none */
};

static struct span_log *log_of(struct emulated *d)
{
    if (!d->log)
        d->log = must_calloc(1, sizeof *d->log);
    return d->log;
}

static void keep(struct span_log *log, const struct device_span *span, const char *name)
{
    log->list = must_grow(log->list, log->count, &log->capacity, sizeof *log->list);
    struct logged *l = &log->list[log->count++];

    l->span = *span;
    snprintf(l->name, sizeof l->name, "%s", name);
}

void span_add(struct emulated *d, enum device_span_kind kind, unsigned lane,
              const char *name, uint64_t start_ps, uint64_t end_ps, uint64_t bytes)
{
    if (!d->set->observer)
        return;
    keep(log_of(d),
         &(struct device_span){.kind = kind,
                               .device = d->number,
                               .lane = lane,
                               .start_ns = start_ps / PS,
                               .end_ns = end_ps / PS,
                               .bytes = bytes},
         name);
}

static void link_close(struct span_log *log, unsigned peer)
{
    if (log->link[peer].end_ns)
        keep(log, &log->link[peer], "link");
    log->link[peer].end_ns = 0;
}

void span_link(struct emulated *d, unsigned peer, uint64_t start_ps, uint64_t end_ps,
               uint64_t bytes)
{
    if (!d->set->observer)
        return;
    struct span_log *log = log_of(d);
    struct device_span *open = &log->link[peer];

    if (open->end_ns && start_ps / PS > open->end_ns + TOUCH_NS)
        link_close(log, peer);
    if (!open->end_ns)
        *open = (struct device_span){.kind = DEVICE_SPAN_LINK,
                                     .device = d->number,
                                     .lane = peer,
                                     .start_ns = start_ps / PS};
    if (end_ps / PS + 1 > open->end_ns)
        open->end_ns = end_ps / PS + 1;
    open->bytes += bytes;
}

void span_log_report(struct device_set *set)
{
    for (unsigned i = 0; i < set->count; i++) {
        struct span_log *log = set->devices[i].log;

        if (!log)
            continue;
        for (unsigned peer = 0; peer < set->count; peer++)
            link_close(log, peer);
        for (size_t k = 0; k < log->count && set->observer; k++) {
            log->list[k].span.name = log->list[k].name;
            set->observer(set->observer_context, &log->list[k].span);
        }
        log->count = 0;
    }
}

void span_log_clear(struct emulated *d)
{
    if (d->log)
        free(d->log->list);
    free(d->log);
    d->log = NULL;
}
