/* SPDX-License-Identifier: Apache-2.0 */
#include "tracking.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "instrument/instrument.h"
#include "micro.h"
#include "runtime/session/runtime_machine.h"
#include "transfer/transfer.h"

extern const char kernel_micro[];

static void take_span(void *context, const struct device_span *span)
{
    struct tracking *t = context;

    if (span->kind == DEVICE_SPAN_KERNEL)
        t->kernel_ns += (double)(span->end_ns - span->start_ns);
}

void tracking_open(struct tracking *t, const struct bench_request *q)
{
    struct proact_error err = {""};

    bench_must(runtime_machine(q->machine, &t->topology, &t->backend, &err), &err);
    bench_must(topology_restrict(&t->topology, 1, &err), &err);
    const struct device_options options = {
        .topology = &t->topology, .seed = 1, .threads = q->host_threads};

    bench_must(t->backend->open(&options, &t->set, &err), &err);
    t->backend->observe(t->set, take_span, t);
    bench_must(t->backend->stream_create(t->set, 0, &t->stream, &err), &err);
    bench_must(t->backend->alloc(t->set, 0, t->bytes, &t->array, &err), &err);
}

static void drop_tables(struct tracking *t)
{
    tracking_wait(t);
    transfer_table_clear(&t->table);
    if (t->block)
        t->backend->free(t->set, 0, t->block);
    t->block = 0;
}

static void drop_kernel(struct tracking *t)
{
    tracking_wait(t);
    if (t->module)
        t->backend->module_unload(t->module);
    t->module = NULL;
}

void tracking_close(struct tracking *t)
{
    drop_tables(t);
    drop_kernel(t);
    t->backend->close(t->set); /* with everything created from it */
}

static uint32_t ctas(const struct tracking *t)
{
    return (uint32_t)(t->bytes / MICRO_VECTOR_BYTES / t->threads);
}

/* The first of two devices has the complete grid, and the other one needs its writes. */
static void build_table(struct tracking *t, uint32_t chunk_bytes)
{
    const uint32_t count = ctas(t), cta_first[] = {0, count, count};
    const uint64_t cta_bytes = (uint64_t)t->threads * MICRO_VECTOR_BYTES;
    struct rows of_first = rows_one(0, cta_bytes);
    struct cta_run run = {0, count, 0, 1, cta_bytes};
    const struct cta_runs written = {
        .run = &run, .rows = &of_first, .count = 1, .row_count = 1};
    struct transfer_table two[2] = {{0}};
    struct proact_error err = {""};
    const struct transfer_table_request request = {.array = "made",
                                                   .array_bytes = t->bytes,
                                                   .chunk_bytes = chunk_bytes,
                                                   .device_count = 2,
                                                   .cta_first = cta_first,
                                                   .written = &written};

    bench_must(transfer_table_build(&request, two, &err), &err);
    t->table = two[0];
    transfer_table_clear(&two[1]);
}

/* All tables are in one block; the counters come first and start at 0. */
void tracking_tables(struct tracking *t, uint32_t chunk_bytes)
{
    struct proact_error err = {""};

    drop_tables(t);
    build_table(t, chunk_bytes);
    const struct transfer_table *table = &t->table;
    uint32_t *first = must_calloc(table->cta_count, sizeof *first);

    transfer_table_first(table, first);
    const struct {
        const uint32_t *from;
        const proact_u32 **to;
        size_t count;
    } parts[] = {
        {first, &t->slot.list_start, table->cta_count},
        {table->chunk, &t->slot.chunk_lists, table->list_words},
        {table->writers, &t->slot.writer_count, table->chunk_count},
        {table->piece_first, &t->slot.piece_first, (size_t)table->chunk_count + 1}};
    const size_t counters = table->chunk_count;
    size_t words = counters;

    t->slot = (struct proact_slot){.base = (unsigned char *)(uintptr_t)t->array};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        words += parts[i].count;
    bench_must(t->backend->alloc(t->set, 0, words * 4, &t->block, &err), &err);
    bench_must(t->backend->fill(t->stream, t->block, 0, counters * 4, &err), &err);
    t->slot.counter = (proact_u32 *)(uintptr_t)t->block;
    words = counters;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const device_addr at = t->block + words * 4;

        bench_must(
            t->backend->write(t->stream, at, parts[i].from, parts[i].count * 4, &err),
            &err);
        *parts[i].to = (const proact_u32 *)(uintptr_t)at;
        words += parts[i].count;
    }
    free(first);
    t->slot.chunk_shift = transfer_table_regular(table, &t->slot.cta_bias);
}

static enum instrument_clone clone_of(uint32_t mode)
{
    if (!(mode & PROACT_MODE_COUNT))
        return INSTRUMENT_INLINE;
    return mode & PROACT_MODE_SEND ? INSTRUMENT_SEND : INSTRUMENT_COUNT;
}

/* The text with only the kernel version, which is what a session loads. The caller frees
   it. */
static char *clone_text(enum instrument_clone clone, size_t *bytes)
{
    const struct instrument_request request = {
        .kernel = "micro_plain", .slot_count = 1, .only = clone, .places = INSTRUMENT_FLAT};
    struct instrument_result result;
    struct ptx_module *m = NULL;
    struct proact_error err = {""};
    char *text = NULL;

    bench_must(ptx_parse("micro.cu", kernel_micro, strlen(kernel_micro), &m, &err), &err);
    bench_must(instrument_kernel(m, &request, &result, &text, bytes, &err), &err);
    if (result.refusal[clone].text[0])
        bench_die("%s", result.refusal[clone].text);
    ptx_destroy(m);
    return text;
}

void tracking_load(struct tracking *t, enum tracked which, const char *method)
{
    const struct transfer_method *m = NULL;
    struct proact_error err = {""};
    size_t bytes = strlen(kernel_micro);
    char *cloned = NULL, name[64] = "micro";

    bench_must(transfer_method_find(method, &m, &err), &err);
    const enum instrument_clone clone = clone_of(m->partition_mode);

    drop_kernel(t);
    t->which = which;
    t->partition_bytes = which == COMPILED ? instrument_partition_bytes(clone, 1) : 0;
    t->mode = m->partition_mode & ~(uint32_t)PROACT_MODE_STORE; /* nothing is sent */
    if (which == COMPILED)
        cloned = clone_text(clone, &bytes);
    if (which != ANNOTATED)
        snprintf(name, sizeof name, "micro_plain%s",
                 which == COMPILED ? instrument_suffix(clone) : "");
    bench_must(t->backend->module_load(t->set, 0, "micro.cu",
                                       cloned ? cloned : kernel_micro, bytes, &t->module,
                                       &err),
               &err);
    bench_must(t->backend->function(t->module, name, &t->function, &err), &err);
    free(cloned);
}

/* The partition is the last parameter of annotated kernels and of kernel versions. */
struct plain_parameters {
    device_addr array;
    uint32_t work, salt;
    struct proact_partition partition;
};
struct annotated_parameters {
    device_addr array;
    uint32_t work, sleep_ns, salt;
    struct proact_partition partition;
};

void tracking_launch(struct tracking *t, uint32_t work)
{
    struct proact_partition partition = {
        .mode = t->mode, .slot_count = 1, .slot = {t->slot}, .epoch = 1};
    struct device_launch launch = {.grid = {ctas(t), 1, 1}, .block = {t->threads, 1, 1}};
    struct proact_error err = {""};

    if (t->mode & PROACT_MODE_COUNT) {
        t->slot.table_epoch++; /* the counters only grow */
        partition.silent_first = t->table.silent_first;
        partition.silent_count = t->table.silent_count;
    } else
        partition.silent_count = UINT32_MAX;
    partition.slot[0].table_epoch = t->slot.table_epoch;
    transfer_partition_grid(&partition, launch.grid);
    const struct annotated_parameters annotated = {t->array, work, 0, 0, partition};
    const struct plain_parameters plain = {t->array, work, 0, partition};

    launch.parameters = t->which == ANNOTATED ? (const void *)&annotated : &plain;
    launch.parameter_bytes =
        t->which == ANNOTATED
            ? sizeof annotated
            : offsetof(struct plain_parameters, partition) + t->partition_bytes;
    bench_must(t->backend->launch(t->stream, t->function, &launch, &err), &err);
}

/* All writers of each chunk must have counted it once per counting launch. */
void tracking_check(struct tracking *t)
{
    uint32_t *counted = must_calloc(t->table.chunk_count, sizeof *counted);
    struct proact_error err = {""};

    bench_must(t->backend->read(t->stream, counted, t->block,
                                t->table.chunk_count * sizeof *counted, &err),
               &err);
    for (uint32_t c = 0; c < t->table.chunk_count; c++)
        if (counted[c] != t->slot.table_epoch * t->table.writers[c])
            bench_die("chunk %" PRIu32 " was counted %" PRIu32 " times, not %" PRIu32
                      ": %" PRIu32 " launches of %" PRIu32 " writers",
                      c, counted[c], t->slot.table_epoch * t->table.writers[c],
                      t->slot.table_epoch, t->table.writers[c]);
    free(counted);
}

void tracking_wait(struct tracking *t)
{
    struct proact_error err = {""};

    bench_must(t->backend->synchronize(t->set, &err), &err);
}
