/* SPDX-License-Identifier: Apache-2.0 */
#include "link_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "link.h"
#include "runtime/session/runtime_machine.h"

enum {
    BULK_CAPABILITY = 90,
    BUFFER_BYTES = 256 << 20,
    BUFFER_BYTES_MANY = 64 << 20, /* with more than FEW devices */
    FEW = 4,
    SAMPLE = 64, /* a slow check compares one vector of SAMPLE */
    CHECK_CTAS = 264,
    CHECK_THREADS = 256
};

extern const char kernel_link[], kernel_link_bulk_90[];

/* Nonzero data, because zeros copy faster. One block comes from the host and is doubled. */
static void fill_source(struct link_machine *m, unsigned n)
{
    const struct device_backend *b = m->backend;
    struct link_device *d = &m->device[n];
    struct proact_error err = {""};
    uint32_t *block = must_calloc(LINK_BLOCK_WORDS, sizeof *block);

    for (uint32_t i = 0; i < LINK_BLOCK_WORDS; i++)
        block[i] = link_pattern(i);
    bench_must(
        b->write(d->stream[0], d->source, block, LINK_BLOCK_WORDS * sizeof *block, &err),
        &err);
    free(block);
    for (uint64_t done = LINK_BLOCK_WORDS * sizeof *block; done < m->buffer_bytes;
         done *= 2)
        bench_must(b->copy(d->stream[0], d->source + done, d->source, done, &err), &err);
}

static struct device_module *open_module(struct link_machine *m, unsigned n,
                                         const char *name, const char *text)
{
    struct device_module *module = NULL;
    struct proact_error err = {""};

    bench_must(m->backend->module_load(m->set, n, name, text, strlen(text), &module, &err),
               &err);
    return module;
}

static void open_functions(struct link_machine *m, unsigned n)
{
    struct link_device *d = &m->device[n];
    struct proact_error err = {""};
    const struct {
        const char *name;
        struct device_function **into;
    } wanted[] = {{"link_copy", &d->copy},   {"link_runs", &d->runs},
                  {"link_ping", &d->ping},   {"link_step", &d->step},
                  {"link_check", &d->check}, {"link_empty", &d->empty}};

    d->module = open_module(m, n, "link.cu", kernel_link);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        bench_must(m->backend->function(d->module, wanted[i].name, wanted[i].into, &err),
                   &err);
    if (m->topology.device.capability < BULK_CAPABILITY)
        return;
    struct device_module *bulk = open_module(m, n, "link_bulk.cu", kernel_link_bulk_90);

    bench_must(m->backend->function(bulk, "link_bulk", &d->bulk, &err), &err);
    bench_must(m->backend->function(bulk, "link_bulk_message", &d->bulk_message, &err),
               &err);
}

static void open_device(struct link_machine *m, unsigned n)
{
    const struct device_backend *b = m->backend;
    struct link_device *d = &m->device[n];
    struct proact_error err = {""};

    for (unsigned s = 0; s < m->peers; s++) {
        bench_must(b->stream_create(m->set, n, &d->stream[s], &err), &err);
        bench_must(b->event_create(m->set, n, true, &d->branch[s], &err), &err);
    }
    bench_must(b->event_create(m->set, n, true, &d->from, &err), &err);
    bench_must(b->event_create(m->set, n, true, &d->to, &err), &err);
    bench_must(b->alloc(m->set, n, m->buffer_bytes, &d->source, &err), &err);
    bench_must(b->alloc(m->set, n, m->buffer_bytes, &d->target, &err), &err);
    bench_must(b->alloc(m->set, n, LINK_WORDS * 4, &d->words, &err), &err);
    bench_must(b->fill(d->stream[0], d->words, 0, LINK_WORDS * 4, &err), &err);
    bench_must(b->fill(d->stream[0], d->target, 0, m->buffer_bytes, &err), &err);
    fill_source(m, n);
    open_functions(m, n);
}

void link_need_two(const char *machine, unsigned devices)
{
    if (devices < 2)
        bench_die("%u device of machine '%s': a link needs 2", devices, machine);
}

void link_open(struct link_machine *m, const struct bench_request *q,
               struct bench_report *r)
{
    struct proact_error err = {""};

    *m = (struct link_machine){.gate = 0};
    bench_must(runtime_machine(q->machine, &m->topology, &m->backend, &err), &err);
    if (q->devices)
        bench_must(topology_restrict(&m->topology, q->devices, &err), &err);
    const struct device_options options = {
        .topology = &m->topology, .seed = 1, .threads = q->host_threads};

    bench_must(m->backend->open(&options, &m->set, &err), &err);
    m->devices = m->backend->count(m->set);
    link_need_two(m->topology.name, m->devices);
    m->peers = m->devices - 1;
    m->buffer_bytes = m->devices > FEW ? BUFFER_BYTES_MANY : BUFFER_BYTES;
    for (unsigned n = 0; n < m->devices; n++)
        open_device(m, n);
    bench_must(m->backend->stream_create(m->set, 0, &m->release, &err), &err);
    bench_must(m->backend->stream_create(m->set, 0, &m->side, &err), &err);
    bench_must(m->backend->synchronize(m->set, &err), &err);
    snprintf(r->machine, sizeof r->machine, "%s", m->topology.name);
    snprintf(r->device, sizeof r->device, "%s", m->topology.device.name);
    r->devices = m->devices;
    r->is_virtual = m->backend->is_virtual;
}

void link_close(struct link_machine *m)
{
    m->backend->close(m->set); /* with everything created from it */
}

void link_clear_words(struct link_machine *m)
{
    struct proact_error err = {""};

    for (unsigned n = 0; n < m->devices; n++)
        bench_must(m->backend->fill(m->device[n].stream[0],
                                    m->device[n].words + 4 * LINK_WORD_FREE, 0,
                                    4 * (LINK_WORDS - LINK_WORD_FREE), &err),
                   &err);
    bench_must(m->backend->synchronize(m->set, &err), &err);
}

void link_launch(struct device_stream *s, struct link_machine *m, struct device_function *f,
                 uint32_t ctas, uint32_t threads, const void *parameters, size_t bytes)
{
    struct proact_error err = {""};
    const struct device_launch launch = {.grid = {ctas, 1, 1},
                                         .block = {threads, 1, 1},
                                         .parameters = parameters,
                                         .parameter_bytes = bytes};

    bench_must(m->backend->launch(s, f, &launch, &err), &err);
}

static device_addr gate_of(const struct link_machine *m)
{
    return m->device[0].words + 4 * LINK_WORD_GATE;
}

/* All streams start with the first stream of device 0, which waits for the gate. */
static void fork_streams(struct link_machine *m, unsigned devices, unsigned streams)
{
    struct proact_error err = {""};
    const struct device_backend *b = m->backend;
    struct link_device *d = &m->device[0];

    bench_must(b->wait_value(d->stream[0], gate_of(m), ++m->gate, NULL, &err), &err);
    bench_must(b->record(d->stream[0], d->from, &err), &err);
    for (unsigned n = 0; n < devices; n++)
        for (unsigned s = 0; s < streams; s++)
            if (n || s)
                bench_must(b->wait_event(m->device[n].stream[s], d->from, &err), &err);
}

static void join_streams(struct link_machine *m, unsigned devices, unsigned streams)
{
    struct proact_error err = {""};
    const struct device_backend *b = m->backend;
    struct link_device *first = &m->device[0];

    for (unsigned n = 0; n < devices; n++)
        for (unsigned s = 0; s < streams; s++) {
            struct link_device *d = &m->device[n];

            bench_must(b->record(d->stream[s], d->branch[s], &err), &err);
            bench_must(b->wait_event(first->stream[0], d->branch[s], &err), &err);
        }
    bench_must(b->record(first->stream[0], first->to, &err), &err);
}

double link_time(struct link_machine *m, unsigned devices, unsigned streams,
                 link_work *work, void *context)
{
    struct proact_error err = {""};
    const struct device_backend *b = m->backend;
    double ns = 0;

    fork_streams(m, devices, streams);
    for (unsigned n = 0; n < devices; n++)
        for (unsigned s = 0; s < streams; s++)
            work(m, n, s, context);
    join_streams(m, devices, streams);
    bench_must(b->write_value(m->release, gate_of(m), m->gate, &err), &err);
    bench_must(b->synchronize(m->set, &err), &err);
    bench_must(b->elapsed(m->device[0].from, m->device[0].to, &ns, &err), &err);
    return ns;
}

void link_verify(struct link_machine *m, unsigned device, uint64_t bytes)
{
    struct link_device *d = &m->device[device];
    struct proact_error err = {""};
    device_addr count = d->words + 4 * LINK_WORD_CHECK;
    const struct link_check c = {.at = d->target,
                                 .wrong = count,
                                 .vectors = bytes / 16,
                                 .step = m->backend->is_virtual ? SAMPLE : 1};
    uint32_t wrong = 0;

    bench_must(m->backend->fill(d->stream[0], count, 0, sizeof wrong, &err), &err);
    link_launch(d->stream[0], m, d->check, CHECK_CTAS, CHECK_THREADS, &c, sizeof c);
    bench_must(m->backend->read(d->stream[0], &wrong, count, sizeof wrong, &err), &err);
    if (wrong)
        bench_die("device %u: %u of %llu vectors that were sent to it are wrong", device,
                  wrong, (unsigned long long)c.vectors);
    bench_must(m->backend->fill(d->stream[0], d->target, 0, bytes, &err), &err);
    bench_must(m->backend->synchronize(m->set, &err), &err); /* peers write there next */
}
