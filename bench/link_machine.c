/* SPDX-License-Identifier: Apache-2.0 */
#include "link_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char kernel_link[];

void link_must(enum proact_status status, const struct proact_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "proact_bench_link: %s\n", err->text);
    exit(1);
}

static void open_device(struct link_machine *m, unsigned n)
{
    const struct device_backend *b = m->backend;
    struct link_device *d = &m->device[n];
    struct proact_error err = {""};

    for (unsigned s = 0; s < LINK_PEERS; s++) {
        link_must(b->stream_create(m->set, n, &d->stream[s], &err), &err);
        link_must(b->event_create(m->set, n, true, &d->branch[s], &err), &err);
    }
    link_must(b->event_create(m->set, n, true, &d->from, &err), &err);
    link_must(b->event_create(m->set, n, true, &d->to, &err), &err);
    link_must(b->alloc(m->set, n, LINK_BUFFER_BYTES, &d->source, &err), &err);
    link_must(b->alloc(m->set, n, LINK_BUFFER_BYTES, &d->target, &err), &err);
    link_must(b->alloc(m->set, n, LINK_WORDS_BYTES, &d->words, &err), &err);
    link_must(b->fill(d->stream[0], d->source, 0x5a, LINK_BUFFER_BYTES, &err), &err);
    link_must(b->fill(d->stream[0], d->words, 0, LINK_WORDS_BYTES, &err), &err);
    link_must(b->module_load(m->set, n, "link.cu", kernel_link, strlen(kernel_link),
                             &d->module, &err),
              &err);
    link_must(b->function(d->module, "link_copy", &d->copy, &err), &err);
    link_must(b->function(d->module, "link_runs", &d->runs, &err), &err);
    link_must(b->function(d->module, "link_ping", &d->ping, &err), &err);
}

void link_open(struct link_machine *m, const char *machine)
{
    struct proact_error err = {""};

    *m = (struct link_machine){.backend = &device_emulator};
    link_must(topology_load(machine, &m->topology, &err), &err);
    link_must(topology_restrict(&m->topology, LINK_DEVICES, &err), &err);
    const struct device_options options = {.topology = &m->topology, .seed = 1};

    link_must(m->backend->open(&options, &m->set, &err), &err);
    for (unsigned n = 0; n < LINK_DEVICES; n++)
        open_device(m, n);
    link_must(m->backend->synchronize(m->set, &err), &err);
}

void link_close(struct link_machine *m)
{
    m->backend->close(m->set); /* with all that was made from it */
}

/* All streams begin when the first device's first does. */
static void fork_streams(struct link_machine *m, unsigned devices, unsigned streams)
{
    struct proact_error err = {""};
    const struct device_backend *b = m->backend;
    struct device_event *from = m->device[0].from;

    link_must(b->record(m->device[0].stream[0], from, &err), &err);
    for (unsigned n = 0; n < devices; n++)
        for (unsigned s = 0; s < streams; s++)
            if (n || s)
                link_must(b->wait_event(m->device[n].stream[s], from, &err), &err);
}

static void join_streams(struct link_machine *m, unsigned devices, unsigned streams)
{
    struct proact_error err = {""};
    const struct device_backend *b = m->backend;
    struct link_device *first = &m->device[0];

    for (unsigned n = 0; n < devices; n++)
        for (unsigned s = 0; s < streams; s++) {
            struct link_device *d = &m->device[n];

            link_must(b->record(d->stream[s], d->branch[s], &err), &err);
            link_must(b->wait_event(first->stream[0], d->branch[s], &err), &err);
        }
    link_must(b->record(first->stream[0], first->to, &err), &err);
}

double link_time(struct link_machine *m, unsigned devices, unsigned streams,
                 link_work *work, void *context)
{
    struct proact_error err = {""};
    double ns = 0;

    fork_streams(m, devices, streams);
    for (unsigned n = 0; n < devices; n++)
        for (unsigned s = 0; s < streams; s++)
            work(m, n, s, context);
    join_streams(m, devices, streams);
    link_must(m->backend->synchronize(m->set, &err), &err);
    link_must(m->backend->elapsed(m->device[0].from, m->device[0].to, &ns, &err), &err);
    return ns;
}
